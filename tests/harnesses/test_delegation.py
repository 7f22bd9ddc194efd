"""Delegation: offered is not used; a sub-context searches, reads and answers (DR-25)."""

from pathlib import Path

from draligned.harnesses.registry import H_D
from draligned.harnesses.stages import DELEGATION
from draligned.harnesses.texts import FRAMES, RECEIPTS
from draligned.schema.chat import StopReason
from draligned.schema.endings import Outcome
from draligned.schema.events import (
    AccessDenied,
    BudgetDenied,
    DelegationClosed,
    DelegationOpened,
    RequestExecuted,
    ToolResult,
)
from draligned.schema.harness import HarnessSpec
from draligned.schema.retrieval import ReturnStatus

from .doubles import Pages, Scripted, World, call, made, says, script

DELEGATE = made("delegate", "d", task="查一查演讲俱乐部")
SAVE = made("write_file", "w", path="r.md", content="终稿")
SUBMIT_CALL = made("submit_file", "s", path="r.md")
SUBMIT = says(None, SUBMIT_CALL)


async def told(root: Path, *lines: object, spec: HarnessSpec = H_D) -> tuple[World, Scripted]:
    world, model = World(root, spec=spec), script(*lines)  # type: ignore[arg-type]
    end = await world.run(model)
    assert end is not None
    assert end.outcome is Outcome.SUBMITTED
    return world, model


async def test_the_answer_of_a_sub_context_is_the_result_of_the_call(tmp_path: Path) -> None:
    world, model = await told(
        tmp_path,
        says(None, call("search", "一", "a"), DELEGATE),
        says("想", call("search", "二", "b"), call("read", "三", "c")),
        says("俱乐部在周末活动"),
        says(None, SAVE),
        SUBMIT,
        says("完"),
    )
    inner = model.requests[1]
    assert [t.name for t in inner.tools] == ["search", "read"]
    assert [m.role for m in inner.messages] == ["system", "user"]
    assert inner.messages[0].text == FRAMES["zh"].delegation
    assert inner.messages[1].text == "子任务：\n查一查演讲俱乐部"
    outer = model.requests[3].messages
    assert [m.role for m in outer[2:]] == ["assistant", "tool", "tool"]
    assert outer[-1].text == "俱乐部在周末活动"
    assert outer[-1].tool_call_id == "d"
    executed = [b for b in world.bodies() if isinstance(b, RequestExecuted)]
    assert [(b.request_no, b.parent) for b in executed] == [(1, None), (2, 1), (3, 1)]


async def test_nothing_of_the_user_reaches_a_sub_context_unless_it_may(tmp_path: Path) -> None:
    lines = (says(None, DELEGATE), says("好"), says(None, SAVE), SUBMIT, says("完"))
    _, model = await told(tmp_path / "closed", *lines)
    assert "杭州" not in str(model.requests[1].messages)
    access = {**H_D.access, DELEGATION: ("results", "user_message")}
    _, model = await told(tmp_path / "open", *lines, spec=H_D.model_copy(update={"access": access}))
    assert (model.requests[1].messages[1].text or "").endswith("常住地是杭州。")


async def test_two_delegations_of_one_turn_run_one_after_the_other(tmp_path: Path) -> None:
    world, model = await told(
        tmp_path,
        says(None, DELEGATE, made("delegate", "e", task="再查"), SAVE),
        says("甲"),
        says("乙"),
        SUBMIT,
        says("完"),
    )
    assert [b.number for b in world.bodies() if isinstance(b, DelegationOpened)] == [1, 2]
    results = [m.text for m in model.requests[3].messages if m.role == "tool"]
    assert results[:2] == ["甲", "乙"]
    kinds = world.kinds()
    assert kinds.index("draft_saved") > max(
        n for n, kind in enumerate(kinds) if kind == "delegation_closed"
    )


async def test_a_sub_context_that_does_not_answer_is_closed_by_name(tmp_path: Path) -> None:
    world, model = await told(
        tmp_path,
        says(None, *(made("delegate", str(n), task="查") for n in range(3))),
        says(None),
        says("半", stop=StopReason.LENGTH),
        says("", stop=StopReason.CONTENT_FILTER),
        says(None, SAVE),
        SUBMIT,
        says("完"),
    )
    closed = [b for b in world.bodies() if isinstance(b, DelegationClosed)]
    assert [(b.reason, b.text_sha256) for b in closed] == [
        ("empty", None),
        ("length_cut", None),
        ("filtered", None),
    ]
    results = [m.text for m in model.requests[4].messages if m.role == "tool"]
    assert results == [RECEIPTS["zh"].unanswered] * 3


async def test_a_sub_context_that_goes_in_circles_is_closed(tmp_path: Path) -> None:
    world, _ = await told(
        tmp_path,
        says(None, DELEGATE),
        *(says(str(n), made("fly")) for n in range(5)),
        says(None, SAVE),
        SUBMIT,
        says("完"),
    )
    closed = [b.reason for b in world.bodies() if isinstance(b, DelegationClosed)]
    assert closed == ["loop_guard"]


