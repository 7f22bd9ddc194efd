"""Starts, completions, failures and censored runs, from logs made by hand (DR-34 … DR-36, Q7)."""

from pathlib import Path

import pytest

from draligned.harnesses.attempts import next_attempt
from draligned.schema.chat import Message, StopReason, Usage
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.events import Ended, Event, ModelTurn, Opened, Seal
from draligned.schema.labels import Side
from draligned.store.local import LocalStore
from draligned.study.attempts import attempts_of, events_key, write_seal
from draligned.study.inventory import RunCell, cell_state
from draligned.study.log import EventLog
from draligned.study.status import BlockStatus, block_status, run_states


def cell(run_id: str, *, model: str = "m", harness: str = "coupled") -> RunCell:
    return RunCell(
        run_id=run_id, condition_id="c", task_id="1", user_id="u", factor_id="f", arm=Side.P,
        model_name=model, model_key=model, harness_name=harness, harness_key=harness,
        environment="env", replicate=1,
    )  # fmt: skip


OPENED = Opened(messages=(Message(role="user", text="Task"),))
SAID = ModelTurn(
    sequence=1, message=Message(role="assistant", text="well"), stop=StopReason.STOP,
    usage=Usage(input_tokens=1, output_tokens=1), requested_model="m", echoed_model="m",
)  # fmt: skip


class Logs:
    """A store in which attempts are written by hand."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root)

    def attempt(self, run: str, number: int, outcome: Outcome | None, *, output: bool) -> None:
        """One attempt; without an outcome it has not ended."""
        log = EventLog(self.store, events_key(run, number))
        log.append(OPENED, *([SAID] if output else []))
        if outcome is None:
            return
        end = EpisodeEnd(
            ended_by=EndedBy.PROVIDER, outcome=outcome, final_sha256=None, work_done_by_state=False
        )
        log.append(Ended(end=end))
        seal = Seal(
            run_id=run, attempt=number, n_events=log.n_events, last_sha256=log.last_sha256,
            end=end,
        )  # fmt: skip
        write_seal(self.store, seal)

    def events(self, run: str, number: int) -> list[Event]:
        return list(EventLog(self.store, events_key(run, number)).found)

    def block(self, *cells: RunCell) -> BlockStatus:
        (found,) = block_status(self.store, cells, run_states(self.store, cells))
        return found


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


def test_a_censored_second_attempt_is_the_analysed_one_and_a_third_never_starts(logs: Logs) -> None:
    logs.attempt("r", 1, Outcome.PROVIDER_ERROR, output=False)
    assert next_attempt(logs.store, "r") == 2
    logs.attempt("r", 2, Outcome.CENSORED, output=True)
    assert cell_state(logs.store, "r")[:2] == ("censored", 2)
    assert next_attempt(logs.store, "r") is None
    found = logs.block(cell("r"))
    assert (found.planned, found.started, found.censored, found.stored) == (1, 1, 1, 1)
    assert (found.done, found.failed, found.open) == (0, 0, 0)
    assert found.outcomes == {"censored": 1}


@pytest.mark.parametrize(
    ("first", "state"),
    [
        (Outcome.CENSORED, "censored"),
        (Outcome.PROVIDER_ERROR, "failed"),
        (Outcome.HARNESS_ERROR, "failed"),
        (Outcome.BUDGET_TOKENS, "done"),
        (Outcome.EMPTY_REPLY, "done"),
        (Outcome.SUBMITTED, "done"),
    ],
)
@pytest.mark.parametrize("later", [Outcome.SUBMITTED, Outcome.CENSORED, None])
def test_the_first_attempt_that_exists_is_analysed_whatever_came_later(
    logs: Logs, first: Outcome, state: str, later: Outcome | None
) -> None:
    """Nothing is chosen by outcome: a later attempt on disk, however good, is stored only."""
    logs.attempt("r", 1, first, output=True)
    logs.attempt("r", 2, later, output=True)
    assert cell_state(logs.store, "r")[:2] == (state, 1)
    assert next_attempt(logs.store, "r") is None
    found = logs.block(cell("r"))
    assert (found.started, found.stored, found.open) == (1, 1, 0)
    assert found.outcomes == {first.value: 1}


def test_starts_keep_every_run_that_was_begun(logs: Logs) -> None:
    logs.attempt("done", 1, Outcome.SUBMITTED, output=True)
    logs.attempt("censored", 1, Outcome.CENSORED, output=True)
    logs.attempt("failed", 1, Outcome.RATE_LIMITED, output=True)
    logs.attempt("going", 1, None, output=True)
    logs.attempt("waiting", 1, Outcome.PROVIDER_ERROR, output=False)
    for number in (1, 2, 3):
        logs.attempt("silent", number, Outcome.PROVIDER_ERROR, output=False)
    names = ("done", "censored", "failed", "going", "waiting", "silent", "never")
    found = logs.block(*(cell(name) for name in names))
    assert (found.planned, found.started) == (7, 6)
    assert (found.done, found.censored, found.failed, found.open) == (1, 1, 2, 3)
    assert found.stored == 1 + 2, "the waiting run's first, two of the silent one's"
    assert next_attempt(logs.store, "silent") is None
    assert next_attempt(logs.store, "waiting") == 2
    assert next_attempt(logs.store, "going") == 1


def test_blocks_are_told_apart_and_never_added(logs: Logs) -> None:
    logs.attempt("a", 1, Outcome.SUBMITTED, output=True)
    logs.attempt("b", 1, Outcome.CENSORED, output=True)
    cells = (cell("a"), cell("b", harness="H-W"), cell("c", model="n"))
    found = block_status(logs.store, cells, run_states(logs.store, cells))
    rows = [(b.model, b.harness, b.planned, b.started, b.done, b.censored) for b in found]
    assert rows == [
        ("m", "H-W", 1, 1, 0, 1), ("m", "coupled", 1, 1, 1, 0), ("n", "coupled", 1, 0, 0, 0),
    ]  # fmt: skip


def test_what_is_no_attempt_is_not_counted(logs: Logs) -> None:
    logs.attempt("r", 1, Outcome.SUBMITTED, output=True)
    for name in ("a01", "a0", "b2", "attempt", "a2.bak"):
        (logs.store.root / "runs" / "r" / name).mkdir()
    assert attempts_of(logs.store, "r") == [1]
    assert len(logs.events("r", 1)) == 3
