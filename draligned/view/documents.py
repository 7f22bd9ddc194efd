"""A document as numbered paragraphs, each with the items that reads found in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from draligned.evaluators.paragraphs import segment
from draligned.report.shown import Shown, shown
from draligned.schema.labels import ReadRole
from draligned.schema.packets import EvalUnit, ItemRead
from draligned.schema.trajectory import Evidence, Step
from draligned.view.loading import Said

LIMIT = 200_000
"""Characters of one document on one page."""
BOTH = "both"
SIDES = ("P_ONLY", "Q_ONLY", "BOTH")


@dataclass(frozen=True, kw_only=True)
class Item:
    """One item, as one read gives it, restored to P and Q."""

    read: str
    """first or mirror; both where both reads give the very same item."""
    entity: Shown
    presence: str
    main: bool
    words: tuple[str, ...]
    """Actor, role, action and strength, as codes."""
    paragraphs: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ParagraphView:
    """One paragraph, and the items that rest on it."""

    no: int
    text: Shown
    items: tuple[Item, ...]

    def stripe(self, read: str) -> str:
        """The direction of the main advice that a read found in it; blank where none has one."""
        found = {i.presence for i in self.items if i.read in (read, BOTH) and i.main} & set(SIDES)
        if len(found) > 1:
            return "BOTH"
        return next(iter(found), "")


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """One document. `kept` of `chars` characters are on the page."""

    step: Step | None
    paragraphs: tuple[ParagraphView, ...]
    kept: int
    chars: int
    loose: tuple[Item, ...]
    """Items whose paragraphs are not on the page."""
    problem: str = ""
    """Why the text cannot be shown."""


def document_view(text: str, step: Step | None, items: Sequence[Item]) -> DocumentView:
    """The paragraphs of a text, up to the limit, with their items."""
    parts = tuple(_paragraphs(text, items))
    there = {p.no for p in parts}
    return DocumentView(
        step=step,
        paragraphs=parts,
        kept=sum(p.text.kept for p in parts),
        chars=len(text),
        loose=tuple(i for i in items if not there & set(i.paragraphs)),
    )


def _paragraphs(text: str, items: Sequence[Item]) -> Iterator[ParagraphView]:
    left = LIMIT
    for part in segment(text):
        if left <= 0:
            return
        own = tuple(i for i in items if part.no in i.paragraphs)
        yield ParagraphView(no=part.no, text=shown(part.text.rstrip("\r\n"), left), items=own)
        left -= len(part.text)


def items_of(said: Said, unit: EvalUnit | None, step: Step | None) -> tuple[Item, ...]:
    """The items of a document by its first and mirrored reads, those that both give once."""
    if unit is None or step is None:
        return ()
    out: list[Item] = []
    for role in (ReadRole.FIRST, ReadRole.MIRROR):
        record = said.read(unit, role)
        found = [e for e in step.evidence if e.read is role]
        if record is not None and len(found) == len(record.items):
            out += [_item(i, e) for i, e in zip(record.items, found, strict=True)]
    return tuple(_once(out))


def _once(items: Sequence[Item]) -> Iterator[Item]:
    both = [replace(i, read=BOTH) for i in items]
    for one, item in zip(both, items, strict=True):
        if both.count(one) == 1:
            yield item
        elif item.read == ReadRole.FIRST.value:
            yield one


def _item(item: ItemRead, said: Evidence) -> Item:
    return Item(
        read=said.read.value,
        entity=shown(item.entity_key, 200),
        presence=said.presence.value,
        main=said.main,
        words=(item.actor.value, item.role.value, item.action.value, item.strength.value),
        paragraphs=item.paragraph_ids,
    )
