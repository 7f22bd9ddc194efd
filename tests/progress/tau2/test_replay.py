"""The truth at each checkpoint, on a small stand-in for the benchmark."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.progress.tau2.benchmark import Graded, ReplayMismatch, hashes, mutates
from draligned.progress.tau2.replay import checkpoints, replay
from draligned.schema.tau2 import State, TauCall, TauMessage, Truth
from tests.progress.tau2 import toy
from tests.progress.tau2.made import Played, says

TOGGLE, PAY = ("user", "toggle_airplane_mode", {}), ("assistant", "pay", {})
LOOK, TRANSFER = (
    ("user", "check_status_bar", {}), ("assistant", "transfer_to_human_agents", {"summary": "s"}),
)  # fmt: skip
Calls = Sequence[tuple[str, str, Mapping[str, Any]]]


def graded(task: toy.Task, domain: str = toy.PHONE) -> Graded:
    return toy.benchmark().graded(domain, toy.embedded(task)[0])


def played(task: Graded, *turns: Calls) -> list[TauMessage]:
    """A conversation: before and after each turn of calls the agent says something."""
    talk = Played(task)
    talk.say("Hello.")
    for calls in turns:
        talk.call(*calls)
        talk.say("And now?")
    return [TauMessage.model_validate(m) for m in talk.messages]


def truths(task: Graded, *turns: Calls) -> list[Truth]:
    return replay(task, played(task, *turns))


def states(found: Sequence[Truth]) -> list[State]:
    return [t.state for t in found]


def test_a_repair_goes_through_all_states() -> None:
    found = truths(graded(toy.REPAIR), [LOOK], [TOGGLE], [PAY])
    assert states(found) == ["before_acting", "before_acting", "mid_task", "completed"]


def test_an_undone_change_still_counts_and_the_other_reading_stands_beside_it() -> None:
    found = truths(graded(toy.REPAIR), [TOGGLE], [TOGGLE])
    assert states(found) == ["before_acting", "mid_task", "mid_task"]
    assert [t.unlatched for t in found] == ["before_acting", "mid_task", "before_acting"]
    unseen = truths(graded(toy.REPAIR), [TOGGLE, TOGGLE])
    assert states(unseen) == ["before_acting", "before_acting"]


def test_a_hand_off_is_done_by_the_transfer_alone() -> None:
    """Its assertion holds from the start, and the transfer changes no database (SI-71)."""
    task = graded(toy.HAND_OFF)
    assert task.hand_off
    assert not task.degenerate
    found = truths(task, [LOOK], [TRANSFER])
    assert states(found) == ["before_acting", "before_acting", "completed"]
    assert not found[-1].changed
    assert states(truths(task, [PAY], [TOGGLE], [TRANSFER]))[-1] == "mid_task"


def test_a_transfer_does_not_repair() -> None:
    assert states(truths(graded(toy.REPAIR), [TRANSFER])) == ["before_acting", "before_acting"]


def test_who_looked_after_the_last_change() -> None:
    found = truths(graded(toy.REPAIR), [LOOK, TOGGLE, PAY], [LOOK], [("assistant", "lookup", {})])
    assert [t.verified for t in found] == [False, False, True, True]


def test_the_shop_is_done_by_its_database_and_can_be_undone() -> None:
    task = graded(toy.EXCHANGE, toy.SHOP)
    other, right = ("assistant", "exchange", {"to": "b"}), ("assistant", "exchange", {"to": "new"})
    found = truths(task, [other], [right], [other])
    assert states(found) == ["before_acting", "mid_task", "completed", "mid_task"]
    assert {t.verified for t in found} == {None}


def test_a_task_that_asks_for_no_change_is_done_from_the_start() -> None:
    task = graded(toy.NOTHING, toy.SHOP)
    assert task.degenerate
    assert states(truths(task)) == ["completed"]
    assert not graded(toy.EXCHANGE, toy.SHOP).degenerate


def test_a_call_that_answers_otherwise_is_a_mismatch() -> None:
    task = graded(toy.REPAIR)
    messages = played(task, [PAY])
    place = next(i for i, m in enumerate(messages) if m.role == "tool")
    messages[place] = messages[place].model_copy(update={"content": "Error: no"})
    with pytest.raises(ReplayMismatch) as caught:
        replay(task, messages)
    assert caught.value.index == place
    spaced = messages[place].model_copy(update={"content": '{ "paid":true }'})
    messages[place] = spaced
    replay(task, messages)


def test_a_call_whose_answer_is_not_recorded_is_a_mismatch() -> None:
    """Nothing shows that it did then what it does now."""
    task = graded(toy.REPAIR)
    messages = played(task, [LOOK], [PAY])
    places = [i for i, m in enumerate(messages) if m.role == "tool"]
    assert len(replay(task, messages[: places[0]] + messages[places[0] + 1 :])) == 3
    with pytest.raises(ReplayMismatch, match="no recorded answer") as caught:
        replay(task, messages[: places[1]] + messages[places[1] + 1 :])
    assert caught.value.index == places[1]


def test_answers_without_ids_are_paired_in_order() -> None:
    task = graded(toy.REPAIR)
    messages = [
        m.model_copy(update={
            "id": None,
            "tool_calls": m.tool_calls and tuple(
                c.model_copy(update={"id": ""}) for c in m.tool_calls
            ),
        })
        for m in played(task, [LOOK, TOGGLE, LOOK], [PAY])
    ]  # fmt: skip
    assert states(replay(task, messages)) == ["before_acting", "mid_task", "completed"]


def test_only_the_customer_looks_at_the_phone() -> None:
    agent = ("assistant", "check_status_bar", {})
    found = truths(graded(toy.REPAIR), [TOGGLE, PAY], [agent], [LOOK])
    assert [t.verified for t in found] == [False, False, False, True]


def test_answers_of_parallel_calls_are_paired_by_id() -> None:
    task = graded(toy.REPAIR)
    messages = played(task, [TOGGLE, ("user", "check_status_bar", {}), TOGGLE])
    place = next(i for i, m in enumerate(messages) if m.role == "tool")
    messages[place : place + 3] = reversed(messages[place : place + 3])
    assert states(replay(task, messages)) == ["before_acting", "before_acting"]


def test_which_messages_carry_the_duty() -> None:
    call = {"id": "1", "name": "lookup", "arguments": {}}
    raw = [
        says("Hi! How can I help you today?"), says("Help.", "user"), says("Of course."),
        says("Let me look.", tool_calls=[call]), {"role": "tool", "id": "1", "content": "x"},
        says("   "), says("Here."), {"role": "system", "content": "x"},
    ]  # fmt: skip
    assert checkpoints([TauMessage.model_validate(m) for m in raw]) == [2, 6]


def test_a_run_may_end_between_a_call_and_its_answer() -> None:
    task = graded(toy.REPAIR)
    messages = played(task, [TOGGLE], [PAY])
    end = max(i for i, m in enumerate(messages) if m.role == "tool")
    assert states(replay(task, messages[:end])) == ["before_acting", "mid_task"]


def test_a_tool_that_is_not_there_changes_nothing() -> None:
    found = truths(graded(toy.REPAIR), [("assistant", "toggle_airplane_mode", {})])
    assert states(found) == ["before_acting", "before_acting"]


def from_scratch(task: Graded, messages: Sequence[TauMessage]) -> list[tuple[bool, bool, bool]]:
    """(changed, ever changed, done) at every checkpoint, with a fresh environment for each."""
    out, ever = [], False
    for place in checkpoints(messages):
        environment = task.fresh()
        start = hashes(environment)
        calls = [c for m in messages[:place] for c in m.tool_calls or ()]
        for call in calls:
            if mutates(environment, call):
                environment.get_response(task.benchmark.call(call))
        now = hashes(environment)
        ever = ever or now != start
        known = [task.benchmark.call(c) for c in calls]
        out.append((now != start, ever, task.done(environment, known, now)))
    return out


PHONE_CALLS = st.sampled_from([TOGGLE, PAY, LOOK, TRANSFER, ("assistant", "nothing", {})])
SHOP_CALLS = st.sampled_from(
    [("assistant", "exchange", {"to": to}) for to in ("new", "old", "b")]
    + [("assistant", "lookup", {})]
)


def turns(calls: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Turns of one to three calls of one side."""
    sided = st.lists(calls, min_size=1, max_size=3).map(
        lambda made: [c for c in made if c[0] == made[0][0]]
    )
    return st.lists(sided, max_size=7)


