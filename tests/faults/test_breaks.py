"""Each invariant broken on purpose in the product: the checks must notice, and say what."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draligned.harnesses import episode
from draligned.harnesses.budget import EpisodeLedger
from draligned.harnesses.desk import Desk
from draligned.harnesses.endings import Stop
from draligned.harnesses.sandbox.find import available
from draligned.harnesses.transcript import EpisodeState
from draligned.models import client
from draligned.models.transport import Transport
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import DraftSaved, Submitted
from draligned.study import inventory
from draligned.study.ledger import Ledger
from draligned.study.log import EventLog

from .test_continued import compare
from .test_episodes import run

Patch = pytest.MonkeyPatch


def every(number: int) -> Callable[[], bool]:
    """True at every n-th call."""
    calls = [0]

    def now() -> bool:
        calls[0] += 1
        return calls[0] % number == 0

    return now


EPISODES = 140
"""Enough for the rarest weather to come: with half as many, one run of six told no key."""


def drop_results(patch: Patch) -> None:
    """Every ninth result is shown to the agent and not logged."""
    append, lost = EventLog.append, every(9)

    def without(log: EventLog, *bodies: Any) -> None:
        append(log, *(b for b in bodies if b.kind != "tool_result" or not lost()))

    patch.setattr(EventLog, "append", without)


def promote_drafts(patch: Patch) -> None:
    """A draft stands in for a submission."""
    fold = EpisodeState._outcome

    def promoting(state: EpisodeState, body: Any) -> None:
        fold(state, body)
        if isinstance(body, DraftSaved) and state.submission is None:
            state.submission = Submitted(
                sequence=body.sequence, call_index=body.call_index,
                text_sha256=body.text_sha256, chars=body.chars,
            )  # fmt: skip

    patch.setattr(EpisodeState, "_outcome", promoting)


def charge_the_network(patch: Patch) -> None:
    """What the network broke is charged to the agent."""
    patch.setattr(EpisodeLedger, "refund_request", lambda _: None)


def ignore_a_batch(patch: Patch) -> None:
    """Every call of a batch is admitted while one place is left."""
    hold = EpisodeLedger._hold

    def generous(ledger: EpisodeLedger, acquires: bool) -> Any:
        held = ledger._held_tools, ledger._held_acquisition
        ledger._held_tools = ledger._held_acquisition = 0
        verdict = hold(ledger, acquires)
        ledger._held_tools += held[0]
        ledger._held_acquisition += held[1]
        return verdict

    patch.setattr(EpisodeLedger, "_hold", generous)


def keep_call_ids(patch: Patch) -> None:
    """Ids go on as the provider gave them."""
    patch.setattr(EpisodeState, "with_new_ids", lambda _, message, __: message)


def choose_by_outcome(patch: Patch) -> None:
    """A failed attempt is run again although a model had answered in it."""
    patch.setattr(inventory, "attempt_exists", lambda *_: False)


def forget_tries(patch: Patch) -> None:
    """Every thirtieth try is not entered."""
    record, lost = Ledger.record, every(30)
    patch.setattr(Ledger, "record", lambda ledger, a: None if lost() else record(ledger, a))


def leave_half_records(patch: Patch) -> None:
    """What a full disk took of a record stays."""
    patch.setattr(os, "ftruncate", lambda *_: None)


def tell_the_key(patch: Patch) -> None:
    """Nobody takes the key out."""
    patch.setattr(Transport, "redact", lambda _, text: text)
    patch.setattr(Transport, "redact_reply", lambda _, reply: reply)


def censor_failures(patch: Patch) -> None:
    """Every failure of a provider censors the run."""
    stop = Stop(EndedBy.PROVIDER, Outcome.CENSORED)
    patch.setattr(episode, "stop_of_failure", lambda *_, **__: stop)


def ask_twice(patch: Patch) -> None:
    """A request is sent twice and entered once."""
    post = Transport.post

    async def twice(transport: Transport, path: str, body: bytes, assembler: Any) -> Any:
        await post(transport, path, body, type(assembler)())
        return await post(transport, path, body, assembler)

    patch.setattr(client.Transport, "post", twice)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "noticed"),
    [
        (drop_results, "a call has no result"),
        (promote_drafts, "the final is no delivered text"),
        (charge_the_network, "the harness counts otherwise|wrong calls denied"),
        (ignore_a_batch, "over the budget|wrong calls denied"),
        (keep_call_ids, "has no id|share an id|ids are empty or repeated"),
        (choose_by_outcome, "with output was made again"),
        (forget_tries, "are in the ledger|no try in the ledger"),
        (leave_half_records, "torn|half a record|Expecting|Extra data"),
        (tell_the_key, "tells the key"),
        (censor_failures, "is not what happened"),
        (ask_twice, "are in the ledger"),
    ],
)  # fmt: skip
async def test_the_checks_notice(
    broken: Callable[[Patch], None], noticed: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    broken(monkeypatch)
    with pytest.raises((AssertionError, ValueError), match=noticed):
        await run(tmp_path, EPISODES, monkeypatch, sandbox=False)


@pytest.mark.slow
async def test_forgotten_files_change_the_story(tmp_path: Path, monkeypatch: Patch) -> None:
    """The sandbox of a continued episode begins empty."""
    if not available():
        pytest.skip("no sandbox works here, so no harness with files is run")
    begin = Desk.__init__
    monkeypatch.setattr(Desk, "__init__", lambda desk, b, _, o: begin(desk, b, {}, o))
    with pytest.raises(AssertionError, match=r", event \d+: "):
        await compare(112, tmp_path, monkeypatch)
