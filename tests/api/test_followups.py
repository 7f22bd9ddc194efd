"""Follow-ups in a study folder: after their source, a design a deployment, one table for all."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.progress import lanes
from draligned.progress.designs import design
from draligned.schema.errors import InputError
from draligned.schema.progress import Arm

HASTY = """\
[models.careless]
provider = "rehearsal"
model = "rehearsal-progress-hasty"
params = { rehearsal = { recovers = 1.0, knows = 0.0, repairs = 0.0 } }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    root = tmp_path_factory.mktemp("followups")
    (root / "study.toml").write_text(HASTY, encoding="utf-8")
    found = draligned.open(root)
    whole = design("stage")
    kept = tuple(s for s in whole.stimuli if s.arm is Arm.BASELINE)
    small = whole.model_copy(update={"stimuli": kept, "repetitions": 4})
    lanes.freeze_design(found.folder.store, small)
    found.progress.run("stage", ["careless", "rehearsal"])
    return found


def test_a_follow_up_needs_its_source(tmp_path: Path) -> None:
    empty = draligned.open(tmp_path)
    with pytest.raises(InputError, match="`progress run stage --model rehearsal` comes first"):
        empty.progress.run("replay", ["rehearsal"])
    with pytest.raises(InputError, match="`progress run replay` begins it"):
        empty.progress.measure("replay")
    assert empty.progress.names() == ()


def test_planted_recovery_is_found_and_the_sample_is_frozen(study: Study) -> None:
    progress = study.progress
    with pytest.raises(InputError, match="`progress run stage --model rehearsal-steady` comes"):
        progress.run("replay", ["rehearsal", "rehearsal-steady"])
    assert progress.names() == ("stage",)
    done = progress.run("replay", ["careless"], limit=10)
    (first,) = progress.design("replay").stimuli[:1]
    done = progress.run("replay", ["careless", "rehearsal"])
    assert all(summary is not None and summary.left_open == 0 for summary in done.values())
    progress.run("wrong-state", ["careless"])
    assert progress.names() == ("stage", "replay", "wrong-state")
    assert first.stimulus_id in {s.stimulus_id for s in progress.design("replay").stimuli}
    assert [s.deployment for s in progress.status("replay")] == ["careless", "rehearsal"]
    assert set(progress.measure("replay")) == {
        "admission",
        "shares",
        "layers",
        "confusion",
        "contrasts",
    }
    shares = progress.table("replay", "shares")
    assert set(shares["design"]) == {"replay"}
    theta = shares[(shares["metric"] == "theta") & (shares["encoding"] == "both")]
    all_ = theta[theta["group"] == "all"].set_index(["deployment", "factor_asked"])["share"]
    assert all_["careless", "request"] == 1
    assert all_["careless", "question"] == 0
    assert 0.7 < all_["rehearsal", "request"] < 0.9
    assert progress.table("replay", "contrasts").empty
    progress.measure("wrong-state")
    shares = progress.table("wrong-state", "shares")
    assert set(shares.loc[shares["metric"] == "theta", "share"]) == {0}
