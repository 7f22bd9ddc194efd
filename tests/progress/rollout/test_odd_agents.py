"""Agents that answer in any way: every trajectory ends, as its arm allows, and folds to itself."""

from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.models.turn import read_turn
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.audit import rejections
from draligned.progress.rollout.frame import CAUSES, cause_of, spoken_frame, trajectory_frame
from draligned.progress.rollout.trajectory import after, begun, resumed, stepped
from draligned.schema.chat import ChatReply, Message, StopReason, ToolCall, Usage
from draligned.schema.rollout import RolloutStep
from tests.progress.rollout.acting import SCENARIO, cell_of, tag

GOOD = [(u.tool, u.args) for u in (SCENARIO.lookup, SCENARIO.check, SCENARIO.one, SCENARIO.two)]
CALLS = st.one_of(
    st.sampled_from([ToolCall(call_id="c", name=n, arguments=str(a).replace("'", '"'))
                     for n, a in GOOD]),
    st.builds(
        ToolCall, call_id=st.sampled_from(["", "c", "c", "\u202e"]),
        name=st.sampled_from(["", "finish_session", "nothing", SCENARIO.one.tool, "\x1b[31m"]),
        arguments=st.sampled_from(
            ["", "null", "[]", "{}", "{", "[" * 2_000, '{"a": NaN}', '{"a": 1, "a": 2}', '"x"',
             '{"meeting_id": "\\ud800"}', '{"meeting_id": "M-318", "new_start": {}}', "x" * 9_999]
        ),
    ),
)  # fmt: skip
TEXTS = st.sampled_from(
    [None, "", " \n", "\u200b", "好。", tag("completed"), tag("needs_information"),
     tag("nonsense"), tag("completed") * 2, "＜stage＞completed＜/stage＞",
     '{"stage": "completed"}', "<stage>" * 500, f"```\n{tag('completed')}\n```", "\x00\ufffd",
     "x" * 20_000]
)  # fmt: skip
REPLIES = st.builds(
    lambda text, calls, stop: ChatReply(
        message=Message(role="assistant", text=text, tool_calls=tuple(calls)), stop=stop,
        usage=Usage(input_tokens=1, output_tokens=1), requested_model="m-1", echoed_model="m-1",
        request_sha256="0" * 64,
    ),
    TEXTS, st.lists(CALLS, max_size=4), st.sampled_from(StopReason),
)  # fmt: skip


def steps_of(arm: str, replies: list[ChatReply]) -> tuple[RolloutStep, ...]:
    """A trajectory of an agent that gives its replies in turn, and again from the first."""
    cell, here = cell_of(arm)
    now, steps = begun(cell, here), list[RolloutStep]()
    while not now.ended:
        turn = read_turn(replies[len(steps) % len(replies)], now.world.tools)
        steps.append(stepped(now, turn))
        now = after(now, steps[-1])
    return tuple(steps)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(ARMS)), st.lists(REPLIES, min_size=1, max_size=6))
def test_whatever_an_agent_says_a_trajectory_ends_and_is_rebuilt_from_its_steps(
    arm: str, replies: list[ChatReply]
) -> None:
    steps = steps_of(arm, replies)
    cell, here = cell_of(arm)
    last = steps[-1]
    assert len(steps) <= ARMS[arm].cap
    assert last.outcome in ARMS[arm].possible
    assert (last.outcome == "ok") == last.done
    assert (cause_of(last) is None) == (last.outcome not in CAUSES)
    read_back = tuple(RolloutStep.from_json(step.to_json()) for step in steps)
    assert read_back == steps
    for end in range(len(steps)):
        now = resumed(cell, here, read_back[:end])
        assert stepped(now, read_turn(replies[end % len(replies)], here.tools)) == steps[end]
    assert len(trajectory_frame([steps])) == 1
    spoken = sum(not step.calls for step in steps) if ARMS[arm].reports else 0
    assert len(spoken_frame([steps])) == spoken
    refused = sum(call.refused is not None for step in steps for call in step.calls)
    assert len(rejections([steps], {cell.trajectory_id: (cell, here)})) == refused