async def test_tools_that_a_sub_context_lacks_are_denied_and_cost_nothing(tmp_path: Path) -> None:
    spec = H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"tools": 3})})
    world, model = await told(
        tmp_path,
        says(None, DELEGATE),
        says(None, SAVE, made("delegate", "x", task="再下一层")),
        says("好"),
        says(None, SAVE),
        SUBMIT,
        says("完"),
        spec=spec,
    )
    denied = [b for b in world.bodies() if isinstance(b, AccessDenied)]
    assert [(b.tool, b.context, b.lacks) for b in denied] == [
        ("write_file", DELEGATION, "tool"),
        ("delegate", DELEGATION, "tool"),
    ]
    shown = [m.text for m in model.requests[2].messages if m.role == "tool"]
    assert shown == [RECEIPTS["zh"].denied] * 2


async def test_the_whole_episode_has_one_budget(tmp_path: Path) -> None:
    spec = H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"acquisition": 2})})
    world = World(tmp_path, spec=spec)
    model = script(
        says(None, call("search", "一", "a"), DELEGATE),
        says(None, call("search", "二", "b"), call("search", "三", "c")),
    )
    end = await world.run(model)
    assert end is not None
    assert end.outcome is Outcome.BUDGET_ACQUISITION
    results = [b for b in world.bodies() if isinstance(b, ToolResult)]
    assert [b.call_id for b in results] == ["a", "b", "c", "d"]


async def test_a_budget_that_ends_a_sub_context_leaves_the_calls_beside_it_their_place(
    tmp_path: Path,
) -> None:
    limits = H_D.budget.model_copy(update={"acquisition": 1, "tools": 5})
    world = World(tmp_path, spec=H_D.model_copy(update={"budget": limits}))
    turn = says(None, SAVE, DELEGATE, SUBMIT_CALL, DELEGATE, SAVE)
    end = await world.run(script(turn, says(None, call("search", "一"), call("search", "二"))))
    assert end is not None
    assert (end.outcome, end.detail) == (Outcome.SUBMITTED, "budget_acquisition")
    closed = [b.reason for b in world.bodies() if isinstance(b, DelegationClosed)]
    assert closed == ["budget", "budget"]
    denied = [b for b in world.bodies() if isinstance(b, BudgetDenied)]
    assert [(b.sequence, b.call_index, b.budget) for b in denied] == [
        (2, 1, "acquisition"),
        (1, 4, "tools"),
    ]
    results = [b for b in world.bodies() if isinstance(b, ToolResult)]
    assert [(b.sequence, b.call_index) for b in results] == [
        (1, 0), (2, 0), (2, 1), (1, 1), (1, 2), (1, 3), (1, 4),
    ]  # fmt: skip


async def test_requests_the_network_broke_inside_are_not_charged(tmp_path: Path) -> None:
    spec = H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"acquisition": 1})})
    world = World(tmp_path, spec=spec)
    model = script(
        says(None, DELEGATE),
        says(None, call("search", "bad", "b")),
        says(None, call("search", "二", "c")),
        says("好"),
        says("答案"),
    )
    pages = Pages(status_of=lambda q: ReturnStatus.BLOCKED if q == "bad" else ReturnStatus.OK)
    end = await world.run(model, pages)
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY


async def test_requests_the_network_broke_before_a_delegation_leave_it_their_place(
    tmp_path: Path,
) -> None:
    spec = H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"acquisition": 1})})
    world = World(tmp_path, spec=spec)
    model = script(
        says(None, call("search", "bad", "a"), DELEGATE, call("search", "bad", "e"), DELEGATE),
        says(None, call("search", "bad", "b")),
        says("好"),
        says(None, call("search", "二", "c")),
        says("好"),
        says("答案"),
    )
    pages = Pages(status_of=lambda q: ReturnStatus.BLOCKED if q == "bad" else ReturnStatus.OK)
    end = await world.run(model, pages)
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY


async def test_a_token_cap_inside_closes_the_sub_context_and_answers_the_rest(
    tmp_path: Path,
) -> None:
    spec = H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"output_tokens": 60})})
    world = World(tmp_path, spec=spec)
    turn = says(None, SAVE, DELEGATE, made("submit_file", "s", path="r.md"))
    end = await world.run(script(turn, says("太长", tokens=90)))
    assert end is not None
    assert (end.outcome, end.detail) == (Outcome.SUBMITTED, "budget_tokens")
    closed = [b.reason for b in world.bodies() if isinstance(b, DelegationClosed)]
    assert closed == ["budget"]
    assert [b.call_id for b in world.bodies() if isinstance(b, ToolResult)] == ["w", "d", "s"]


async def test_any_number_of_delegations_in_a_turn_ends_by_the_budget(tmp_path: Path) -> None:
    """Those that are denied take no step of the graph each, whose steps are limited."""
    world = World(tmp_path, spec=H_D)
    many = says(None, *(made("delegate", task="查") for _ in range(H_D.recursion_limit + 10)))
    end = await world.run(script(many, *(says("答") for _ in range(H_D.budget.decisions))))
    assert end is not None
    assert end.outcome is Outcome.BUDGET_TOOLS
    opened = sum(isinstance(b, DelegationOpened) for b in world.bodies())
    denied = sum(isinstance(b, BudgetDenied) for b in world.bodies())
    assert (opened, denied) == (H_D.budget.tools, H_D.recursion_limit + 10 - H_D.budget.tools)
