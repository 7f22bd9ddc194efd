"""The node that executes the calls of a turn, and logs them in call order.

Requests run together. What touches saved texts runs in call order, so that a file
written and submitted in one turn is submitted as written. A delegation waits for
the calls before it; the loop then runs its context, and comes back here.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from draligned.harnesses.budget import BudgetName
from draligned.harnesses.context import Entry, Episode
from draligned.harnesses.delegate_tool import DELEGATE
from draligned.harnesses.jobs import Job, jobs_of
from draligned.harnesses.outcomes import CallOutcome
from draligned.harnesses.receipts import text_of, text_shown
from draligned.harnesses.tools import CallSite
from draligned.schema.errors import SpendLimit
from draligned.schema.events import BudgetDenied, DelegationOpened, RequestExecuted, ToolResult


class Plan(NamedTuple):
    """A call, the budget that it does not fit into, if any, and its number among its kind."""

    job: Job
    denied: BudgetName | None
    number: int


class Answer(NamedTuple):
    """What became of a call and the text shown to the agent."""

    outcome: CallOutcome
    text: str


async def act(episode: Episode) -> None:
    """Execute and log the calls of the turn that have no result yet, up to a delegation.

    A call that a kill left with its event but without its result is shown again as it was:
    it is neither logged nor charged twice.
    """
    jobs = _batch(list(jobs_of(episode)), none_left=episode.state.ledger.no_tool_left)
    admission = episode.state.ledger.reserve([j.acquires for j in jobs if j.to_admit])
    try:
        plans = list(_plans(episode, jobs, admission.denied))
        answers = await _answers(episode, plans)
        episode.record(*_entries(episode, jobs, answers))
    finally:
        episode.state.ledger.release(admission)
    episode.turn = None


def _batch(jobs: Sequence[Job], *, none_left: bool) -> Sequence[Job]:
    """The calls to be handled now: all before the first delegation, or that one alone.

    With no tool action left all are denied, delegations too, and none needs a step of its own.
    """
    if none_left:
        return jobs
    first = next((n for n, job in enumerate(jobs) if job.tool is DELEGATE), len(jobs))
    return jobs[: max(first, 1)]


def _plans(
    episode: Episode, jobs: Sequence[Job], denied: Sequence[BudgetName | None]
) -> Iterator[Plan]:
    """Requests get their numbers here, in call order, before any of them runs."""
    verdicts, requests = iter(denied), episode.state.requests
    for job in jobs:
        refused = next(verdicts) if job.to_admit else None
        runs = job.to_admit and refused is None
        requests += runs and job.acquires
        yield Plan(job, refused, _number(episode, job, requests))


def _number(episode: Episode, job: Job, requests: int) -> int:
    if isinstance(job.logged, RequestExecuted):
        return job.logged.request_no
    return episode.state.delegations + 1 if job.tool is DELEGATE else requests


async def _answers(episode: Episode, plans: Sequence[Plan]) -> list[Answer]:
    """All answers in call order. If one fails, the others are cancelled and waited for; where a
    limit of the user forbids one, those under way are paid for and end."""
    if len(plans) == 1:
        return [await _answer(episode, plans[0])]
    out: dict[int, Answer] = {}

    async def run(*numbers: int) -> None:
        for n in numbers:
            out[n] = await _answer(episode, plans[n])

    together = [n for n, plan in enumerate(plans) if plan.job.acquires]
    in_order = [n for n, plan in enumerate(plans) if not plan.job.acquires]
    tasks = [asyncio.ensure_future(run(*group)) for group in (*([n] for n in together), in_order)]
    try:
        await asyncio.gather(*tasks)
    except BaseException as error:
        for task in tasks if not isinstance(error, SpendLimit) else ():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    return [out[n] for n in range(len(plans))]


async def _answer(episode: Episode, plan: Plan) -> Answer:
    job, bench = plan.job, episode.bench
    known = job.logged or job.fault or _exhausted(plan)
    if known is not None:
        text = text_of(bench, known, episode.state.top.delegated)
        if text is not None:
            return Answer(known, text)
    if job.tool is None:
        raise RuntimeError(f"call {job.index} has no tool and no fault")
    site = CallSite(job.sequence, job.index, plan.number, episode.state.top.parent)
    done = await job.tool.execute(bench, site, job.args)
    return Answer(known or done.effect, text_shown(bench, done))


def _exhausted(plan: Plan) -> BudgetDenied | None:
    if plan.denied is None:
        return None
    return BudgetDenied(sequence=plan.job.sequence, call_index=plan.job.index, budget=plan.denied)


def _entries(episode: Episode, jobs: Sequence[Job], answers: Sequence[Answer]) -> Iterator[Entry]:
    """The events of a batch. A delegation gets its result when it is closed."""
    for job, answer in zip(jobs, answers, strict=True):
        if job.logged is None:
            yield Entry(answer.outcome)
            if isinstance(answer.outcome, DelegationOpened):
                return
        result = ToolResult(
            sequence=job.sequence,
            call_index=job.index,
            call_id=job.call.call_id,
            text_sha256=episode.bench.blobs.put(answer.text),
        )
        yield Entry(result, answer.text)
