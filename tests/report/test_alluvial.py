"""Bands between loci: every planned run is in every column, unknown apart from not there."""

from lxml import html

from draligned.report.alluvial import alluvial_of, picture, standalone, state_at
from draligned.report.data import ReportData
from draligned.report.texts import load_texts

from .html import find, text
from .world import READER

EN = load_texts("en")


def test_every_planned_run_is_in_every_column(small: ReportData) -> None:
    made = alluvial_of(small, READER, "coupled", EN)
    assert made is not None
    assert made.runs == 12, "3 tasks, 2 models, 2 arms"
    starts = dict.fromkeys(b.start for b in made.bands)
    for start in starts:
        assert sum(b.n for b in made.bands if b.start == start) == made.runs


def test_unknown_is_apart_from_not_there() -> None:
    def row(state: str, reason: str | None) -> dict[str, object]:
        return {"final_state": state, "final_reason": reason}

    assert state_at(row("OWN_ONLY", None), "final") == "OWN_ONLY"
    assert state_at(row("UNKNOWN", "mirror_disagreement"), "final") == "UNKNOWN"
    assert state_at(row("UNKNOWN", "run_failed"), "final") == "UNKNOWN"
    assert state_at(row("NO_DOCUMENT", "no_document"), "final") == "ABSENT"
    assert state_at(row("UNKNOWN", "no_requests"), "final") == "ABSENT"


def test_heights_are_numbers_of_runs() -> None:
    paths = [("OWN_ONLY",) * 4] * 3 + [("NONE",) * 4]
    root = html.fragment_fromstring(str(picture(paths, "t", EN)))
    heights = [float(e.get("height")) for e in find(root, "node")]
    assert heights == [142.5, 47.5] * 4
    labels = [text(e) for e in root.iter("text")]
    assert labels[:3] == ["Requests (OR)", "own 3", "none 1"]
    assert len(find(root, "band")) == 6


def test_no_runs_no_picture(small: ReportData) -> None:
    assert alluvial_of(small, READER, "elsewhere", EN) is None


def test_alone_it_has_its_own_colours_and_says_what_a_column_is_not(small: ReportData) -> None:
    made = alluvial_of(small, READER, "coupled", EN)
    assert made is not None
    shown = standalone([made], EN)
    root = html.fragment_fromstring(shown)
    assert len(find(root, "alluvial")) == 1
    assert "no column is a measure of another" in text(root)
    style = root.find("style")
    assert style is not None
    for used in ("--own", "--other", "--both", "--neither", "--hatch", "--paper", "--ink"):
        assert f"{used}: #" in (style.text or ""), used
