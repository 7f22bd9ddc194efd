"""The player makes a story's calls where they are offered, and leaves contexts by speaking."""

from draligned.harnesses.conformance.player import (
    CLOSING,
    PASSING,
    QUESTION,
    Act,
    Busy,
    Player,
    Say,
    Turn,
)
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, ToolSpec


async def asked(player: Player, sequence: int, *tools: str) -> ChatReply:
    offered = tuple(ToolSpec(name=name, description="", parameters={}) for name in tools)
    key = CallKey(owner="x", attempt=1, sequence=sequence)
    return await player.complete(ChatRequest(key=key, messages=(), tools=offered))


def told(reply: ChatReply) -> str | list[str] | None:
    calls = [call.name for call in reply.message.tool_calls]
    return calls or reply.message.text


async def test_a_call_waits_until_its_tool_is_offered() -> None:
    player = Player([Turn((Act("write_report", {"content": "x"}),))])
    said = [
        told(await asked(player, 1)),
        told(await asked(player, 2, "search")),
        told(await asked(player, 3, "search", "write_report")),
        told(await asked(player, 4, "search", "write_report")),
    ]
    assert said == [QUESTION, PASSING, ["write_report"], CLOSING]


async def test_a_call_may_be_made_anywhere_and_words_carry_the_marker() -> None:
    player = Player([Turn((Act("nope"),), anywhere=True), Say("好")], marker="!")
    assert told(await asked(player, 1, "search")) == ["nope"]
    assert told(await asked(player, 2, "search")) == "好!"


async def test_the_same_call_number_is_answered_the_same() -> None:
    player = Player([Say("一"), Say("二")])
    first = await asked(player, 1, "search")
    assert await asked(player, 1, "search") == first
    again = Player([Say("三")], known=player.known)
    assert await asked(again, 1, "search") == first


async def test_a_busy_player_never_repeats_itself_and_names_no_number() -> None:
    player = Player([Busy()])
    turns = [await asked(player, n, "search", "write_report") for n in range(1, 40)]
    arguments = [call.arguments for turn in turns for call in turn.message.tool_calls]
    assert len(set(arguments)) == len(arguments) == 78
    assert not any(char.isdigit() for text in arguments for char in text)
