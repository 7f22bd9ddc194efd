"""Handoff cells: a fresh context a stage, and only what it may read (DR-20, DR-26)."""

from pathlib import Path

import pytest

from draligned.harnesses.registry import HARNESSES
from draligned.schema.base import sha256_text
from draligned.schema.chat import ChatRequest
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import AccessDenied, HandedOver

from .doubles import World, call, made, says, script

SEARCH = says(None, call("search", "演讲", "a"))
NOTES = says("资料：俱乐部在周末")
WRITE = says(None, call("write_report", "草稿", "w"))
SUBMIT = says(None, call("submit_report", "终稿", "s"))


def tools(requests: list[ChatRequest]) -> list[list[str]]:
    return [[t.name for t in r.tools] for r in requests]


async def test_notes_are_handed_from_acquisition_to_the_rest(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-aw"])
    model = script(SEARCH, NOTES, WRITE, SUBMIT, says("完"))
    end = await world.run(model)
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.SUBMITTED, sha256_text("终稿"))
    early, late = ["search", "read"], ["submit_report", "write_report"]
    assert tools(model.requests) == [early, early, late, late, late]
    opened = model.requests[2].messages
    assert [m.role for m in opened] == ["system", "user"]
    user = opened[1].text or ""
    assert user.startswith("上一阶段的材料：\n资料：俱乐部在周末\n\n任务：")
    assert user.endswith("常住地是杭州。")
    over = [b for b in world.bodies() if isinstance(b, HandedOver)]
    assert [(b.to, b.source) for b in over] == [("workspace+finalization", "reply")]


async def test_the_last_draft_is_handed_to_finalization(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-wf"])
    model = script(SEARCH, WRITE, says("写好了"), says("这是终稿"))
    end = await world.run(model)
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.TEXT_REPLY, sha256_text("这是终稿"))
    assert (model.requests[3].messages[1].text or "").startswith("上一阶段的材料：\n草稿\n\n")
    assert tools(model.requests)[3] == ["submit_report"]
    over = [b for b in world.bodies() if isinstance(b, HandedOver)]
    assert [(b.to, b.source) for b in over] == [("finalization", "draft")]


async def test_three_stages_where_both_boundaries_are_handoffs(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-both"])
    model = script(SEARCH, NOTES, WRITE, says("好了"), SUBMIT, says("完"))
    end = await world.run(model)
    assert end is not None
    assert end.outcome is Outcome.SUBMITTED
    over = [b for b in world.bodies() if isinstance(b, HandedOver)]
    assert [b.to for b in over] == ["workspace", "finalization"]
    systems = [m.text or "" for r in model.requests for m in r.messages[:1]]
    assert ["本阶段" in s for s in systems] == [True] * 4 + [False] * 2


async def test_a_handed_draft_is_no_final(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-wf"])
    end = await world.run(script(WRITE, says("好"), says(None)))
    assert end is not None
    assert (end.outcome, end.final_sha256) == (Outcome.EMPTY_REPLY, None)


async def test_a_stage_with_nothing_to_hand_over_ends_the_episode(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-aw"])
    end = await world.run(script(SEARCH, says(None)))
    assert end is not None
    assert (end.ended_by, end.outcome) == (EndedBy.NO_TOOL_CALL, Outcome.EMPTY_REPLY)


async def test_tools_of_another_stage_are_denied(tmp_path: Path) -> None:
    world = World(tmp_path, spec=HARNESSES["handoff-aw"])
    model = script(says(None, call("write_report", "早了", "w")), NOTES, says("终稿"))
    await world.run(model)
    denied = [b for b in world.bodies() if isinstance(b, AccessDenied)]
    assert [(b.tool, b.context, b.lacks) for b in denied] == [
        ("write_report", "acquisition", "tool")
    ]


@pytest.mark.parametrize(
    ("reads", "head"),
    [
        (("user_message",), "任务："),
        (("user_message", "results"), "上一阶段的材料："),
        (("results",), "上一阶段的材料："),
    ],
)
async def test_a_stage_reads_what_its_mechanisms_may(
    tmp_path: Path, reads: tuple[str, ...], head: str
) -> None:
    access = {"acquisition": ("user_message", "results"), "workspace": reads}
    spec = HARNESSES["handoff-aw"].model_copy(update={"access": access})
    model = script(NOTES, says("终稿"))
    await World(tmp_path, spec=spec).run(model)
    user = model.requests[1].messages[1].text or ""
    assert user.startswith(head)
    assert ("杭州" in user) is ("user_message" in reads)
    assert ("俱乐部" in user) is ("results" in reads)


async def test_a_call_that_reads_what_its_context_may_not_is_denied(tmp_path: Path) -> None:
    h_w = HARNESSES["H-W"]
    access = {"acquisition": ("user_message", "results")}
    world = World(tmp_path, spec=h_w.model_copy(update={"access": access}))
    turn = says(None, made("write_file", path="a", content="x"), made("read_file", path="a"))
    await world.run(script(turn, says("答案")))
    denied = [b for b in world.bodies() if isinstance(b, AccessDenied)]
    assert [(b.tool, b.lacks) for b in denied] == [("read_file", "drafts")]
