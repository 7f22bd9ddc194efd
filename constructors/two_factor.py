"""Second facts for two-factor tasks (DR-13): another field of the same user, by rules."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from draligned.constructors.conditions import two_factor_conditions
from draligned.constructors.draft import TwoFactor
from draligned.constructors.fields import Tried, note, try_fields
from draligned.constructors.search import Search
from draligned.schema.design import Decision, FactorCard, Persona, TaskRecord
from draligned.schema.errors import DesignError
from draligned.schema.labels import CardOutcome


class Doubled(NamedTuple):
    """Tasks that got a second fact, and all that was considered for it."""

    doubles: tuple[TwoFactor, ...]
    decisions: tuple[Decision, ...]


async def double(search: Search, cards: Sequence[FactorCard], wanted: int) -> Doubled:
    """Give up to `wanted` tasks a second fact, in the order of `cards`; nothing is padded.

    A second card is one of `cards` for the same task and user, else the first that rules draw up
    from another field and another kind of fact; model reviewers see it as they see any other.
    """
    doubles: list[TwoFactor] = []
    decisions: list[Decision] = []
    for first in cards:
        if len(doubles) >= wanted:
            break
        if any(d.first.task_id == first.task_id for d in doubles):
            continue
        second = next((c for c in cards if _goes_with(first, c, search)), None)
        if second is None:
            tried = await _drawn_up(search, first)
            decisions += [t.decision for t in tried]
            second = next((t.card for t in tried if _accepted(t)), None)
        if second is not None:
            doubles.append(TwoFactor(first, second))
    return Doubled(tuple(doubles), tuple(decisions))


async def _drawn_up(search: Search, first: FactorCard) -> list[Tried]:
    task, persona = search.source.task(first.task_id), search.source.persona(first.user_id)
    if task is None or persona is None:
        return []
    passed: dict[str, Tried] = {}
    while True:
        out = _fields(task, persona, first, passed)
        at = next((n for n, t in enumerate(out) if _accepted(t)), None)
        if at is None:
            return out
        out[at] = await _judged(search, task, first, out[at])
        if _accepted(out[at]):
            return out
        passed[out[at].decision.field_path] = out[at]


def _fields(
    task: TaskRecord, persona: Persona, first: FactorCard, passed: dict[str, Tried]
) -> list[Tried]:
    """Every field tried beside the first factor's, those passed over as they were judged."""
    shut = {first.field_path, *passed}
    tried = try_fields(task, persona, lambda path: path not in shut, second=True)
    return [_told(passed.get(t.decision.field_path, t)) for t in tried
            if t.decision.field_path != first.field_path]  # fmt: skip


async def _judged(search: Search, task: TaskRecord, first: FactorCard, tried: Tried) -> Tried:
    out = await search.reviewed(task, tried)
    if out.card is None or not _accepted(out) or _goes_with(first, out.card, search):
        return _told(out)
    reason = "as a second fact: it is of the first one's kind, or says something of it"
    why = note(task, _persona(search, first), out.decision.field_path,
               CardOutcome.REJECTED_MULTIPLE_FACTORS, reason, out.card.kind)  # fmt: skip
    return why


def _persona(search: Search, card: FactorCard) -> Persona:
    persona = search.source.persona(card.user_id)
    if persona is None:
        raise DesignError(f"there is no profile of {card.user_id}")
    return persona


def _told(tried: Tried) -> Tried:
    """The decision's reason says that it was about a second fact."""
    reason = tried.decision.reason
    if reason.startswith("as a second fact"):
        return tried
    decision = tried.decision.model_copy(update={"reason": f"as a second fact: {reason}"})
    return tried.model_copy(update={"decision": decision})


def _goes_with(first: FactorCard, second: FactorCard, search: Search) -> bool:
    """Whether two cards can be told at once: neither fact says anything of the other."""
    same = (first.task_id, first.user_id) == (second.task_id, second.user_id)
    if not same or first.field_path == second.field_path or first.kind == second.kind:
        return False
    if _names(first, second) or _names(second, first):
        return False
    task = search.source.task(first.task_id)
    try:
        return task is not None and bool(two_factor_conditions(task, first, second))
    except DesignError:
        return False


def _names(one: FactorCard, other: FactorCard) -> bool:
    """Whether an endpoint of `one` holds a public word of `other`."""
    return any(w in end.sentence for end in (one.p, one.q) for w in _words(other))


def _words(card: FactorCard) -> Iterable[str]:
    return (*card.p.words, *card.q.words)


def _accepted(tried: Tried) -> bool:
    return tried.decision.outcome is CardOutcome.ACCEPTED
