"""Chat reviewers see an anonymised packet; their findings join those of the rules."""

import json
from pathlib import Path

import pytest

from draligned.constructors.chat_review import read_review, review_by_models
from draligned.constructors.review import checked
from draligned.schema.labels import CardOutcome, Problem

from .doubles import Scripted, replied
from .samples import TASK, persona, residence_card

GOLDEN = Path(__file__).parent / "golden"
OK = '{"problems": [], "reason": "没有问题"}'
BAD = '{"problems": ["task_forced"], "reason": "任务已经定下"}'
WORSE = '{"problems": ["multiple_factors", "contradiction"], "reason": "两处"}'


async def outcome(*replies: str | None, open_point: bool = False) -> CardOutcome:
    card = checked(residence_card(), TASK, persona())
    if open_point:
        card = card.model_copy(update={"outcome": CardOutcome.NEEDS_REVIEW})
    models = [Scripted(lambda _, r=r: r, name=f"m{n}") for n, r in enumerate(replies)]
    return (await review_by_models(card, TASK, models, seed=1)).outcome


@pytest.mark.parametrize(
    ("replies", "want"),
    [
        ((), CardOutcome.ACCEPTED),
        ((OK, OK), CardOutcome.ACCEPTED),
        ((OK, BAD), CardOutcome.REVIEWER_DISAGREEMENT),
        ((BAD, BAD), CardOutcome.REJECTED_TASK_FORCED),
        ((WORSE, WORSE), CardOutcome.REJECTED_CONTRADICTION),
        ((OK, "好的"), CardOutcome.NEEDS_REVIEW),
        ((OK, None), CardOutcome.NEEDS_REVIEW),
    ],
)
async def test_two_reviewers(replies: tuple[str | None, ...], want: CardOutcome) -> None:
    assert await outcome(*replies) is want


async def test_only_two_agreeing_reviewers_settle_what_rules_leave_open() -> None:
    assert await outcome(OK, open_point=True) is CardOutcome.NEEDS_REVIEW
    assert await outcome(OK, OK, open_point=True) is CardOutcome.ACCEPTED


async def test_a_card_that_rules_reject_is_not_sent() -> None:
    card = residence_card().model_copy(update={"outcome": CardOutcome.REJECTED_TASK_FORCED})
    model = Scripted(lambda _: OK)
    assert await review_by_models(card, TASK, [model, model], seed=1) == card
    assert model.asked == []


async def test_the_packet_shows_neither_side_nor_quote() -> None:
    model = Scripted(lambda _: OK)
    await review_by_models(checked(residence_card(), TASK, persona()), TASK, [model], seed=1)
    system, user = (m.text or "" for m in model.asked[0].messages)
    assert system == (GOLDEN / "reviewer_zh.txt").read_text("utf-8")
    body = json.loads(user)
    assert list(body) == ["task", "background", "endpoint_1", "endpoint_2", "decision", "options"]
    assert body["options"] == sorted(body["options"])


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ('{"problems": "none", "reason": "x"}', "lacks"),
        ('{"problems": []}', "lacks"),
        ('{"problems": ["ugly"], "reason": "x"}', "unknown problem"),
        ('{"problems": [[]], "reason": "x"}', "unknown problem"),
        (OK + BAD, "cannot be read"),
    ],
)
def test_a_reply_that_cannot_be_read_is_undecided(reply: str, says: str) -> None:
    (finding,) = read_review("r", replied(reply))
    assert (finding.verdict, finding.problem) == ("undecided", None)
    assert says in finding.reason


def test_problems_are_named_once_each() -> None:
    twice = '{"problems": ["task_forced", "task_forced"], "reason": "x"}'
    assert [f.problem for f in read_review("r", replied(twice))] == [Problem.TASK_FORCED]
