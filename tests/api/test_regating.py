"""Gates applied after the fact to research episodes of a study, through their sealed logs."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.progress.rollout import world
from draligned.schema.errors import InputError
from tests.cli.console import SMALL


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One task, two models, three harnesses: twelve episodes; then a rollout of one arm."""
    root = tmp_path_factory.mktemp("regated")
    (root / "study.toml").write_text(SMALL, encoding="utf-8")
    found = draligned.open(root)
    found.construct()
    found.run(found.plan_runs(harnesses=["coupled", "initial"]))
    found.run(found.plan_runs(harnesses=["coupled"], progress_duty=True))
    found.rollouts.run(["B2"], ["rehearsal-steady"], repetitions=1)
    return draligned.open(root)


def test_sources_stand_apart(study: Study) -> None:
    frame, counted = study.regate(["no_tool_call", "terminal_tool"])
    assert frame.groupby("source")["record_id"].nunique().to_dict() == {
        "research": 4 * 3,
        "rollout": 12,
    }
    assert set(counted["source"]) == {"research", "rollout"}
    assert frame["rehearsal"].all()


def test_an_episode_is_done_once_its_submission_was_accepted(study: Study) -> None:
    """A terminal tool is right at its submission and spares the closing reply; a question to the
    user, which `initial` begins with, would have been the end under the coupled loop's rule."""
    frame, _ = study.regate(["no_tool_call", "terminal_tool"])
    research = frame[(frame["source"] == "research") & (frame["ended_as"] == "submitted")]
    assert not research.empty
    tool = research[research["gate"] == "terminal_tool"]
    assert set(tool["verdict"]) == {"right_stop"}
    assert (tool["stopped_at"] == tool["done_at"]).all()
    spoken = research[research["gate"] == "no_tool_call"].set_index("under")["verdict"]
    assert set(spoken.loc[["coupled"]]) == {"right_stop"}
    assert set(spoken.loc[["initial"]]) == {"false_completion"}


def test_tags_of_a_research_episode_are_read_by_their_own_values(study: Study) -> None:
    """A marker gate sees an end only where tags were asked for, and then at the closing reply."""
    frame, _ = study.regate(["marker"])
    research = frame[(frame["source"] == "research") & (frame["ended_as"] == "submitted")]
    asked = research[research["under"] == "coupled+duty"]
    assert "right_stop" in set(asked["verdict"])
    assert set(asked["reason"]) == {""}
    others = research[research["under"] != "coupled+duty"]
    assert set(others["verdict"]) == {"missed_completion"}
    assert set(others["reason"]) == {"not_asked"}


def test_a_text_reply_leaves_the_truth_unknown(study: Study) -> None:
    frame, _ = study.regate(["typed_state"])
    other = frame[(frame["source"] == "research") & (frame["ended_as"] != "submitted")]
    assert set(other["verdict"]) <= {"unknown"}
    assert set(other["reason"]) <= {"no_submission"}


def test_what_is_superseded_is_in_no_number(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere else: trajectories of an earlier state of rules are kept and not counted."""
    before, _ = study.regate(["marker"])
    monkeypatch.setattr(world, "RULES", "another")
    after, _ = study.regate(["marker"])
    assert set(before["source"]) == {"research", "rollout"}
    assert set(after["source"]) == {"research"}


def test_both_tables_are_stored(study: Study) -> None:
    study.regate([])
    for name in ("records", "gates"):
        assert study.folder.store.exists(f"progress/regate/tables/{name}.parquet")


def test_nothing_recorded_is_a_mistake_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing was recorded here: "):
        draligned.open(tmp_path).regate([])
