"""Chat-model reviewers on anonymised packets (DR-11).

The system message is `prompts/reviewer_{zh,en}.txt`; the user message is one JSON
object {task, background, endpoint_1, endpoint_2, decision, options}; the reply is
one JSON object {"problems": [names], "reason": text}.
"""

import asyncio
import json
from collections.abc import Sequence

from draligned.constructors.conditions import prompt
from draligned.constructors.packet import ReviewPacket, packet_of
from draligned.constructors.replies import read_object
from draligned.constructors.review import REJECTED, with_findings
from draligned.models.protocol import ChatModel
from draligned.schema.base import short_id
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, Message
from draligned.schema.design import FactorCard, Finding, TaskRecord
from draligned.schema.ids import seed_of
from draligned.schema.labels import CardOutcome, Problem

TO_SETTLE = 2
"""Reviewers who must agree before an open point of the rules counts as settled."""


async def review_by_models(
    card: FactorCard, task: TaskRecord, reviewers: Sequence[ChatModel], seed: int
) -> FactorCard:
    """The card with the reviewers' findings added and the outcome that follows.

    A card that the rules reject stays rejected and is not sent. What rules leave
    open is settled only by two or more reviewers who find nothing.
    """
    decided = (CardOutcome.ACCEPTED, CardOutcome.NEEDS_REVIEW)
    if not reviewers or card.outcome not in decided:
        return card
    packet = packet_of(card, task)
    replies = await asyncio.gather(
        *(_ask(model, f"reviewer-{n}", packet, seed) for n, model in enumerate(reviewers, start=1))
    )
    found = [f for reply in replies for f in reply]
    outcome = _joint(card.outcome, replies)
    return with_findings(card, (*card.findings, *found), outcome)


async def _ask(
    model: ChatModel, reviewer: str, packet: ReviewPacket, seed: int
) -> tuple[Finding, ...]:
    key = ("review", reviewer, model.key, packet.sha256(), seed)
    reply = await model.complete(
        ChatRequest(
            key=CallKey(owner=short_id(*key), attempt=1, sequence=0),
            messages=(
                Message(role="system", text=prompt("reviewer", packet.lang)),
                Message(role="user", text=_material(packet)),
            ),
            seed=seed_of(*key),
            json_mode=True,
        )
    )
    return read_review(reviewer, reply)


def _material(packet: ReviewPacket) -> str:
    body = {
        "task": packet.task,
        "background": [{"path": d.path, "text": d.text} for d in packet.background],
        "endpoint_1": packet.endpoint_1,
        "endpoint_2": packet.endpoint_2,
        "decision": packet.decision,
        "options": list(packet.options),
    }
    return json.dumps(body, ensure_ascii=False, indent=1)


def read_review(reviewer: str, reply: ChatReply) -> tuple[Finding, ...]:
    """Findings of one reply; one that cannot be read is `undecided`, with the reason."""

    def one(problem: Problem | None, verdict: str, reason: str) -> Finding:
        return Finding.model_validate(
            {"reviewer": reviewer, "problem": problem, "verdict": verdict, "reason": reason}
        )

    answer = read_object(reply)
    if answer.value is None:
        return (one(None, "undecided", f"the reply cannot be read: {answer.reason}"),)
    problems, reason = answer.value.get("problems"), answer.value.get("reason")
    known = {p.value for p in Problem}
    if not isinstance(problems, list) or not isinstance(reason, str):
        return (one(None, "undecided", "the reply lacks `problems` or `reason`"),)
    if strange := [p for p in problems if not isinstance(p, str) or p not in known]:
        return (one(None, "undecided", f"unknown problem {strange[0]!r}"),)
    if not problems:
        return (one(None, "ok", reason),)
    return tuple(one(Problem(p), "fatal", reason) for p in dict.fromkeys(problems))


def _joint(rules: CardOutcome, replies: Sequence[tuple[Finding, ...]]) -> CardOutcome:
    verdicts = [{f.verdict for f in reply} for reply in replies]
    if any("undecided" in v for v in verdicts):
        return CardOutcome.NEEDS_REVIEW
    against = [v == {"fatal"} for v in verdicts]
    if all(against):
        named = {f.problem for reply in replies for f in reply}
        return next(outcome for problem, outcome in REJECTED.items() if problem in named)
    if any(against):
        return CardOutcome.REVIEWER_DISAGREEMENT
    return CardOutcome.ACCEPTED if len(replies) >= TO_SETTLE else rules
