"""After the first message nothing differs between P and Q but what the model writes (DR-17)."""

import re
from pathlib import Path

from draligned.schema.chat import ChatRequest, ToolCall
from draligned.schema.labels import Side
from draligned.schema.retrieval import ReturnStatus

from .doubles import Pages, Scripted, World, budget, call, says, script

BROKEN = ToolCall(call_id="", name="nowhere", arguments="{")
SCRIPT = (
    says("一", call("search", "演讲", "a"), call("search", "bad", "a"), BROKEN),
    says(None, call("read", "https://a.example/1", "c"), call("write_report", "草稿 96 192")),
    says(None, call("write_report", ""), call("submit_report", "终稿 128000", "s")),
    says("完成"),
)


RUN_IDS = {Side.P: "a" * 16, Side.Q: "b" * 16}


async def requests_of(root: Path, side: Side) -> list[ChatRequest]:
    world = World(root / side, side=side, run_id=RUN_IDS[side])
    model: Scripted = script(*SCRIPT)
    pages = Pages(status_of=lambda q: ReturnStatus.ERROR if q == "bad" else ReturnStatus.OK)
    await world.run(model, pages)
    return model.requests


async def test_later_turns_are_byte_equal_across_arms(tmp_path: Path) -> None:
    p = await requests_of(tmp_path, Side.P)
    q = await requests_of(tmp_path, Side.Q)
    assert len(p) == len(q) == len(SCRIPT)
    for one, two in zip(p, q, strict=True):
        assert one.key.owner != two.key.owner
        assert one.messages[0] == two.messages[0]
        assert one.messages[1] != two.messages[1]
        assert [m.to_json() for m in one.messages[2:]] == [m.to_json() for m in two.messages[2:]]
        assert (one.tools, one.seed, one.max_output_tokens) == (
            two.tools,
            two.seed,
            two.max_output_tokens,
        )
    assert {m.role for m in p[-1].messages[2:]} == {"assistant", "tool"}


LIMITS = {"decisions": 83, "tools": 71, "acquisition": 67, "output_tokens": 8_111}


async def test_no_budget_number_reaches_the_agent(tmp_path: Path) -> None:
    world, model = World(tmp_path, spec=budget(**LIMITS)), script(*SCRIPT)
    await world.run(model)
    ours = [
        *(m.text or "" for r in model.requests for m in r.messages if m.role == "tool"),
        *(tool.to_json() for tool in model.requests[0].tools),
    ]
    numbers = {int(n) for text in ours for n in re.findall(r"\b\d+\b", text)}
    assert not numbers & {*LIMITS.values(), *(n - 1 for n in LIMITS.values())}
