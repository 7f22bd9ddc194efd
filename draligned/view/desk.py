"""One reviewer's desk: which units, in which order, which endpoint first, and what was served.

Order and endpoints are drawn by the reviewer's key, which stands on no page. A page that is
served stays in memory until it is answered or many others were served; then its bytes go to the
archive with the answer (DR-104).
"""

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from draligned.constructors.packet import ReviewPacket
from draligned.constructors.review_units import CardUnit, card_units
from draligned.measure.reviews import open_items
from draligned.schema.base import short_id, unit_draw
from draligned.schema.design import FactorCard
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side
from draligned.schema.review import DirectionItem, ReviewAnswer, ReviewKey, ReviewKind
from draligned.study.folder import StudyFolder
from draligned.study.freeze import load_design, read_set_aside
from draligned.study.reviews import (
    answers_of,
    answers_to,
    item_sample,
    key_of,
    named,
    put_answer,
    reviewed,
)

SERVED = 500
"""Pages that are kept to be answered."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One card or item as this reviewer meets it."""

    unit_id: str
    first: Side
    packet: ReviewPacket | None = None
    """Of a card: with the endpoints in this reviewer's order."""
    item: DirectionItem | None = None
    card: FactorCard | None = None
    """Of an item: its factor, of which pages show the axis and both sentences."""

    @property
    def sentences(self) -> tuple[str, str]:
        """Both endpoints in this reviewer's order."""
        if self.packet is not None:
            return self.packet.endpoints
        assert self.card is not None
        return (self.card.endpoint(self.first).sentence,
                self.card.endpoint(self.first.other).sentence)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What one reviewer works at."""

    folder: StudyFolder
    key: ReviewKey
    units: tuple[Unit, ...]
    rehearsal: bool
    """Whether the texts are by rehearsal models."""
    _served: OrderedDict[str, tuple[str, bytes]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def kind(self) -> ReviewKind:
        """What is reviewed."""
        return self.key.kind

    @cached_property
    def answers(self) -> dict[str, tuple[ReviewAnswer, ...]]:
        """This reviewer's own answers by unit, as they were on disk when last looked at."""
        return dict(answers_of(self.folder.store, self.kind, self.key.reviewer))

    def next_open(self, answers: Mapping[str, object], after: int = 0) -> int | None:
        """Number of the next unit without an answer, from `after` on and round; none if none."""
        count = len(self.units)
        places = ((after + i) % count for i in range(count))
        return next((p + 1 for p in places if self.units[p].unit_id not in answers), None)

    def ticket(self) -> str:
        """What a page about to be served is known by when it comes back."""
        return secrets.token_urlsafe(18)

    def serve(self, ticket: str, unit: Unit, page: bytes) -> None:
        """Remember a page as it is served."""
        with self._lock:
            self._served[ticket] = (unit.unit_id, page)
            while len(self._served) > SERVED:
                self._served.popitem(last=False)

    def take(self, ticket: str, unit: Unit, answer: ReviewAnswer) -> bool:
        """Keep an answer with the page it was given on; false where that was not served here.

        A page is answered once: a second sending of it is another answer to no page.
        """
        with self._lock:
            unit_id, page = self._served.pop(ticket, ("", b""))
        if unit_id != unit.unit_id:
            return False
        put_answer(self.folder, answer, page)
        self.answers[unit_id] = answers_to(self.folder.store, self.kind, self.key.reviewer, unit_id)
        return True


def desk_of(root: Path, kind: ReviewKind, reviewer: str, *, rehearsal: bool = False) -> Desk:
    """The desk of a reviewer. Raises `DesignError` where nothing is to be reviewed, `ConfigError`
    for a name that is none."""
    folder = StudyFolder.at(root)
    name = named(reviewer)
    made = _cards(folder) if kind is ReviewKind.CARDS else _items(folder, kind, name)
    key = key_of(folder.store, kind, name, secrets.token_hex(16))
    units = tuple(sorted(made, key=lambda u: short_id(key.secret, u.unit_id)))
    drawn = tuple(_turned(u, key.secret) for u in units)
    return Desk(folder=folder, key=key, units=drawn, rehearsal=rehearsal)


def _cards(folder: StudyFolder) -> Sequence[Unit]:
    found = card_units(load_design(folder.store), read_set_aside(folder.store))
    if not found:
        raise DesignError("there is no card to review; `draligned construct` draws them up")
    return [_card(unit) for unit in found]


def _card(unit: CardUnit) -> Unit:
    return Unit(unit_id=unit.unit_id, first=unit.first, packet=unit.packet)


def _items(folder: StudyFolder, kind: ReviewKind, reviewer: str) -> Sequence[Unit]:
    sample = item_sample(folder.store)
    if sample is None:
        raise DesignError("no items were drawn for review yet; `--kind items` draws them")
    wanted = {i.item_id for i in sample.items}
    if kind is ReviewKind.DECISIONS:
        wanted &= _undecided(folder, reviewer)
    cards = {c.factor_id: c for c in load_design(folder.store).cards}
    return [
        Unit(unit_id=i.item_id, first=Side.P, item=i, card=cards[i.factor_id])
        for i in sample.items
        if i.item_id in wanted
    ]


def _undecided(folder: StudyFolder, reviewer: str) -> set[str]:
    people = reviewed(folder.store, ReviewKind.ITEMS)
    if reviewer in {p.reviewer for p in people}:
        raise DesignError(
            f"{reviewer} reviewed these items; they are decided under another name, be it that "
            "of one more person or of the reviewers together"
        )
    found = open_items([p.directions for p in people])
    if not found:
        raise DesignError("no item is open: two reviewers must have answered and not agree")
    return found


def _turned(unit: Unit, secret: str) -> Unit:
    """The unit with the endpoint first that the key draws."""
    first = Side.P if unit_draw(secret, unit.unit_id, "first") < 0.5 else Side.Q
    packet = unit.packet
    if packet is not None and first is not unit.first:
        one, two = packet.endpoints
        packet = packet.model_copy(update={"endpoint_1": two, "endpoint_2": one})
    return Unit(unit_id=unit.unit_id, first=first, packet=packet, item=unit.item, card=unit.card)
