"""Starts, finals, readable: counts by arm and cause."""

from draligned.report.data import ReportData
from draligned.report.flow import Bar, flow_of
from draligned.report.texts import load_texts

from .world import READER


def test_a_failed_run_is_lost_in_its_arm(small: ReportData) -> None:
    flow = flow_of(small, READER, "coupled", load_texts("en"))
    found = {s.name: [(b.arm, b.n, b.total) for b in s.bars] for s in flow.steps}
    assert found["planned"] == [("P", 6, 6), ("Q", 6, 6)]
    assert found["ended without failure"] == [("P", 5, 6), ("Q", 6, 6)]
    assert found["final readable (F)"] == [("P", 5, 6), ("Q", 6, 6)]


def test_causes_are_counted_by_arm(small: ReportData) -> None:
    flow = flow_of(small, READER, "coupled", load_texts("en"))
    assert [(c.channel, c.reason, c.n_p, c.n_q) for c in flow.causes] == [
        ("A", "run failed", 1, 0),
        ("F", "run failed", 1, 0),
    ]


def test_no_run_is_no_division() -> None:
    assert Bar(arm="P", n=0, total=0, text="0/0").percent == 0.0
