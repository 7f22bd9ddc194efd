"""Calls and usage of every bent shape, over every wire (HARD_CASES 1, 2, 9, 10)."""

import json
from typing import Any

import pytest

from draligned.models.turn import TurnKind, read_turn
from draligned.schema.chat import Message

from . import rawserver
from .doubles import request, tool
from .rawserver import WIRES, http, said, talking

pytestmark = pytest.mark.parametrize(("api", "stream"), WIRES)

HUGE = "i" * 10_000_000
IDS = {
    "same": ("c1", "c1"),
    "empty": ("", ""),
    "null": (None, None),
    "numbers": (7, 7),
    "object": ({"a": 1}, ["b"]),
    "path": ("../../etc/passwd", "../../etc/passwd\x00"),
    "huge": (HUGE, HUGE + "j"),
}


@pytest.mark.parametrize("name", IDS)
async def test_ids_of_calls(api: Any, stream: Any, name: str) -> None:
    calls = [(i, "search", '{"query": "a"}') for i in IDS[name]]
    answer = http(said(api, stream=stream, text=None, calls=calls))
    async with talking(answer, api=api, stream=stream) as (model, _, _):
        reply = await model.complete(request())
    turn = read_turn(reply, (tool("search", "query"),))
    assert len(turn.valid) == 2
    assert turn.kind is TurnKind.CALLS


DEEP = '{"query": ' * 5_000 + '"x"' + "}" * 5_000
NAMES = [
    None,
    "",
    "n" * 1_000_000,
    "sea\nrch",
    "search ",
    "Search",
    5,
    ["search"],
    {"a": 1},
    "\ud800",
]
ARGUMENTS = [
    None, "", "null", "[]", "3", '"a"', "true", "{}", '{"query": NaN}', '{"query": 1e999}',
    '{"query": "a", "query": "a"}', DEEP, '{"query": null}', '{"query": "a"', '{"query": "a"} x',
    [], ["a"], 3, 2.5, True, {}, {"query": 1}, '{"\\ud800": "a"}', "{'query': 'a'}", "\ufeff{}",
    '{"query": "' + "x" * 1_000_001 + '"}',
]  # fmt: skip


async def test_calls_that_are_none(api: Any, stream: Any) -> None:
    sound = ("ok", "search", '{"query": "a"}')
    odd = [("c", n, '{"query": "a"}') for n in NAMES] + [("c", "search", a) for a in ARGUMENTS]
    answers = [http(said(api, stream=stream, text=None, calls=[o, sound])) for o in odd]
    script = [a for answer in answers for a in (answer, answer)]
    async with talking(*script, api=api, stream=stream) as (model, server, _):
        for one in odd:
            reply = await model.complete(request())
            turn = read_turn(reply, (tool("search", "query"),))
            assert len(turn.invalid) == len(turn.valid) == 1, one[1:]
            assert turn.invalid[0].problem
            result = Message(role="tool", text="r", tool_call_id="c")
            await model.complete(request(reply.message, result))
            _history_can_be_read(server.asked[-1][2])


def _history_can_be_read(body: dict[str, Any]) -> None:
    """Names and arguments that any server takes back."""
    items = body.get("input") or [
        c["function"] for m in body["messages"] for c in m.get("tool_calls", ())
    ]
    for made in (i for i in items if "arguments" in i):
        assert isinstance(json.loads(made["arguments"]), dict)
        assert made["name"] in ("search", "unknown_tool", "Search")


async def test_an_argument_that_is_an_object(api: Any, stream: Any) -> None:
    calls = [("c", "search", {"query": "a"}), ("d", "search", '{"query": "b"}')]
    answer = http(said(api, stream=stream, text=None, calls=calls))
    async with talking(answer, api=api, stream=stream) as (model, _, _):
        turn = read_turn(await model.complete(request()), (tool("search", "query"),))
    assert [c.args for c in turn.valid] == [{"query": "a"}, {"query": "b"}]


USAGES: list[Any] = [
    None, "many", [], {}, {"prompt_tokens": -5, "completion_tokens": 3},
    {"prompt_tokens": 7.5, "completion_tokens": 3}, {"prompt_tokens": "7", "completion_tokens": 3},
    {"prompt_tokens": 7}, {"prompt_tokens": 10**18, "completion_tokens": 3},
    {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": True, "completion_tokens": 1},
    {"prompt_tokens": float("nan"), "completion_tokens": 1}, {"prompt_tokens": 1e300},
]  # fmt: skip


async def test_usage_that_is_none_is_estimated_and_says_so(
    api: Any, stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = []
    for usage in USAGES:
        monkeypatch.setattr(rawserver, "USAGE", usage)
        script.append(http(said(api, stream=stream, text="a")))
    async with talking(*script, api=api, stream=stream) as (model, _, ledger):
        for usage in USAGES:
            reply = await model.complete(request())
            assert reply.usage.estimated, usage
            assert 0 < reply.usage.input_tokens < 1_000
            assert ledger[-1].usage == reply.usage
