"""Sixty checkpoints put to a real, very small language model."""

from pathlib import Path

import draligned
from draligned.api import Study
from draligned.progress import lanes
from draligned.progress.designs import design
from draligned.schema.progress import Arm, StageDesign

NAME = "tiny"
TOML = """\
[measure]
draws = 200

[providers.local]
base_url = "{url}"
concurrency = 2
send_seed = true
attempts = {{ tries = 2, timeout_seconds = 900.0 }}

[models]
tiny = {{ provider = "local", model = "{model}", params = {{ max_tokens = 160 }} }}
"""


def sixty() -> StageDesign:
    """The five checkpoints of twelve scenarios, in English: baseline, XML, once each."""
    whole = design("stage", "en")
    kept = tuple(s for s in whole.stimuli if s.arm is Arm.BASELINE and s.encoding == "xml")
    return whole.model_copy(update={"stimuli": kept, "repetitions": 1})


def prechecked(root: Path, url: str, model: str) -> Study:
    """A study where the model was prechecked; it is too small to be admitted, and not asked."""
    root.mkdir()
    (root / "study.toml").write_text(TOML.format(url=url, model=model), encoding="utf-8")
    study = draligned.open(root)
    lanes.freeze_design(study.folder.store, sixty())
    study.progress.run("stage", [NAME], concurrency=2)
    return study


def asked(study: Study) -> Study:
    """The same with its lane admitted by hand, for the pipeline's sake, and asked."""
    (lane,) = lanes.load_lanes(study.folder.store, "stage")
    path = study.folder.root / f"progress/stage/lanes/{lane.model_key}/lane.json"
    path.write_text(lane.model_copy(update={"needed": 0}).to_json() + "\n", encoding="utf-8")
    study.progress.run("stage", [NAME], concurrency=2)
    return study
