"""The gate of people: two or more, each without a doubt, on top of the automated assessment."""

import pytest

from draligned.constructors.packet import packet_of
from draligned.constructors.review_units import CardUnit
from draligned.constructors.screening import unscreened
from draligned.schema.labels import CardOutcome, Problem, Side
from draligned.schema.review import Found, ProblemAnswer, ReviewAnswer, ReviewKind

from .samples import TASK, residence_card

ACCEPTED = residence_card().model_copy(update={"outcome": CardOutcome.ACCEPTED})


def unit(outcome: CardOutcome = CardOutcome.ACCEPTED) -> CardUnit:
    card = ACCEPTED.model_copy(update={"outcome": outcome})
    return CardUnit(unit_id="u1", card=card, packet=packet_of(card, TASK))


def by(reviewer: str, **found: Found) -> dict[str, ReviewAnswer]:
    answer = ReviewAnswer(
        kind=ReviewKind.CARDS,
        reviewer=reviewer,
        unit_id="u1",
        number=1,
        page_sha256="0" * 64,
        first=Side.P,
        problems=tuple(
            ProblemAnswer(problem=p, found=found.get(p.name, Found.NO)) for p in Problem
        ),
    )
    return {"u1": answer}


YES, OPEN = {"TASK_FORCED": Found.YES}, {"CONTRADICTION": Found.CANNOT_TELL}


@pytest.mark.parametrize(
    ("people", "fault"),
    [
        ([by("a"), by("b")], None),
        ([by("a"), by("b"), by("c")], None),
        ([], "reviewed by 0 of 2 people"),
        ([by("a")], "reviewed by 1 of 2 people"),
        ([by("a"), {}], "reviewed by 1 of 2 people"),
        ([by("a"), by("b", **YES)], "b: found task_forced"),
        ([by("a", **OPEN), by("b")], "a: cannot tell contradiction"),
        ([by("a"), by("b"), by("c", **OPEN)], "c: cannot tell contradiction"),
        ([by("a", **YES)], "a: found task_forced"),
    ],
)
def test_all_people_pass_a_card_or_it_does_not_pass(
    people: list[dict[str, ReviewAnswer]], fault: str | None
) -> None:
    lines = unscreened([unit()], people)
    wanted = f"card {ACCEPTED.factor_id} (task 1): {fault}"
    assert lines == (() if fault is None else (wanted,))


def test_people_alone_do_not_pass_a_card() -> None:
    (line,) = unscreened([unit(CardOutcome.NEEDS_REVIEW)], [by("a"), by("b")])
    assert line.endswith("it is needs_review")
