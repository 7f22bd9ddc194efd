"""The node that executes the calls of a turn: together, but logged in call order."""

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass

from draligned.harnesses.budget import BudgetName
from draligned.harnesses.context import Entry, Episode
from draligned.harnesses.texts import RECEIPTS, Receipts
from draligned.harnesses.tools import Args, CallSite, Tool
from draligned.harnesses.transcript import CallOutcome
from draligned.models.turn import InvalidCall, Turn, ValidCall, is_blank
from draligned.schema.chat import ToolCall
from draligned.schema.events import BudgetDenied, RequestExecuted, ToolCallInvalid, ToolResult


@dataclass(frozen=True, kw_only=True)
class Job:
    """One unanswered call of the turn. `logged` is its event, if a kill came after that."""

    index: int
    sequence: int
    call: ToolCall
    tool: Tool | None
    args: Args
    problem: str
    logged: CallOutcome | None

    @property
    def to_admit(self) -> bool:
        """Whether the call still needs a place in the budget."""
        return self.tool is not None and self.logged is None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What became of a call and the text shown to the agent."""

    outcome: CallOutcome
    text: str


async def act(episode: Episode) -> None:
    """Execute and log all calls of the turn that have no result yet.

    A call that a kill left with its event but without its result is executed again
    for the text alone: it is neither logged nor charged twice.
    """
    turn = episode.turn
    if turn is None or episode.state.pending is None:
        raise RuntimeError("there is no turn to act on")
    jobs = list(_jobs(episode, turn, episode.state.pending.sequence))
    admission = episode.state.ledger.reserve([_acquires(j) for j in jobs if j.to_admit])
    try:
        denied = iter(admission.denied)
        plans = [(job, next(denied) if job.to_admit else None) for job in jobs]
        answers = await _together(_answers(episode, plans))
        episode.record(*_entries(episode, jobs, answers))
    finally:
        episode.state.ledger.release(admission)
    episode.turn = None


def _jobs(episode: Episode, turn: Turn, sequence: int) -> Iterator[Job]:
    state, pending = episode.state, episode.state.pending
    read: dict[int, ValidCall | InvalidCall] = {call.index: call for call in turn.valid}
    read.update({call.index: call for call in turn.invalid})
    for index, call in enumerate(pending.message.tool_calls if pending else ()):
        if index < state.answered:
            continue
        tool, args, problem = _checked(episode, read[index])
        yield Job(
            index=index,
            sequence=sequence,
            call=call,
            tool=tool,
            args=args,
            problem=problem,
            logged=state.outcomes.get(index),
        )


def _checked(episode: Episode, call: ValidCall | InvalidCall) -> tuple[Tool | None, Args, str]:
    """Tool and arguments of a call that can be executed, else what is wrong with it."""
    if isinstance(call, InvalidCall):
        return None, {}, call.problem
    tool = episode.tools[call.name]
    args = tool.clean(call.args)
    blank = [name for name, value in args.items() if is_blank(value)]
    return (None, {}, f"the parameter {blank[0]!r} is empty") if blank else (tool, args, "")


def _acquires(job: Job) -> bool:
    return job.tool is not None and job.tool.acquires


def _answers(
    episode: Episode, plans: Sequence[tuple[Job, BudgetName | None]]
) -> Iterator[Awaitable[Answer]]:
    """Requests get their numbers here, in call order, before any of them runs."""
    number = episode.state.requests
    for job, denied in plans:
        if job.to_admit and denied is None and _acquires(job):
            number += 1
        yield _answer(episode, job, denied, _number_of(job, number))


def _number_of(job: Job, number: int) -> int:
    return job.logged.request_no if isinstance(job.logged, RequestExecuted) else number


async def _answer(episode: Episode, job: Job, denied: BudgetName | None, request_no: int) -> Answer:
    receipts = RECEIPTS[episode.bench.lang]
    if job.tool is None:
        return _refused(job, receipts)
    if denied is not None or isinstance(job.logged, BudgetDenied):
        return _denied(job, denied, receipts)
    site = CallSite(job.sequence, job.index, request_no)
    done = await job.tool.execute(episode.bench, site, job.args)
    return Answer(outcome=job.logged or done.effect, text=done.text)


def _refused(job: Job, receipts: Receipts) -> Answer:
    outcome = ToolCallInvalid(
        sequence=job.sequence,
        call_index=job.index,
        name=job.call.name,
        arguments=job.call.arguments,
        problem=job.problem,
    )
    return Answer(outcome=job.logged or outcome, text=receipts.invalid + job.problem)


def _denied(job: Job, budget: BudgetName | None, receipts: Receipts) -> Answer:
    outcome = BudgetDenied(sequence=job.sequence, call_index=job.index, budget=budget or "")
    return Answer(outcome=job.logged or outcome, text=receipts.exhausted)


async def _together(calls: Iterator[Awaitable[Answer]]) -> list[Answer]:
    """All answers in call order. If one fails, the others are cancelled and waited for."""
    waiting = list(calls)
    if len(waiting) == 1:
        return [await waiting[0]]
    tasks = [asyncio.ensure_future(call) for call in waiting]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _entries(episode: Episode, jobs: Sequence[Job], answers: Sequence[Answer]) -> Iterator[Entry]:
    for job, answer in zip(jobs, answers, strict=True):
        if job.logged is None:
            yield Entry(answer.outcome)
        result = ToolResult(
            sequence=job.sequence,
            call_index=job.index,
            call_id=job.call.call_id,
            text_sha256=episode.bench.blobs.put(answer.text),
        )
        yield Entry(result, answer.text)
