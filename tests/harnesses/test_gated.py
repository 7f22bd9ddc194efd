"""The loop under every gate: the end says which gate it was (DR-43; shared with StageIF)."""

from pathlib import Path

import pytest

from draligned.gates.reprompts import REPROMPT_LIMIT as REPROMPTS
from draligned.harnesses.registry import COUPLED
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import UserTurn
from draligned.schema.harness import GateName, HarnessSpec

from .doubles import World, call, says, script

SUBMIT = says(None, call("submit_report", "终稿", "s"))
SEARCH = says(None, call("search", "一", "a"))


def gated(gate: GateName) -> HarnessSpec:
    return COUPLED.model_copy(update={"gate": gate, "development_only": True})


@pytest.mark.parametrize(
    ("gate", "ended_by"),
    [("terminal_tool", EndedBy.TERMINAL_TOOL), ("typed_state", EndedBy.TYPED_STATE)],
)
async def test_an_accepted_submission_ends_at_once(
    tmp_path: Path, gate: GateName, ended_by: EndedBy
) -> None:
    end = await World(tmp_path, spec=gated(gate)).run(script(SEARCH, SUBMIT))
    assert end is not None
    assert (end.ended_by, end.outcome, end.work_done_by_state) == (
        ended_by,
        Outcome.SUBMITTED,
        True,
    )


async def test_a_runtime_owned_gate_speaks_until_the_state_is_done(tmp_path: Path) -> None:
    world = World(tmp_path, spec=gated("runtime_owned"))
    model = script(says("我想想"), says("还在想"), SUBMIT)
    end = await world.run(model)
    assert end is not None
    assert (end.ended_by, end.outcome) == (EndedBy.RUNTIME, Outcome.SUBMITTED)
    spoken = [b for b in world.bodies() if isinstance(b, UserTurn)]
    assert [(b.origin, b.number) for b in spoken] == [("gate", 1), ("gate", 2)]


async def test_re_prompts_come_to_an_end(tmp_path: Path) -> None:
    world = World(tmp_path, spec=gated("runtime_owned"))
    end = await world.run(script(*(says(f"想 {n}") for n in range(REPROMPTS + 1))))
    assert end is not None
    assert (end.ended_by, end.outcome, end.detail) == (
        EndedBy.RUNTIME,
        Outcome.LOOP_GUARD,
        "re-prompt limit",
    )


async def test_calls_between_re_prompts_start_the_count_again(tmp_path: Path) -> None:
    world = World(tmp_path, spec=gated("runtime_owned"))
    talk = [line for n in range(REPROMPTS + 2) for line in (says(f"想 {n}"), SEARCH)]
    end = await world.run(script(*talk, SUBMIT))
    assert end is not None
    assert end.outcome is Outcome.SUBMITTED
