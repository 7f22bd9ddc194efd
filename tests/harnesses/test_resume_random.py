"""Random episodes of every harness, cut at random bytes: the same log and end as without a cut."""

import shutil
from pathlib import Path
from random import Random

import pytest

from draligned.harnesses.registry import COUPLED, HARNESSES
from draligned.schema.chat import ChatReply, StopReason, ToolCall
from draligned.schema.endings import Outcome
from draligned.schema.harness import HarnessSpec

from .doubles import World, made, says, script
from .test_files import WITH_CODE
from .test_resume import killed_after, pages

GATED = {"gate": "runtime_owned", "development_only": True}
SPECS = (*HARNESSES.values(), WITH_CODE, COUPLED.model_copy(update=GATED))
BROKEN = ('{"query": "a', "[]", '{"query": 5}', "", "null", '{"path": "../x", "content": "y"}')
ENDS = ("终稿", "<think>x</think>答", None, " ", '{"name": "search", "arguments": {}}')
SAID = {
    "search": {"query": ("一", "bad", " ")},
    "read": {"url": ("一", "bad", "二")},
    "submit_report": {"content": ("终稿", "草稿")},
    "write_report": {"content": ("草稿", "草稿二", "终稿")},
    "list_files": {},
    "read_file": {"path": ("r.md", "n.md")},
    "write_file": {"path": ("r.md", "n.md", "a:b"), "content": ("一", "二一")},
    "edit_file": {"path": ("r.md",), "old": ("一",), "new": ("", "三一")},
    "submit_file": {"path": ("r.md", "n.md")},
    "delegate": {"task": ("查",)},
    "python": {"code": ("1", "die")},
    "no_such_tool": {},
}


def a_call(draw: Random, spec: HarnessSpec) -> ToolCall:
    """A call of a tool of the harness, or of none; sound or not."""
    name = draw.choice([*(n.replace("_saved", "") for n in spec.tool_order), "no_such_tool"])
    if draw.random() < 0.1:
        return ToolCall(call_id="", name=name, arguments=draw.choice(BROKEN))
    saved = name == "submit_report" and "submit_saved_report" in spec.tool_order
    args = {} if saved else {key: draw.choice(values) for key, values in SAID[name].items()}
    return made(name, draw.choice(("", "a", "b")), **args)


def a_turn(draw: Random, spec: HarnessSpec) -> ChatReply:
    """A turn of some calls, a closing reply, or a turn that was cut."""
    kind = draw.random()
    if kind < 0.06:
        return says(draw.choice(ENDS))
    if kind < 0.08:
        return says("半", stop=draw.choice((StopReason.LENGTH, StopReason.CONTENT_FILTER)))
    calls = [a_call(draw, spec) for _ in range(draw.choice((1, 1, 2, 3, 5)))]
    return says(draw.choice((None, "想")), *calls, tokens=draw.choice((5, 10, 200)))


def a_spec(draw: Random) -> HarnessSpec:
    """Any harness, with limits that may bind."""
    spec = draw.choice(SPECS)
    limits = {
        "decisions": draw.choice((3, 8, 96)),
        "tools": draw.choice((3, 10, 192)),
        "acquisition": draw.choice((1, 4, 96)),
        "output_tokens": draw.choice((60, 600, 128_000)),
    }
    return spec.model_copy(update={"budget": spec.budget.model_copy(update=limits)})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
async def test_a_random_episode_cut_anywhere_comes_to_the_same_end(
    tmp_path: Path, seed: int
) -> None:
    draw = Random(seed)
    spec = a_spec(draw)
    lines = [*(a_turn(draw, spec) for _ in range(14)), *[says("完")] * 100]
    whole, model = World(tmp_path / "whole", spec=spec), script(*lines)
    end = await whole.run(model, pages())
    assert end is not None
    assert end.outcome is not Outcome.HARNESS_ERROR
    asked = {request.key.sequence: request for request in model.requests}
    size = len(whole.store.path(whole.log).read_bytes())
    for cut in draw.sample(range(size + 1), 6):
        copy = killed_after(whole, tmp_path / str(cut), spec, cut)
        again = script(*lines)
        assert await copy.run(again, pages()) == end
        assert copy.bodies() == whole.bodies()
        assert all(request == asked[request.key.sequence] for request in again.requests)
        shutil.rmtree(copy.root)
