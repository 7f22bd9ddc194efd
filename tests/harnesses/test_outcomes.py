"""Every way in which a coupled episode can end (DESIGN §6), against scripted models."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from draligned.harnesses.compiled import rules_of
from draligned.harnesses.decide import BARREN_TURNS, SAME_TURNS
from draligned.harnesses.opening import first_messages
from draligned.harnesses.registry import COUPLED, HARNESSES, INITIAL
from draligned.schema.chat import ChatReply, StopReason, ToolCall
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.errors import (
    BadResponse,
    DamageError,
    DesignError,
    ProviderError,
    RateLimited,
    RequestRefused,
    SpendLimit,
)
from draligned.schema.events import (
    BudgetDenied,
    Event,
    RequestExecuted,
    ToolCallInvalid,
    ToolResult,
)
from draligned.schema.harness import HarnessSpec
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs

from .doubles import (
    Line,
    Pages,
    World,
    always,
    budget,
    call,
    condition,
    says,
    script,
    tool_texts,
)

SEARCH = says(None, call("search", "杭州", "a"))
DRAFT = says(None, call("write_report", "草稿", "b"))
SUBMIT = says(None, call("submit_report", "终稿", "c"))
DONE = says("完成。")
BROKEN = ToolCall(call_id="x", name="search", arguments='{"query": "a')


async def end_of(tmp_path: Path, *lines: Line, spec: HarnessSpec | None = None) -> EpisodeEnd:
    world = World(tmp_path) if spec is None else World(tmp_path, spec=spec)
    end = await world.run(script(*lines))
    assert end is not None
    return end


def short(end: EpisodeEnd) -> tuple[EndedBy, Outcome, bool]:
    return end.ended_by, end.outcome, end.final_sha256 is not None


NO_CALL, PROVIDER, LIMIT = EndedBy.NO_TOOL_CALL, EndedBy.PROVIDER, EndedBy.BUDGET


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([SUBMIT, DONE], (NO_CALL, Outcome.SUBMITTED, True)),
        ([SUBMIT, says(None)], (NO_CALL, Outcome.SUBMITTED, True)),
        ([DRAFT, DONE], (NO_CALL, Outcome.TEXT_REPLY, True)),
        ([DRAFT, says(None, reasoning="嗯")], (NO_CALL, Outcome.EMPTY_REPLY, False)),
        ([says(" \n")], (NO_CALL, Outcome.EMPTY_REPLY, False)),
        ([DRAFT, says("半", stop=StopReason.LENGTH)], (PROVIDER, Outcome.LENGTH_CUT, False)),
        (
            [says(None, call("submit_report", "半", "c"), stop=StopReason.LENGTH)],
            (PROVIDER, Outcome.LENGTH_CUT, False),
        ),
        ([DRAFT, says("", stop=StopReason.CONTENT_FILTER)], (PROVIDER, Outcome.CENSORED, False)),
        ([DRAFT, RequestRefused("x", status=400)], (PROVIDER, Outcome.CENSORED, False)),
        ([RequestRefused("x", status=400)], (PROVIDER, Outcome.PROVIDER_ERROR, False)),
        ([DRAFT, BadResponse("<html>", status=200)], (PROVIDER, Outcome.BAD_RESPONSE, False)),
        ([DRAFT, ProviderError("x", status=502)], (PROVIDER, Outcome.PROVIDER_ERROR, False)),
        ([DRAFT, ProviderError("x", status=429)], (PROVIDER, Outcome.RATE_LIMITED, False)),
        ([DRAFT, KeyError("ours")], (EndedBy.HARNESS, Outcome.HARNESS_ERROR, False)),
        ([SUBMIT, RequestRefused("x", status=400)], (PROVIDER, Outcome.SUBMITTED, True)),
        ([SUBMIT, KeyError("ours")], (EndedBy.HARNESS, Outcome.SUBMITTED, True)),
    ],
)
async def test_outcomes(
    tmp_path: Path, lines: list[Line], expected: tuple[EndedBy, Outcome, bool]
) -> None:
    end = await end_of(tmp_path, *lines)
    assert short(end) == expected
    world = World(tmp_path)
    assert world.kinds()[-1] == "ended"
    assert await world.run(script()) == end


@pytest.mark.parametrize(
    ("limits", "line", "calls", "outcome"),
    [
        ({"decisions": 3}, SEARCH, 3, Outcome.BUDGET_DECISIONS),
        ({"acquisition": 3}, SEARCH, 4, Outcome.BUDGET_ACQUISITION),
        ({"tools": 3}, DRAFT, 4, Outcome.BUDGET_TOOLS),
        ({"output_tokens": 30}, SEARCH, 3, Outcome.BUDGET_TOKENS),
    ],
)
async def test_budgets_end_an_episode_and_promote_no_draft(
    tmp_path: Path, limits: dict[str, int], line: ChatReply, calls: int, outcome: Outcome
) -> None:
    world, model = World(tmp_path, spec=budget(**limits)), always(lambda n: line)
    end = await world.run(model)
    assert end is not None
    assert short(end) == (LIMIT, outcome, False)
    assert len(model.requests) == calls


async def test_a_batch_over_the_limit_runs_what_fits_and_answers_every_call(
    tmp_path: Path,
) -> None:
    batch = [call("search", f"q{i}", f"s{i}") for i in range(4)]
    batch.insert(3, call("submit_report", "终稿", "f"))
    world, pages = World(tmp_path, spec=budget(acquisition=2)), Pages()
    end = await world.run(script(says(None, *batch)), pages)
    assert end is not None
    assert short(end) == (LIMIT, Outcome.SUBMITTED, True)
    assert end.detail == "budget_acquisition"
    assert pages.asked == ["q0", "q1"]
    bodies = world.bodies()
    assert [b.call_index for b in bodies if isinstance(b, BudgetDenied)] == [2, 4]
    assert [b.call_id for b in bodies if isinstance(b, ToolResult)] == [c.call_id for c in batch]
    shown = Blobs(world.store).get([b for b in bodies if isinstance(b, ToolResult)][2].text_sha256)
    assert shown.startswith("budget_exhausted")
    assert not any(character.isdigit() for character in shown)


async def test_exactly_the_limit_is_not_over_it(tmp_path: Path) -> None:
    end = await end_of(tmp_path, SEARCH, SEARCH, DONE, spec=budget(acquisition=2, tools=2))
    assert end.outcome is Outcome.TEXT_REPLY


async def test_our_own_cap_is_declared_near_the_limit_and_voids_the_turn(tmp_path: Path) -> None:
    world = World(tmp_path, spec=budget(output_tokens=8_210))
    cut = says(None, call("submit_report", "半", "z"), tokens=8_190, stop=StopReason.LENGTH)
    model = script(says(None, call("search", "q", "a"), tokens=20), cut)
    end = await world.run(model)
    assert end is not None
    assert short(end) == (LIMIT, Outcome.BUDGET_TOKENS, False)
    assert [r.max_output_tokens for r in model.requests] == [None, 8_190]
    assert "submitted" not in world.kinds()


@pytest.mark.parametrize("status", [ReturnStatus.RATE_LIMITED, ReturnStatus.BLOCKED, "error"])
async def test_what_the_network_breaks_is_retried_logged_and_not_charged(
    tmp_path: Path, status: ReturnStatus
) -> None:
    pages = Pages(status_of=lambda q: ReturnStatus(status) if q == "bad" else ReturnStatus.OK)
    world = World(tmp_path, spec=budget(acquisition=1, tools=1))
    lines = [says(None, call("search", "bad", str(n))) for n in range(4)]
    end = await world.run(script(*lines, says(None, call("search", "good", "g")), DONE), pages)
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY
    assert pages.asked == ["bad"] * 12 + ["good"]
    executed = [b for b in world.bodies() if isinstance(b, RequestExecuted)]
    assert [b.return_status for b in executed] == [ReturnStatus(status)] * 4 + [ReturnStatus.OK]
    assert [b.request_no for b in executed] == [1, 2, 3, 4, 5]


async def test_an_empty_result_is_charged(tmp_path: Path) -> None:
    world = World(tmp_path, spec=budget(acquisition=1))
    end = await world.run(script(SEARCH, SEARCH), Pages(status_of=lambda q: ReturnStatus.EMPTY))
    assert end is not None
    assert end.outcome is Outcome.BUDGET_ACQUISITION


async def test_a_broken_call_is_answered_with_an_error_and_never_ends_the_run(
    tmp_path: Path,
) -> None:
    world, model = World(tmp_path), script(says(None, BROKEN), SEARCH, SUBMIT, DONE)
    end = await world.run(model)
    assert end is not None
    assert end.outcome is Outcome.SUBMITTED
    invalid = [b for b in world.bodies() if isinstance(b, ToolCallInvalid)]
    assert [(b.name, b.arguments) for b in invalid] == [("search", BROKEN.arguments)]
    assert tool_texts(model.requests[1:2])[0].startswith("tool_call_invalid")


@pytest.mark.parametrize("name", ["write_report", "submit_report", "search"])
@pytest.mark.parametrize("content", ["", " \n\u3000"])
async def test_an_empty_argument_is_refused(tmp_path: Path, name: str, content: str) -> None:
    world = World(tmp_path)
    end = await world.run(script(says(None, call(name, content, "e")), says(None)))
    assert end is not None
    assert short(end) == (NO_CALL, Outcome.EMPTY_REPLY, False)
    assert world.kinds()[3:5] == ["tool_call_invalid", "tool_result"]


async def test_the_guard_against_turns_without_an_executable_call(tmp_path: Path) -> None:
    world, model = World(tmp_path), always(lambda n: says(str(n), BROKEN))
    end = await world.run(model)
    assert end is not None
    assert short(end) == (EndedBy.HARD_CAP, Outcome.LOOP_GUARD, False)
    assert len(model.requests) == BARREN_TURNS
    mixed = always(
        lambda n: says(str(n), BROKEN) if n % BARREN_TURNS else says(None, call("search", str(n)))
    )
    end = await World(tmp_path / "mixed").run(mixed)
    assert end is not None
    assert end.outcome is Outcome.BUDGET_DECISIONS


async def test_the_guard_against_the_same_turn_again_and_again(tmp_path: Path) -> None:
    model = always(lambda n: SEARCH)
    end = await World(tmp_path).run(model)
    assert end is not None
    assert short(end) == (EndedBy.HARD_CAP, Outcome.LOOP_GUARD, False)
    assert len(model.requests) == SAME_TURNS


async def test_the_last_submission_counts(tmp_path: Path) -> None:
    second = says(None, call("submit_report", "第二稿", "d"))
    end = await end_of(tmp_path, SUBMIT, second, DRAFT, DONE)
    assert Blobs(World(tmp_path).store).get(str(end.final_sha256)) == "第二稿"


@pytest.mark.parametrize("error", [RateLimited("wait", status=429), SpendLimit("enough")])
async def test_a_wait_or_a_spending_limit_leaves_the_cell_open(
    tmp_path: Path, error: Exception
) -> None:
    world = World(tmp_path)
    assert await world.run(script(SEARCH, error)) is None
    assert world.kinds()[-1] == "call_started"
    model = script(SEARCH, SUBMIT, DONE)
    end = await world.run(model)
    assert end is not None
    assert end.outcome is Outcome.SUBMITTED
    assert [r.key.sequence for r in model.requests] == [2, 3]
    assert world.kinds().count("call_started") == 3


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (RequestRefused("no key", status=401), []),
        (OSError(28, "No space left on device"), [SEARCH]),
        (DamageError("blob is missing"), [SEARCH]),
    ],
)
async def test_what_the_user_must_mend_is_raised_and_creates_no_outcome(
    tmp_path: Path, error: Exception, lines: list[Line]
) -> None:
    world = World(tmp_path)
    with pytest.raises(type(error)):
        await world.run(script(*lines, error))
    end = await world.run(script(*lines, DONE))
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY


async def test_cancellation_in_the_middle_of_a_batch_leaves_the_cell_open(tmp_path: Path) -> None:
    started = asyncio.Event()

    class Slow(Pages):
        async def read(self, url: str) -> Any:
            started.set()
            await asyncio.Event().wait()

    world = World(tmp_path)
    turn = says(None, call("search", "q", "a"), call("read", "https://a.example/1", "b"))
    task = asyncio.create_task(world.run(script(turn, DONE), Slow()))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert world.kinds()[-1] == "model_turn"
    end = await world.run(script(turn, DONE))
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY
    assert world.kinds().count("request_executed") == 2


async def test_an_error_in_one_call_cancels_its_siblings(tmp_path: Path) -> None:
    pages = Pages(error_of=lambda q: ZeroDivisionError("tool") if q == "bad" else None)
    world = World(tmp_path)
    turn = says(None, call("search", "bad", "a"), call("search", "good", "b"))
    end = await world.run(script(turn), pages)
    assert end is not None
    assert (end.outcome, end.detail) == (Outcome.HARNESS_ERROR, "ZeroDivisionError: tool")


async def test_where_a_limit_forbids_one_search_those_under_way_end(tmp_path: Path) -> None:
    class Slow(Pages):
        ended = 0

        async def search(self, query: str) -> Any:
            if query == "late":
                raise SpendLimit("enough")
            for _ in range(10):
                await asyncio.sleep(0)
            self.ended += 1
            return await super().search(query)

    pages = Slow()
    turn = says(None, *(call("search", q, q) for q in ("one", "late", "two")))
    assert await World(tmp_path).run(script(turn), pages) is None
    assert pages.ended == 2


def test_a_condition_of_another_harness_is_refused() -> None:
    with pytest.raises(DesignError, match=r"takes 2 turn\(s\)"):
        first_messages(condition(), rules_of(INITIAL))
    with pytest.raises(DesignError, match=r"takes 1 turn\(s\)"):
        first_messages(condition(turns=("一", "二")), rules_of(COUPLED))


async def test_a_log_that_began_otherwise_is_damage(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert await world.run(script(SpendLimit("enough"))) is None
    other = World(tmp_path, spec=HARNESSES["handoff-both"])
    with pytest.raises(DamageError, match="began with other messages"):
        await other.run(script(DONE))
    other = World(tmp_path, side=world.side.other)
    with pytest.raises(DamageError, match="that of another run: its condition_id"):
        await other.run(script(DONE))


def no_clocks(events: list[Event]) -> list[Any]:
    return [e.body for e in events]


async def test_logs_do_not_depend_on_the_order_of_completion(tmp_path: Path) -> None:
    class Reversed(Pages):
        async def search(self, query: str) -> Any:
            for _ in range(10 - int(query)):
                await asyncio.sleep(0)
            return await super().search(query)

    turn = says(None, *(call("search", str(n), f"c{n}") for n in range(8)))
    one, two = World(tmp_path / "1"), World(tmp_path / "2")
    slow = Reversed()
    await one.run(script(turn, DONE))
    await two.run(script(turn, DONE), slow)
    assert slow.asked == [str(n) for n in reversed(range(8))]
    assert no_clocks(one.events()) == no_clocks(two.events())


async def test_requests_of_one_turn_run_at_once(tmp_path: Path) -> None:
    class Meeting(Pages):
        barrier = asyncio.Barrier(3)

        async def search(self, query: str) -> Any:
            async with self.barrier:
                return await super().search(query)

    turn = says(None, *(call("search", str(n), f"c{n}") for n in range(3)))
    async with asyncio.timeout(5):
        end = await World(tmp_path).run(script(turn, DONE), Meeting())
    assert end is not None
