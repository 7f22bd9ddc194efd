"""The design that accepted cards come to: pairs, the neutral arm, two-factor conditions."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from draligned.constructors.conditions import neutral_of, pair_of, two_factor_conditions
from draligned.constructors.source import Source
from draligned.schema.design import Condition, Design, Estimand, FactorCard, Neutral, TaskRecord
from draligned.schema.errors import DesignError

PRIMARY = (
    Estimand(name="D_A", channel="A", population="readable"),
    Estimand(name="D_F", channel="F", population="readable"),
)


class TwoFactor(NamedTuple):
    """Two cards of one task and user; the first one's factor is the primary one (DR-13)."""

    first: FactorCard
    second: FactorCard


def draft(
    source: Source,
    cards: Sequence[FactorCard],
    seed: int,
    notes: dict[str, Any],
    doubles: Sequence[TwoFactor] = (),
) -> Design:
    """The design of accepted cards, tasks in the source's order. Raises `DesignError`.

    Second cards of `doubles` that have no pair of their own stand after those that have.
    """
    if len({c.factor_id for c in cards}) != len(cards):
        raise DesignError("the same factor stands on two cards; leave one out")
    place = {t.task_id: n for n, t in enumerate(source.tasks)}
    ordered = sorted(cards, key=lambda c: place[c.task_id])
    tasks = {c.task_id: source.tasks[place[c.task_id]] for c in ordered}
    pairs = [x for c in ordered for x in pair_of(tasks[c.task_id], c)]
    fours = [x for d in doubles for x in two_factor_conditions(tasks[d.first.task_id], *d)]
    return Design(
        lang=source.lang,
        seed=seed,
        source=source.label,
        tasks=tuple(tasks.values()),
        cards=(*ordered, *(d.second for d in doubles if d.second not in ordered)),
        conditions=(*pairs, *fours),
        estimands=PRIMARY,
        notes=notes,
        neutral=neutral_arm((tasks[c.task_id], c) for c in ordered),
    )


def neutral_arm(
    cards: Iterable[tuple[TaskRecord, FactorCard]], before: Iterable[Neutral] = ()
) -> tuple[Neutral, ...]:
    """The neutral condition of each card. Two cards of one task may leave the same message: the
    second of them has none, since one run cannot stand for two."""
    seen: set[Condition] = {n.condition for n in before}
    out = []
    for task, card in cards:
        made = neutral_of(task, card)
        if made.condition not in seen:
            seen.add(made.condition)
            out.append(made)
    return tuple(out)
