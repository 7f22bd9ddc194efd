"""initial: one scripted answer whatever the agent said; the saved draft is submitted (DR-24)."""

from pathlib import Path

import pytest

from draligned.harnesses.registry import INITIAL
from draligned.schema.base import sha256_text
from draligned.schema.chat import ChatReply, StopReason
from draligned.schema.endings import Outcome
from draligned.schema.events import AccessDenied, ToolRefused, UserTurn
from draligned.schema.labels import Side

from .doubles import SCRIPTED, World, call, made, says, script

WRITE = says(None, call("write_report", "稿"))
SUBMIT = says(None, made("submit_report"))


@pytest.mark.parametrize(
    "first", [says("你住在哪里？"), says(None), says("", call("search", "急着查", "a"))]
)
async def test_the_script_is_spoken_once_whatever_the_agent_said(
    tmp_path: Path, first: ChatReply
) -> None:
    world, model = World(tmp_path, spec=INITIAL), script(first, WRITE, SUBMIT, says("完"))
    end = await world.run(model)
    assert end is not None
    assert end.final_sha256 == sha256_text("稿")
    assert model.requests[0].tools == ()
    names = ["search", "read", "submit_report", "write_report"]
    assert [[t.name for t in r.tools] for r in model.requests[1:]] == [names] * 3
    users = [m.text for m in model.requests[-1].messages if m.role == "user"]
    assert users == list(SCRIPTED[Side.P])
    assert [b.text for b in world.bodies() if isinstance(b, UserTurn)] == [SCRIPTED[Side.P][1]]


async def test_calls_before_the_answer_are_denied(tmp_path: Path) -> None:
    world = World(tmp_path, spec=INITIAL)
    await world.run(script(says("", call("search", "急", "a")), WRITE, SUBMIT, says("完")))
    denied = [b for b in world.bodies() if isinstance(b, AccessDenied)]
    assert [(b.tool, b.lacks) for b in denied] == [("search", "tool")]


async def test_arms_differ_in_the_scripted_answer_alone(tmp_path: Path) -> None:
    seen = {}
    for side in Side:
        model = script(says("问？"), WRITE, SUBMIT, says("完"))
        await World(tmp_path / side, spec=INITIAL, side=side).run(model)
        seen[side] = model.requests[-1].messages
    different = [
        (p.text, q.text) for p, q in zip(seen[Side.P], seen[Side.Q], strict=True) if p != q
    ]
    assert different == [(SCRIPTED[Side.P][1], SCRIPTED[Side.Q][1])]


async def test_nothing_saved_cannot_be_submitted(tmp_path: Path) -> None:
    world, model = World(tmp_path, spec=INITIAL), script(says("问？"), SUBMIT, says(None))
    end = await world.run(model)
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.EMPTY_REPLY, None)
    assert [str(b.reason) for b in world.bodies() if isinstance(b, ToolRefused)] == [
        "nothing_saved"
    ]


async def test_the_version_saved_last_before_the_call_is_submitted(tmp_path: Path) -> None:
    world = World(tmp_path, spec=INITIAL)
    turn = says(None, call("write_report", "一"), made("submit_report"), call("write_report", "二"))
    end = await world.run(script(says("问？"), turn, says("完")))
    assert end is not None
    assert end.final_sha256 == sha256_text("一")


async def test_a_question_cut_by_the_provider_ends_the_episode(tmp_path: Path) -> None:
    end = await World(tmp_path, spec=INITIAL).run(script(says("你住", stop=StopReason.LENGTH)))
    assert end is not None
    assert end.outcome is Outcome.LENGTH_CUT
