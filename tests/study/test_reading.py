"""The runs table: facts of the harness, and what was seen of a run."""

from typing import Any

import pytest

from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.frames import RUNS
from draligned.schema.labels import Channel, Observes, Side
from draligned.schema.observed import ObservedRequest, ObservedRun
from draligned.schema.retrieval import ReturnStatus
from draligned.study.inventory import CellState, RunCell
from draligned.study.reading import runs_table

END = EpisodeEnd(
    ended_by=EndedBy.NO_TOOL_CALL, outcome=Outcome.TEXT_REPLY, final_sha256=None,
    work_done_by_state=False,
)  # fmt: skip
CELL = RunCell(
    run_id="r", condition_id="c", task_id="1", user_id="u", factor_id="f", arm=Side.P,
    model_name="m", model_key="m", harness_name="H-D", harness_key="h", environment="env",
    replicate=1, submits_saved=True, delegation_offered=True,
)  # fmt: skip
FULL = dict.fromkeys(Channel, Observes.FULL)


def observed(requests: tuple[int | None, ...] = (), **changes: Any) -> ObservedRun:
    """A run with requests, each with the delegation that it was made in."""
    fields: dict[str, Any] = {
        "run_id": "r", "attempt": 1, "condition_id": "c", "task_id": "1", "user_id": "u",
        "assigned": (), "model_name": "m", "model_key": "m", "harness_name": "H-D",
        "harness_key": "h", "environment": "env", "replicate": 1, "delegation_offered": True,
        "observes": FULL, "drafts": (), "final": None, "end": END,
        "requests": tuple(
            ObservedRequest(
                request_no=no, seq=10 * no, tool="search", request="q",
                return_status=ReturnStatus.OK, parent=parent,
            )
            for no, parent in enumerate(requests, start=1)
        ),
    }  # fmt: skip
    return ObservedRun.model_validate({**fields, **changes})


def row(run: ObservedRun | None, cell: RunCell = CELL) -> dict[str, Any]:
    state = CellState("done", 1, END) if run else CellState("censored", 1, END)
    table = runs_table((cell,), {"r": state}, {"r": run} if run else {})
    assert tuple(table.columns) == RUNS
    found: dict[str, Any] = table.iloc[0].to_dict()
    return found


def test_requests_inside_delegations_are_requests() -> None:
    found = row(observed((None, 1, 1, None), delegations=2))
    assert (found["requests"], found["requests_delegated"], found["delegations"]) == (4, 2, 2)
    assert found["last_request_seq"] == 40
    assert (found["submits_saved"], found["delegation_offered"]) == (True, True)


def test_offered_is_known_of_runs_that_were_not_observed() -> None:
    found = row(None)
    assert (found["submits_saved"], found["delegation_offered"]) == (True, True)
    unseen = ("delegations", "requests", "requests_delegated", "last_request_seq")
    assert [found[name] for name in unseen] == [None] * 4
    assert {found[f"observes_{c}"] for c in "awf"} == {"none"}


def test_an_offer_is_a_fact_of_the_harness_or_of_the_run() -> None:
    bare = CELL.model_copy(update={"delegation_offered": False})
    assert row(observed(delegation_offered=False))["delegation_offered"] is True
    assert row(observed(), bare)["delegation_offered"] is True
    assert row(observed(delegation_offered=False), bare)["delegation_offered"] is False


def test_no_request_is_zero_and_no_last_one() -> None:
    found = row(observed())
    assert (found["requests"], found["last_request_seq"]) == (0, None)


@pytest.mark.parametrize("seen", [Observes.PARTIAL, Observes.NONE, None])
def test_requests_that_were_not_observed_are_not_zero(seen: Observes | None) -> None:
    observes = {Channel.FINALIZATION: Observes.FULL}
    found = row(observed(observes=observes | ({Channel.ACQUISITION: seen} if seen else {})))
    assert found["requests"] is None
    assert (found["observes_w"], found["observes_f"]) == ("none", "full")


def test_a_harness_for_development_says_so() -> None:
    assert row(None, CELL.model_copy(update={"development": True}))["development"] is True
    assert row(None)["development"] is False
