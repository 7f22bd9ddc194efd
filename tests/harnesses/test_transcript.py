"""The fold: call ids, request hashes, and texts of every kind."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.harnesses.registry import COUPLED
from draligned.harnesses.transcript import EpisodeState
from draligned.models.parse import parse_reply
from draligned.schema.chat import ChatReply, Message, ToolCall
from draligned.schema.endings import Outcome
from draligned.schema.errors import DamageError
from draligned.schema.events import DraftSaved, ModelTurn, Opened, ToolCallInvalid, ToolResult
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

from .doubles import World, call, says, script


def state(root: Path) -> EpisodeState:
    return EpisodeState(COUPLED, Blobs(LocalStore(root)))


def turn(message: Message, sequence: int) -> ModelTurn:
    reply = says("x")
    return ModelTurn(
        sequence=sequence,
        message=message,
        stop=reply.stop,
        usage=reply.usage,
        requested_model="m",
        echoed_model=None,
    )


ID_SAMPLES = ["", "a", "编号", "a\n", "x" * 40_000, "call_0", "c00010000", "c00010001"]
ids = st.lists(st.sampled_from(ID_SAMPLES), max_size=6)


@given(st.lists(ids, max_size=4))
def test_every_call_of_an_episode_gets_an_id_of_its_own(turns: list[list[str]]) -> None:
    fold = state(Path("unused"))
    seen: list[str] = []
    for sequence, names in enumerate(turns, start=1):
        calls = tuple(ToolCall(call_id=i, name="search", arguments="{}") for i in names)
        message = fold.with_new_ids(Message(role="assistant", tool_calls=calls), sequence)
        assert [c.arguments for c in message.tool_calls] == [c.arguments for c in calls]
        fold.apply(turn(message, sequence))
        seen += [c.call_id for c in message.tool_calls]
    assert "" not in seen
    assert len(set(seen)) == len(seen)


def test_ids_that_are_good_stay_as_they_are(tmp_path: Path) -> None:
    message = Message(role="assistant", tool_calls=(call("search", "q", "mine"),))
    assert state(tmp_path).with_new_ids(message, 1) is message


async def test_results_name_calls_whose_ids_were_empty_or_repeated(tmp_path: Path) -> None:
    same = says(None, call("search", "一", "x"), call("search", "二", "x"), call("search", "三"))
    model = script(same, same, says("完"))
    await World(tmp_path).run(model)
    messages = model.requests[-1].messages
    asked = [c.call_id for m in messages for c in m.tool_calls]
    assert [m.tool_call_id for m in messages if m.role == "tool"] == asked
    assert len(set(asked)) == 6
    assert asked[0] == "x"
    assert all(len(i) == 9 and i.isalnum() for i in asked[1:])


def test_request_hashes_depend_on_every_message_and_on_settings(tmp_path: Path) -> None:
    one, two = state(tmp_path), state(tmp_path)
    for fold, text in ((one, "甲"), (two, "乙")):
        fold.apply(Opened(messages=(Message(role="user", text=text),)))
    assert one.top.request_sha256("s") == one.top.request_sha256("s")
    assert (
        len({one.top.request_sha256("s"), one.top.request_sha256("t"), two.top.request_sha256("s")})
        == 3
    )


def test_a_result_without_a_turn_is_damage(tmp_path: Path) -> None:
    result = ToolResult(sequence=1, call_index=0, call_id="a", text_sha256="0" * 64)
    with pytest.raises(DamageError, match="belongs to no turn"):
        state(tmp_path).apply(result)


def provider(content: object, arguments: str | None = None) -> ChatReply:
    """A reply as the client reads it from a provider's bytes."""
    message: dict[str, object] = {"role": "assistant", "content": content}
    if arguments is not None:
        function = {"name": "write_report", "arguments": arguments}
        message["tool_calls"] = [{"id": "w", "type": "function", "function": function}]
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    return parse_reply(
        json.dumps(body).encode(), requested_model="m", request_tokens=0, request_sha256="0" * 64
    )


async def test_text_in_parts_and_lone_halves_of_characters(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "不给人看"},
        {"type": "text", "text": "你好"},
        {"type": "text", "text": " ok \ud835"},
    ]
    family, cocktail = "👨\u200d👩\u200d👧", "\\ud83c\\udf78"
    arguments = '{"content": "' + family + cocktail + ' \\ud835 \\u0000"}'
    world = World(tmp_path)
    end = await world.run(script(provider(None, arguments), provider(parts)))
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY
    blobs = Blobs(world.store)
    assert blobs.get(str(end.final_sha256)) == "你好 ok \ufffd"
    saved = [b for b in world.bodies() if isinstance(b, DraftSaved)]
    assert blobs.get(saved[0].text_sha256) == f"{family}🍸 \ufffd \ufffd"


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=40))
async def test_no_arguments_whatever_break_an_episode(arguments: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        end = await world.run(script(provider("x", arguments), says("完")))
        assert end is not None
        assert end.outcome is Outcome.TEXT_REPLY
        assert isinstance(world.bodies()[3], ToolCallInvalid)
