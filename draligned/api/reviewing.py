"""Blind reviews by people: items drawn for them, and how the reviewers agree (DR-101 … DR-103)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from draligned.api.evaluating import Readings
from draligned.api.trajectories import all_trajectories
from draligned.constructors.review_units import CardUnit, judged
from draligned.constructors.reviewers import (
    ReviewerPair,
    ReviewerRow,
    reviewer_pairs,
    reviewer_rows,
)
from draligned.measure.reviews import (
    Agreed,
    GatedItems,
    ItemsAgreed,
    agreed,
    final_labels,
    gated,
    items_agreed,
)
from draligned.schema.base import short_id
from draligned.schema.errors import DesignError
from draligned.schema.human import drawn_first
from draligned.schema.labels import Presence, Problem, ReadRole
from draligned.schema.review import DirectionItem, ItemSample, ReviewKind
from draligned.schema.trajectory import Trajectory
from draligned.store.protocol import Store
from draligned.study.reviews import Reviewed, item_sample, keep_sample, reviewed


@dataclass(frozen=True, kw_only=True)
class CardReview:
    """How the cards fared with people. `changed`: by reviewer, cards answered more than once."""

    cards: int
    rows: tuple[ReviewerRow, ...]
    pairs: tuple[ReviewerPair, ...]
    agreed: tuple[Agreed, ...]
    changed: Mapping[str, int]
    gone: int
    """Cards that were answered and are in the study no longer, as they were; they do not count."""


@dataclass(frozen=True, kw_only=True)
class ItemReview:
    """How the items fared with people, and with the evaluator."""

    items: int
    population: int
    marginals: Mapping[str, Mapping[Presence, int]]
    """By reviewer: answers by direction."""
    pairs: tuple[ItemsAgreed, ...]
    gated: GatedItems
    changed: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Reviews:
    """Both reviews, as far as they have come; none of a review that nobody began."""

    cards: CardReview | None
    items: ItemReview | None


def draw_items(readings: Readings, n: int | None, seed: int) -> ItemSample:
    """The items of this study's review: drawn once, the same for every reviewer.

    All main-advice items that the primary evaluator's first reads find in finals can be drawn;
    `n` none draws all. Raises `DesignError` where reads are open, there are fewer items, or other
    items were drawn before.
    """
    store = readings.context.folder.store
    there = item_sample(store)
    if there is not None:
        if n not in (None, len(there.items)):
            raise DesignError(
                f"{len(there.items)} items were drawn for review and stay; leave --items away"
            )
        return there
    if not readings.plan.ordered_evaluators:
        raise DesignError("nothing was read yet; `draligned evaluate --mirrored` comes first")
    if readings.open_work(readings.plan.ordered_evaluators[:1]):
        raise DesignError("reads are still open; `draligned evaluate` makes them first")
    found = {item.item_id: item for item in _items(readings)}
    if not 1 <= (len(found) if n is None else n) <= len(found):
        raise DesignError(f"reads name {len(found)} main-advice items; draw from 1 to so many")
    drawn = drawn_first(found, n or len(found), "reviewed", seed)
    made = ItemSample(
        seed=seed,
        evaluator=readings.plan.primary_evaluator,
        population=tuple(sorted(found)),
        items=tuple(found[i] for i in sorted(drawn)),
    )
    return keep_sample(store, made)


def _items(readings: Readings) -> Iterator[DirectionItem]:
    for run in all_trajectories(readings).values():
        yield from _of_run(run)


def _of_run(run: Trajectory) -> Iterator[DirectionItem]:
    for step in run.of("final"):
        main = [e for e in step.evidence if e.read is ReadRole.FIRST and e.main]
        for place, item in enumerate(main):
            parts = (step.text_sha256, run.factor_id, place, item.entity, item.paragraphs)
            yield DirectionItem.model_validate(
                {
                    "item_id": short_id("item", *parts),
                    "factor_id": run.factor_id,
                    "text_sha256": step.text_sha256,
                    "entity_key": item.entity,
                    "paragraph_ids": item.paragraphs,
                    "pre_check": item.presence,
                    "accepted": step.reason is None,
                }
            )


def reviews(store: Store, units: Sequence[CardUnit]) -> Reviews:
    """Both reviews. `units`: the study's cards as reviewers see them."""
    cards, sample = reviewed(store, ReviewKind.CARDS), item_sample(store)
    return Reviews(
        cards=_cards(cards, units) if cards else None,
        items=None if sample is None else _reviewed_items(store, sample),
    )


def _cards(people: Sequence[Reviewed], units: Sequence[CardUnit]) -> CardReview:
    said = [person.last for person in people]
    cards = [judged(u.card, [s[u.unit_id] for s in said if u.unit_id in s]) for u in units]
    there = {u.unit_id for u in units}
    return CardReview(
        cards=len(units),
        rows=reviewer_rows(cards),
        pairs=reviewer_pairs(cards),
        agreed=tuple(
            agreed(of, (one.reviewer, _words(one, of, there)),
                   (other.reviewer, _words(other, of, there)))
            for one, other in combinations(people, 2)
            for of in (ALL_FIVE, *Problem)
        ),
        changed={p.reviewer: p.changed for p in people},
        gone=len({unit for s in said for unit in s} - there),
    )  # fmt: skip


ALL_FIVE = "all_five"
"""Whether a card passes all five criteria."""


def _words(person: Reviewed, of: str, there: set[str]) -> dict[str, str]:
    """What a person says of each card on one question."""
    out = {}
    for unit, answer in person.last.items():
        found = {p.problem: p.found for p in answer.problems}
        word = found[Problem(of)] if of != ALL_FIVE else str(set(found.values()) == {"no"})
        if unit in there:
            out[unit] = str(word)
    return out


def _reviewed_items(store: Store, sample: ItemSample) -> ItemReview:
    people = reviewed(store, ReviewKind.ITEMS)
    said = {p.reviewer: p.directions for p in people}
    decided = [p.directions for p in reviewed(store, ReviewKind.DECISIONS)]
    final = final_labels(list(said.values()), decided)
    return ItemReview(
        items=len(sample.items),
        population=len(sample.population),
        marginals={
            name: {p: list(given.values()).count(p) for p in Presence}
            for name, given in said.items()
        },
        pairs=tuple(items_agreed(one, other) for one, other in combinations(said.items(), 2)),
        gated=gated(sample.evaluator, sample.items, final),
        changed={p.reviewer: p.changed for p in people},
    )
