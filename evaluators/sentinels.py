"""Sentinels: packets with known answers among a study's own, to see whether a reader drifts.

Each wave asks the same few packets again, in the same orientation, so that waves differ in
nothing but the time at which they were asked. Waves are spread evenly over the reading order.
Their reads are stored apart and are never data.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from draligned.bench_data.gold import GoldDocument
from draligned.evaluators.gold import GOLD_SEED, GoldUnit, gold_units
from draligned.evaluators.orientation import PlannedRead, Work, alpha_of
from draligned.evaluators.said import DOCUMENT, said
from draligned.schema import frames
from draligned.schema.design import Lang
from draligned.schema.labels import Presence, ReadRole
from draligned.schema.packets import ReadRecord
from draligned.study.controls import how_many
from draligned.study.reads import ReadsOf


class Sentinel(NamedTuple):
    """One sentinel read of one evaluator."""

    unit: GoldUnit
    """Named for its wave."""
    wave: int
    """From 1."""
    place: int
    """How many planned reads of this evaluator come before it."""


def sentinel_units(lang: Lang) -> tuple[GoldUnit, ...]:
    """The packets of one wave, in the order in which they are asked."""
    return tuple(unit for unit in gold_units(lang) if unit.gold.sentinel)


def sentinels(lang: Lang, n_reads: int, share: float, made: int = 0) -> tuple[Sentinel, ...]:
    """Those that go with `n_reads` planned reads of one evaluator: ⌈share · n⌉, in order.

    More reads bring further waves; those before stay what they are, and as many as were `made`
    stay planned. The last wave may be incomplete.
    """
    count = max(how_many(share, n_reads), made)
    return tuple(
        _sentinel(lang, slot, int((slot + 0.5) * n_reads / count)) for slot in range(count)
    )


def _sentinel(lang: Lang, slot: int, place: int) -> Sentinel:
    units = sentinel_units(lang)
    wave, number = divmod(slot, len(units))
    return Sentinel(units[number].named("sentinel", wave + 1), wave + 1, place)


def sentinel_work(found: Iterable[Sentinel], evaluator_id: str) -> tuple[Work, ...]:
    """The reads to be made; a packet is asked the same way round in every wave."""
    return tuple(
        Work(
            sentinel.unit.unit,
            evaluator_id,
            PlannedRead(ReadRole.FIRST, alpha_of(sentinel.unit.gold_id, GOLD_SEED, ReadRole.FIRST)),
            ReadsOf.SENTINELS,
        )
        for sentinel in found
    )


def interleaved(reads: Sequence[Work], apart: Sequence[Work]) -> list[Work]:
    """`reads` in their order, with each evaluator's sentinels spread evenly over its own."""
    places: dict[str, list[int]] = {}
    for index, work in enumerate(reads):
        places.setdefault(work.evaluator_id, []).append(index)
    mine: dict[str, list[Work]] = {}
    for work in apart:
        mine.setdefault(work.evaluator_id, []).append(work)
    before: dict[int, list[Work]] = {}
    for evaluator, works in mine.items():
        own = places.get(evaluator, [])
        for number, work in enumerate(works):
            at = int((number + 0.5) * len(own) / len(works))
            before.setdefault(own[at] if own else len(reads), []).append(work)
    out: list[Work] = []
    for index, work in enumerate(reads):
        out += [*before.get(index, ()), work]
    return [*out, *before.get(len(reads), ())]


def sentinel_table(
    planned: Sequence[tuple[str, str, Sequence[Sentinel]]],
    records: Callable[[str], Iterable[ReadRecord]],
) -> pd.DataFrame:
    """`frames.SENTINELS` from (name, id, sentinels) of evaluators and their stored reads."""
    rows: list[dict[str, object]] = []
    for name, evaluator_id, found in planned:
        stored = {r.packet_id: r for r in records(evaluator_id)}
        for sentinel in found:
            rows += _rows(name, sentinel, stored.get(sentinel.unit.unit.packet_id))
    return pd.DataFrame(rows, columns=list(frames.SENTINELS), dtype=object)


def _rows(name: str, sentinel: Sentinel, record: ReadRecord | None) -> Iterator[dict[str, object]]:
    labels = said(record) if record is not None else {}
    for number, expected in _expected(sentinel.unit):
        label = labels.get(number)
        yield {
            "evaluator": name,
            "wave": sentinel.wave,
            "sentinel_id": sentinel.unit.gold_id,
            "read": ReadRole.FIRST.value,
            "unit": number,
            "place": sentinel.place,
            "status": _status(record, label),
            "reason": _reason(record, number) if record is not None and label is None else None,
            "expected": expected.value,
            "label": None if label is None else label.value,
            "correct": None if label is None else label is expected,
        }


def _status(record: ReadRecord | None, label: Presence | None) -> str:
    if record is None:
        return "missing"
    return "void" if label is None else "ok"


def _reason(record: ReadRecord, number: int) -> str | None:
    if record.void is not None:
        return record.void.value
    cell = next((c for c in record.cells if c.request_no == number), None)
    return cell.reason.value if cell is not None and cell.reason is not None else None


def _expected(unit: GoldUnit) -> Iterator[tuple[int, Presence]]:
    if isinstance(unit.gold, GoldDocument):
        yield DOCUMENT, unit.gold.label
        return
    for number, request in enumerate(unit.gold.requests, start=1):
        yield number, request.label
