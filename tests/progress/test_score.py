"""One layer a reply: known answers, and properties over any text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.progress.prompts import marker, prompts
from draligned.progress.scenarios import load_scenarios
from draligned.progress.score import score
from draligned.progress.stimuli import stimulus
from draligned.schema.chat import ToolCall
from draligned.schema.progress import (
    Arm,
    Layer,
    Point,
    Position,
    ReplyStatus,
    StageReply,
    Stimulus,
)

SCENARIO = load_scenarios("main", "zh")[0]
CALL = ToolCall(call_id="c", name="notify_attendees", arguments="{}")


def at(point: Point, **options: Any) -> Stimulus:
    return stimulus(SCENARIO, point, lang="zh", **options)


def reply(asked: Stimulus, text: str | None, *calls: ToolCall, **other: Any) -> StageReply:
    position = Position(
        design="d", deployment="m", model_key="k", stimulus_id=asked.stimulus_id, repetition=1
    )
    status = other.pop("status", ReplyStatus.OK)
    return StageReply(position=position, status=status, text=text, tool_calls=calls, **other)


RIGHT, WRONG = "<stage>post_observation_continue</stage>", "<stage>completed</stage>"


@pytest.mark.parametrize(
    ("text", "calls", "layer"),
    [
        (f"已改期。\n{RIGHT}", (), Layer.CLEAN),
        (f"已改期。\r\n{RIGHT}\r\n\r\n", (), Layer.CLEAN),
        (f"已改期。\n{WRONG}", (), Layer.WRONG_VALUE),
        ("已改期。", (), Layer.OMISSION),
        ("", (), Layer.OMISSION),
        (None, (), Layer.OMISSION),
        (f"{RIGHT}\n已改期。", (), Layer.MALFORMED),
        (f"{RIGHT}\n{RIGHT}", (), Layer.MALFORMED),
        ("<stage>almost</stage>", (), Layer.MALFORMED),
        (f"```\n{RIGHT}\n```", (), Layer.MALFORMED),
        ('{"stage": "post_observation_continue"}', (), Layer.MALFORMED),
        (f"已改期。\n{RIGHT}", (CALL,), Layer.DIVERGENCE),
        (None, (CALL,), Layer.DIVERGENCE),
    ],
)
def test_layers_where_a_report_is_due(text: str | None, calls: Any, layer: Layer) -> None:
    asked = at(Point.STEP)
    found = score(asked, reply(asked, text, *calls))
    assert found.layer is layer
    assert found.called == bool(calls)
    assert found.false_completion == (text is not None and text.endswith(WRONG))


@pytest.mark.parametrize(
    ("text", "layer", "m"),
    [
        (None, Layer.CLEAN, True),
        (RIGHT, Layer.INTRUSION, True),
        ("<stage>x", Layer.INTRUSION, True),
    ],
)
def test_a_tool_call_turn_must_not_report(text: str | None, layer: Layer, m: bool) -> None:
    """SI-25, Q22: omega counts reports, whatever their form; the call is another indicator."""
    asked = at(Point.CALL)
    call = ToolCall(call_id="c", name="move_meeting", arguments="{}")
    found = score(asked, reply(asked, text, call))
    assert (found.layer, found.m, found.advanced) == (layer, m, True)
    spoken = score(asked, reply(asked, "好的"))
    assert (spoken.layer, spoken.m) == (Layer.CLEAN, False)


def test_what_cannot_be_scored_has_no_indicator() -> None:
    asked = at(Point.STEP)
    for status in (ReplyStatus.TRANSPORT, ReplyStatus.IDENTITY):
        found = score(asked, reply(asked, RIGHT, status=status))
        assert (found.layer, found.s, found.m, found.e) == (Layer.TRANSPORT, False, None, None)


def test_a_constant_is_right_where_it_is_required() -> None:
    asked = at(Point.STEP, arm=Arm.STATIC)
    assert score(asked, reply(asked, "好。\n<stage>active</stage>")).layer is Layer.CLEAN
    assert score(asked, reply(asked, f"好。\n{RIGHT}")).layer is Layer.MALFORMED


def test_other_duties() -> None:
    """SI-53, SI-54."""
    words = prompts("zh").sentences
    asked = at(Point.STEP, duty="status_sentence")
    assert score(asked, reply(asked, "已改期。" + words["unfinished"])).layer is Layer.CLEAN
    assert score(asked, reply(asked, "已改期。" + words["finished"])).layer is Layer.WRONG_VALUE
    assert score(asked, reply(asked, words["unfinished"] + "还有。")).layer is Layer.MALFORMED
    early = at(Point.STEP, duty="deferred_terminal")
    assert score(early, reply(early, "已改期。")).layer is Layer.CLEAN
    assert score(early, reply(early, "已改期。\n<sig>done</sig>")).layer is Layer.INTRUSION


pieces = st.sampled_from(
    [RIGHT, WRONG, "\n", "\r\n", " ", "```\n", "好", '{"stage": "completed"}', "<stage>", "\x00"]
)


@given(text=st.lists(pieces | st.text(max_size=6), max_size=8).map("".join))
@pytest.mark.parametrize("encoding", ["xml", "json"])
@pytest.mark.parametrize("point", [Point.STEP, Point.CALL, Point.DONE])
def test_every_text_has_one_layer_and_one_marker_at_most(
    text: str, encoding: Any, point: Point
) -> None:
    """SI-13: nothing crashes it; what it accepts is one marker, alone on the last line."""
    asked = at(point, encoding=encoding)
    found = score(asked, reply(asked, text))
    assert (found.layer is Layer.CLEAN) == (found.v if asked.required.duty else not found.e)
    if found.claimed is not None:
        lines = [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]
        shown = marker(found.claimed, encoding)
        assert lines[-1].replace(" ", "") == shown.replace(" ", "")
        assert sum(line.replace(" ", "") == shown.replace(" ", "") for line in lines) == 1
