"""Screening of cards by people before they are frozen: one doubt is enough to stop one (DR-10).

A card passes where the automated assessment accepted it and two people or more, each alone, found
none of the five fatal problems. `construction.screening` says whether the gate is used; the
design's notes say whether it was.
"""

from collections.abc import Iterable, Mapping, Sequence

from draligned.constructors.review_units import CardUnit
from draligned.schema.labels import CardOutcome
from draligned.schema.review import Found, ReviewAnswer

LEAST = 2
"""People who must have reviewed a card."""
BY_PEOPLE = ", then people"
"""What the design's note on screening ends in where the gate was used."""

Answers = Mapping[str, ReviewAnswer]
"""The answers of one person that stand, by unit."""


def unscreened(units: Iterable[CardUnit], people: Sequence[Answers]) -> tuple[str, ...]:
    """One line for every card that did not pass, in the order of `units`."""
    said = ((unit, [p[unit.unit_id] for p in people if unit.unit_id in p]) for unit in units)
    return tuple(
        f"card {unit.card.factor_id} (task {unit.card.task_id}): {fault}"
        for unit, answers in said
        if (fault := _fault(unit, answers))
    )


def _fault(unit: CardUnit, answers: Sequence[ReviewAnswer]) -> str | None:
    if unit.card.outcome is not CardOutcome.ACCEPTED:
        return f"it is {unit.card.outcome.value}"
    if doubts := [doubt for answer in answers for doubt in _doubts(answer)]:
        return "; ".join(doubts)
    if len(answers) < LEAST:
        return f"reviewed by {len(answers)} of {LEAST} people"
    return None


def _doubts(answer: ReviewAnswer) -> list[str]:
    words = {Found.YES: "found", Found.CANNOT_TELL: "cannot tell"}
    return [
        f"{answer.reviewer}: {words[said.found]} {said.problem.value}"
        for said in answer.problems
        if said.found is not Found.NO
    ]
