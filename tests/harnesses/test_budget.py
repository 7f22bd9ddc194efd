"""The episode ledger: reservations are atomic, counters equal what was charged."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.budget import DECLARED_BELOW, EpisodeLedger
from draligned.schema.chat import StopReason, Usage
from draligned.schema.harness import EpisodeBudget


def usage(output: int, *, estimated: bool = False) -> Usage:
    return Usage(input_tokens=1, output_tokens=output, estimated=estimated)


def test_calls_that_fit_run_and_the_others_are_named() -> None:
    ledger = EpisodeLedger(EpisodeBudget(tools=3, acquisition=2))
    batch = [True, True, True, False, False]
    assert ledger.reserve(batch).denied == (None, None, "acquisition", None, "tools")


def test_what_is_held_is_not_offered_twice() -> None:
    ledger = EpisodeLedger(EpisodeBudget(acquisition=1))
    first = ledger.reserve([True])
    assert ledger.reserve([True]).denied == ("acquisition",)
    ledger.release(first)
    assert ledger.reserve([True]).denied == (None,)


async def test_parallel_callers_never_share_the_last_place() -> None:
    ledger = EpisodeLedger(EpisodeBudget(acquisition=5, tools=100))

    async def caller() -> int:
        admission = ledger.reserve([True])
        await asyncio.sleep(0)
        if admission.denied == (None,):
            ledger.charge(acquires=True)
        ledger.release(admission)
        return admission.denied.count(None)

    assert sum(await asyncio.gather(*(caller() for _ in range(20)))) == 5
    assert (ledger.acquisition, ledger.tools) == (5, 5)


@given(
    st.lists(st.lists(st.booleans(), max_size=6), max_size=12),
    st.integers(0, 8),
    st.integers(0, 8),
)
def test_no_sequence_of_batches_crosses_a_limit(
    batches: list[list[bool]], tools: int, acquisition: int
) -> None:
    ledger, admitted = EpisodeLedger(EpisodeBudget(tools=tools, acquisition=acquisition)), 0
    for batch in batches:
        admission = ledger.reserve(batch)
        assert len(admission.denied) == len(batch)
        for acquires, denied in zip(batch, admission.denied, strict=True):
            if denied is None:
                ledger.charge(acquires=acquires)
        ledger.release(admission)
        admitted += admission.denied.count(None)
        assert ledger.tools <= tools
        assert ledger.acquisition <= acquisition
    assert ledger.tools == admitted


def test_decisions_are_counted_by_answered_calls() -> None:
    ledger = EpisodeLedger(EpisodeBudget(decisions=2))
    ledger.charge_turn(usage(1))
    assert not ledger.no_decision_left
    ledger.charge_turn(usage(1, estimated=True))
    assert ledger.no_decision_left
    assert ledger.estimated


def test_the_cap_is_declared_only_when_near() -> None:
    ledger = EpisodeLedger(EpisodeBudget(output_tokens=DECLARED_BELOW + 1))
    assert ledger.declared_cap() is None
    ledger.charge_turn(usage(1))
    assert ledger.declared_cap() == DECLARED_BELOW
    ledger.charge_turn(usage(DECLARED_BELOW - 3))
    assert ledger.declared_cap() == 3


def crossed(output: int, stop: StopReason, *, limit: int = 100, estimated: bool = False) -> bool:
    ledger = EpisodeLedger(EpisodeBudget(output_tokens=limit))
    ledger.charge_turn(usage(output, estimated=estimated))
    return ledger.turn_crossed(usage(output, estimated=estimated), stop)


def test_our_cut_and_the_providers_cut_are_told_apart() -> None:
    assert crossed(100, StopReason.LENGTH)
    assert not crossed(60, StopReason.LENGTH)
    assert not crossed(100, StopReason.STOP)
    assert crossed(101, StopReason.TOOL_CALLS)
    assert not crossed(4096, StopReason.LENGTH, limit=128_000)
    assert crossed(60, StopReason.LENGTH, estimated=True)
    assert not crossed(4096, StopReason.LENGTH, limit=128_000, estimated=True)
