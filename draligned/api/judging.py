"""card accept, card reject: what people decide about cards of a draft, and what stays of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draligned.constructors.conditions import pair_of
from draligned.constructors.construction import Construction
from draligned.constructors.draft import neutral_arm
from draligned.constructors.human import (
    accepted_by_human,
    decision_of,
    human_accepted,
    rejected_by_human,
)
from draligned.schema.design import Decision, Design, FactorCard, SetAside
from draligned.schema.errors import DamageError, DesignError
from draligned.schema.labels import CardOutcome
from draligned.store.protocol import Store
from draligned.study import freeze as frozen


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """The draft that is about to be written anew, if there is one, and the cards beside it."""

    design: Design | None
    set_aside: tuple[SetAside, ...]

    @property
    def rejected(self) -> tuple[FactorCard, ...]:
        """Cards that a person turned down."""
        return tuple(s.card for s in self.set_aside if _by_user(s))

    def accepted(self, source: str) -> tuple[FactorCard, ...]:
        """Cards that a person accepted, if the draft was made from the same `source`."""
        if self.design is None or self.design.source != source:
            return ()
        return human_accepted(self.design.cards)

    def beside(self, built: Construction) -> tuple[SetAside, ...]:
        """What is kept beside the new design: what was set aside now, and by people before."""
        there = {c.factor_id for c in built.design.cards}
        return _once(built.kept_aside, filter(_by_user, self.set_aside), without=there)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A draft after a person's decision."""

    design: Design
    set_aside: tuple[SetAside, ...]
    decision: Decision
    """The line for the construction record."""


def earlier(store: Store) -> Earlier:
    """What stands in the study; a draft that cannot be read is none, it is written anew."""
    try:
        design = frozen.load_design(store) if store.exists(frozen.DESIGN) else None
    except DamageError:
        design = None
    return Earlier(design=design, set_aside=tuple(frozen.read_set_aside(store)))


def accept(design: Design, aside: Sequence[SetAside], factor_id: str, why: str) -> Judgement:
    """The draft with a card that was set aside, by human review. Raises `DesignError`."""
    if any(c.factor_id == factor_id for c in design.cards):
        raise DesignError(f"card {factor_id} is in the draft already")
    found = _find(aside, factor_id)
    if found is None:
        raise DesignError(f"no card set aside has the id {factor_id}; see `draligned card list`")
    if found.source != design.source:
        raise DesignError(
            f"card {factor_id} was drawn up for another set of tasks: {found.source}; "
            "construct from that set first"
        )
    card = accepted_by_human(found.card, why)
    new = [found.task] if found.task not in design.tasks else []
    update = {
        "tasks": (*design.tasks, *new),
        "cards": (*design.cards, card),
        "conditions": (*design.conditions, *pair_of(found.task, card)),
        "neutral": (*design.neutral, *neutral_arm([(found.task, card)], design.neutral)),
        "notes": {**design.notes, "human_review": True},
    }
    return Judgement(
        design=design.model_copy(update=update),
        set_aside=_once(aside, without={factor_id}),
        decision=decision_of(card),
    )


def reject(design: Design, aside: Sequence[SetAside], factor_id: str, why: str) -> Judgement:
    """The draft without a card, which is kept beside it as turned down. Raises `DesignError`."""
    card = next((c for c in design.cards if c.factor_id == factor_id), None)
    found = _find(aside, factor_id)
    if card is None and found is not None and _by_user(found):
        raise DesignError(f"card {factor_id} is rejected already")
    if card is not None:
        task = next(t for t in design.tasks if t.task_id == card.task_id)
        found = SetAside(source=design.source, task=task, card=card)
    if found is None:
        raise DesignError(f"no card has the factor id {factor_id}; see `draligned card list`")
    gone = rejected_by_human(found.card, why)
    return Judgement(
        design=_without(design, factor_id),
        set_aside=_once([found.model_copy(update={"card": gone})], aside),
        decision=decision_of(gone),
    )


def _without(design: Design, factor_id: str) -> Design:
    """The design without a card, and without second cards that were told beside it alone."""
    told = [c for c in design.conditions if factor_id not in {a.factor_id for a in c.assigned}]
    left = {a.factor_id for c in told for a in c.assigned}
    cards = tuple(c for c in design.cards if c.factor_id in left)
    kept = {c.task_id for c in cards}
    update = {
        "cards": cards,
        "conditions": tuple(told),
        "neutral": tuple(n for n in design.neutral if n.factor_id in left),
        "tasks": tuple(t for t in design.tasks if t.task_id in kept),
        "notes": {**design.notes, "human_review": bool(human_accepted(cards))},
    }
    return design.model_copy(update=update)


def _find(aside: Sequence[SetAside], factor_id: str) -> SetAside | None:
    return next((s for s in aside if s.card.factor_id == factor_id), None)


def _by_user(entry: SetAside) -> bool:
    return entry.card.outcome is CardOutcome.REJECTED_BY_USER


def _once(
    *entries: Iterable[SetAside], without: Iterable[str] = frozenset()
) -> tuple[SetAside, ...]:
    """Entries in order, the first of each factor, less those `without`."""
    out: dict[str, SetAside] = {}
    for group in entries:
        for entry in group:
            out.setdefault(entry.card.factor_id, entry)
    return tuple(entry for factor, entry in out.items() if factor not in set(without))