@settings(deadline=None)
@given(turns(PHONE_CALLS), st.sampled_from([toy.REPAIR, toy.HAND_OFF]))
def test_one_pass_agrees_with_a_fresh_environment_for_each_prefix(
    made: list[Calls], task: toy.Task
) -> None:
    known = graded(task)
    messages = played(known, *made)
    found = [(t.changed, t.ever_changed, t.done) for t in replay(known, messages)]
    assert found == from_scratch(known, messages)


@settings(deadline=None)
@given(turns(SHOP_CALLS), st.sampled_from([toy.EXCHANGE, toy.NOTHING]))
def test_one_pass_agrees_in_the_shop(made: list[Calls], task: toy.Task) -> None:
    known = graded(task, toy.SHOP)
    messages = played(known, *made)
    found = [(t.changed, t.ever_changed, t.done) for t in replay(known, messages)]
    assert found == from_scratch(known, messages)


def test_calls_keep_their_requestor() -> None:
    call = TauCall(name="toggle_airplane_mode", requestor="user")
    assert mutates(graded(toy.REPAIR).fresh(), call)
    assert not mutates(
        graded(toy.REPAIR).fresh(), call.model_copy(update={"requestor": "assistant"})
    )


def test_answers_to_calls_with_one_id_are_compared_in_order() -> None:
    task = graded(toy.REPAIR)
    messages = [
        m.model_copy(update={
            "id": m.id and "same",
            "tool_calls": m.tool_calls and tuple(
                c.model_copy(update={"id": "same"}) for c in m.tool_calls
            ),
        })
        for m in played(task, [TOGGLE, TOGGLE])
    ]  # fmt: skip
    assert len(replay(task, messages)) == 2
