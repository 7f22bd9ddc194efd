"""Pairs of trajectories: why a run is not there is said, never guessed."""

import pandas as pd

from draligned.measure.trajectories import pair_of, trajectories
from draligned.schema import frames
from draligned.schema.labels import Presence, Side, UnknownReason
from tests.evaluators.scripted import card, final, run

RUN = run(("a place to meet",), final=final("x"))
FACTOR = card().factor_id
INPUTS = frames.MeasureInputs(
    runs=frames.empty(frames.RUNS),
    request_reads=frames.empty(frames.REQUEST_READS),
    documents=frames.empty(frames.DOCUMENTS),
    document_reads=frames.empty(frames.DOCUMENT_READS),
    items=frames.empty(frames.ITEMS),
)
ROW = {
    "pair_id": "a" * 16, "factor_id": FACTOR, "evaluator": "reader",
    "run_id_p": RUN.run_id, "run_state_p": "done", "run_id_q": "q" * 16, "run_state_q": "failed",
}  # fmt: skip


def test_a_run_that_nobody_read_is_unknown_throughout() -> None:
    (found,) = trajectories([(RUN, FACTOR)], INPUTS, "reader")
    assert found.side is Side.P
    assert [s.unit for s in found.steps] == ["request", "final"]
    assert {s.presence for s in found.steps} == {Presence.UNKNOWN}
    assert {s.reason for s in found.steps} == {UnknownReason.READ_MISSING}


def test_a_factor_that_a_run_was_not_told_has_no_side() -> None:
    (found,) = trajectories([(RUN, "f" * 16)], INPUTS, "reader")
    assert found.side is None


def test_a_pair_says_why_a_run_is_not_there() -> None:
    (found,) = trajectories([(RUN, FACTOR)], INPUTS, "reader")
    pair = pair_of(ROW, {(RUN.run_id, FACTOR): found})
    assert (pair.p, pair.absent_p) == (found, None)
    assert (pair.q, pair.absent_q) == (None, "run_failed")
    unplanned = pair_of({**ROW, "run_id_q": pd.NA, "run_state_q": pd.NA}, {})
    assert (unplanned.absent_p, unplanned.absent_q) == ("run_done", "not_planned")
