"""What a study has spent so far, from its attempt ledger."""

from collections import defaultdict
from collections.abc import Iterable

from draligned.schema.base import Record
from draligned.schema.chat import AttemptRecord

_MAYBE_BILLED = frozenset({"lost", "timeout", "bad_response", "cancelled"})


class SpendRow(Record):
    """Totals of one model and purpose."""

    model: str
    purpose: str
    tries: int
    failed: int
    input_tokens: int
    output_tokens: int
    estimated: int
    """Calls whose usage the provider did not say."""
    unaccounted: int
    """Tries that may have been billed although no usage came back: lost, timed out, broken off."""
    cost: float | None
    """Null as soon as one call's price is unknown, while no call was answered, and where calls
    were paid in several currencies."""
    currency: str | None = None
    """Of `cost`; null where that is."""
    working_seconds: float
    waited_seconds: float
    echoed: tuple[str, ...]
    """Model names echoed; an echo verifies nothing (DR-40)."""


def spend_rows(attempts: Iterable[AttemptRecord]) -> tuple[SpendRow, ...]:
    """One row per requested model and purpose, in alphabetical order."""
    groups: dict[tuple[str, str], list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        groups[attempt.requested_model, attempt.purpose].append(attempt)
    return tuple(_row(*key, groups[key]) for key in sorted(groups))


def _row(model: str, purpose: str, tries: list[AttemptRecord]) -> SpendRow:
    answered = [t for t in tries if _is_answered(t)]
    costs = [t.cost for t in answered]
    known = [c for c in costs if c is not None]
    currencies = {t.currency for t in answered}
    whole = bool(known) and len(known) == len(costs) and len(currencies) == 1
    usages = [t.usage for t in answered if t.usage is not None]
    return SpendRow(
        model=model,
        purpose=purpose,
        tries=len(tries),
        failed=sum(t.outcome != "ok" for t in tries),
        input_tokens=sum(u.input_tokens for u in usages),
        output_tokens=sum(u.output_tokens for u in usages),
        estimated=sum(u.estimated for u in usages),
        unaccounted=sum(_is_unaccounted(t) for t in tries),
        cost=sum(known) if whole else None,
        currency=currencies.pop() if whole else None,
        working_seconds=round(sum(t.seconds for t in tries), 3),
        waited_seconds=round(sum(t.waited_seconds for t in tries), 3),
        echoed=tuple(sorted({t.echoed_model for t in tries if t.echoed_model})),
    )


def _is_answered(attempt: AttemptRecord) -> bool:
    """Whether a try brought something; retrieval has no usage."""
    if attempt.purpose == "retrieval":
        return attempt.outcome == "ok"
    return attempt.usage is not None


def _is_unaccounted(attempt: AttemptRecord) -> bool:
    """Whether a try may have been billed although nothing says so; reading a page costs nothing."""
    unknown = attempt.usage is None and attempt.cost is None
    return unknown and attempt.outcome in _MAYBE_BILLED
