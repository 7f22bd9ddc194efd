"""Progress reports of a real language model, where DRALIGNED_REAL_LLM names its base URL."""

import os
from pathlib import Path

import httpx
import pytest

from draligned.progress.lanes import load_lanes
from draligned.schema.progress import Layer

from . import tiny

pytestmark = pytest.mark.real_model


@pytest.fixture
def url() -> str:
    named = os.environ.get("DRALIGNED_REAL_LLM", "").rstrip("/")
    if not named:
        pytest.skip("DRALIGNED_REAL_LLM names no OpenAI-compatible server")
    return named


def test_every_reply_of_sixty_checkpoints_is_in_one_layer(url: str, tmp_path: Path) -> None:
    """SI-27: whatever it says. It is no evidence about anything but the pipeline."""
    model: str = httpx.get(f"{url}/models", timeout=30).json()["data"][0]["id"]
    study = tiny.prechecked(tmp_path / "study", url, model)
    (status,) = study.progress.status("stage")
    assert (status.probes, status.planned) == (20, 60)
    (lane,) = load_lanes(study.folder.store, "stage")
    assert status.admitted is (lane.good >= 18)
    assert status.admitted or status.replied == 0
    frame = tiny.asked(study).progress.replies("stage")
    assert len(frame) == 60
    assert frame["position_id"].is_unique
    assert set(frame["layer"]) <= {layer.value for layer in Layer}
    scored = frame[frame["s"]]
    assert len(scored) > 0
    due = {"clean", "divergence", "omission", "malformed", "wrong_value"}
    assert set(scored.loc[scored["due"], "layer"]) <= due
    assert set(scored.loc[~scored["due"], "layer"]) <= {"clean", "intrusion"}
    study.progress.measure("stage")
    layers = study.progress.table("stage", "layers")
    assert layers[layers["group"] == "all"]["n"].sum() == 60
