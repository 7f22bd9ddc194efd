"""Items of gold documents beside what must be said of them (DR-62, DR-63)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from draligned.bench_data.gold import GoldDocument, Mark
from draligned.evaluators.gold import GoldUnit, paragraph_of
from draligned.evaluators.said import is_main_advice
from draligned.schema.labels import Actor, ItemDirection, Presence, Side
from draligned.schema.packets import ItemRead, ReadRecord

FIELDS = ("actor", "role", "action", "strength", "direction")
ABSENT = "absent"
"""No item rests on the paragraph."""


class MarkRead(NamedTuple):
    """One field of one mark in one read."""

    field: str
    allowed: tuple[str, ...]
    found: tuple[str, ...]
    """Values of the items that rest on the paragraph, sorted, each once."""
    right: bool


class Separation(NamedTuple):
    """A paragraph that is not the author's advice, in one read."""

    own_advice: bool
    """Whether it was read as the author's main advice."""


def mark_reads(units: Iterable[GoldUnit], reads: Sequence[ReadRecord]) -> Iterator[MarkRead]:
    """Every judged field of every mark of the documents that could be read.

    All items that rest on a mark's paragraph must have a value that is right. What is not the
    author's advice may be left out: then nothing of it is judged.
    """
    for mark, items, alpha in _marked(units, reads):
        if not items and _may_be_left_out(mark):
            continue
        for name in FIELDS:
            if allowed := tuple(v.value for v in getattr(mark, name)):
                found = tuple(sorted({_value(item, name, alpha) for item in items})) or (ABSENT,)
                yield MarkRead(name, allowed, found, set(found) <= set(allowed))


def separations(units: Iterable[GoldUnit], reads: Sequence[ReadRecord]) -> Iterator[Separation]:
    """Restatements and third-party material, and whether they were taken for own advice."""
    for mark, items, _ in _marked(units, reads):
        if mark.actor and _may_be_left_out(mark):
            yield Separation(any(is_main_advice(item) for item in items))


def _marked(
    units: Iterable[GoldUnit], reads: Sequence[ReadRecord]
) -> Iterator[tuple[Mark, list[ItemRead], Side]]:
    documents: Mapping[str, GoldDocument] = {
        u.unit.packet_id: u.gold for u in units if isinstance(u.gold, GoldDocument)
    }
    for read in reads:
        document = documents.get(read.packet_id)
        if document is None or read.void is not None:
            continue
        for mark in document.marks:
            number = paragraph_of(document, mark.says)
            yield mark, [i for i in read.items if number in i.paragraph_ids], read.alpha


def _may_be_left_out(mark: Mark) -> bool:
    return bool(mark.actor) and Actor.AGENT not in mark.actor


def _value(item: ItemRead, name: str, alpha: Side) -> str:
    if name != "direction":
        return str(getattr(item, name).value)
    ends = {ItemDirection.SLOT1: alpha, ItemDirection.SLOT2: alpha.other}
    end = ends.get(item.direction)
    return item.direction.value if end is None else Presence(f"{end.value}_ONLY").value
