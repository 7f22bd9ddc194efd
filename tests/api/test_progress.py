"""Progress reports of a study: which lanes count, and what a switch of reasoning needs."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.progress import lanes
from draligned.progress.designs import design
from draligned.schema.errors import ConfigError, InputError

TEXT = """\
[providers.served]
base_url = "http://127.0.0.1:9"
attempts = {{tries = 1}}

[models.real]
provider = "served"
model = "x"

[models.plain]
provider = "rehearsal"
model = "rehearsal-progress"
thinking = {{ on = {{}}, off = {{ rehearsal = {{ intrusion = 0.5 }} }} }}

[models.mute]
provider = "rehearsal"
model = "{mute}"
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    text = TEXT.format(mute="rehearsal-reader")
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    return draligned.open(tmp_path)


def test_a_lane_counts_from_95_percent_on(study: Study) -> None:
    """Of 480 positions 456 are enough, and 455 are not (SI-45)."""
    study.progress.run("bundle", ["rehearsal-steady"], limit=455)
    (lane,) = study.progress.status("bundle")
    assert (lane.replied, lane.admitted, lane.complete, lane.counts) == (455, True, False, False)
    with pytest.raises(InputError, match="admitted and complete"):
        study.progress.replies("bundle")
    row = study.progress.table("bundle", "admission").iloc[0]
    assert (row["planned"], row["replied"], row["good"], row["counts"]) == (480, 455, 20, False)
    assert row["evidence"] == "Audit/engineering"
    study.progress.run("bundle", ["rehearsal-steady"], limit=1)
    (lane,) = study.progress.status("bundle")
    assert (lane.replied, lane.counts, lane.reason) == (456, True, "")
    assert len(study.progress.replies("bundle")) == 456


def test_nothing_is_asked_of_a_deployment_that_is_not_admitted(study: Study) -> None:
    """The rehearsal reader knows no probes, so it fails the precheck, for good."""
    done = study.progress.run("bundle", ["mute", "rehearsal-steady"], limit=3)
    assert done["mute"] is None
    assert done["rehearsal-steady"] is not None
    mute, steady = study.progress.status("bundle")
    assert (mute.admitted, mute.replied, mute.good) == (False, 0, 0)
    assert mute.reason.startswith("precheck: 0 of 20 good; ")
    assert steady.admitted
    assert study.progress.forecast("bundle", ["mute"]).rows[0][1] == 0
    text = study.folder.store.get("progress/bundle/admission.csv") or b""
    header, first, second = text.decode("utf-8-sig").splitlines()
    assert header.startswith("design,deployment,planned,replied,")
    assert first.startswith("bundle,mute,480,0,")
    assert mute.reason in first
    assert second.startswith("bundle,rehearsal-steady,480,3,")


def test_the_admission_table_is_made_anew_from_what_is_stored(study: Study) -> None:
    """Also where nothing counts, and measure makes no other (SI-46)."""
    study.progress.run("bundle", ["rehearsal-steady"], limit=3)
    keys = ["progress/bundle/admission.csv", "progress/bundle/tables/admission.parquet"]
    before = [study.folder.store.get(key) for key in keys]
    for key in keys:
        study.folder.store.replace(key, b"lost")
    with pytest.raises(InputError, match="admitted and complete"):
        study.progress.measure("bundle")
    assert [study.folder.store.get(key) for key in keys] == before


def test_a_provider_out_of_reach_leaves_its_lane_open_and_the_others_go_on(study: Study) -> None:
    done = study.progress.run("bundle", ["real", "rehearsal-steady"], limit=3)
    lost, other = done["real"], done["rehearsal-steady"]
    assert lost is not None
    assert other is not None
    assert (lost.done, lost.left_open) == (0, 480)
    assert next(iter(lost.reasons)).startswith("precheck: provider served")
    assert other.done == 3
    assert [lane.deployment for lane in study.progress.status("bundle")] == ["rehearsal-steady"]


def test_a_switch_of_reasoning_needs_both_its_settings(study: Study) -> None:
    with pytest.raises(ConfigError, match=r"models\.real\.thinking .* for off and on"):
        study.progress.run("thinking", ["real"])
    assert study.progress.names() == ()


def test_a_switch_counts_only_where_it_did_switch(study: Study) -> None:
    small = design("thinking").model_copy(update={"repetitions": 1})
    lanes.freeze_design(study.folder.store, small)
    study.progress.run("thinking", ["plain", "rehearsal"])
    plain, switched = study.progress.status("thinking")
    assert (plain.complete, plain.counts) == (True, False)
    assert plain.reason.startswith("manipulation check: reasoning in 0 of ")
    assert (switched.counts, switched.reason) == (True, "")
    assert switched.switch is not None
    assert switched.switch.on_reasoned == switched.switch.on > 0 == switched.switch.off_reasoned
    frame = study.progress.replies("thinking")
    assert set(frame["deployment"]) == {"rehearsal"}
    shown = frame.groupby("factor_thinking")["reasoning_shown"].agg(["min", "max"])
    assert shown.loc["on"].tolist() == [True, True]
    assert shown.loc["off"].tolist() == [False, False]
