"""Cards as people review them: the anonymised packet, and which endpoint stands first in it."""

from collections.abc import Iterable

from draligned.constructors.packet import ReviewPacket, packet_of
from draligned.schema.base import Record, short_id
from draligned.schema.design import Design, FactorCard, Finding, SetAside
from draligned.schema.labels import Side
from draligned.schema.review import Found, ReviewAnswer


class CardUnit(Record):
    """One card to be reviewed. Its id changes with what a reviewer would see of it."""

    unit_id: str
    card: FactorCard
    packet: ReviewPacket

    @property
    def first(self) -> Side:
        """Which endpoint is `endpoint_1` of the packet."""
        return Side.P if self.packet.endpoint_1 == self.card.p.sentence else Side.Q


def card_units(design: Design, set_aside: Iterable[SetAside]) -> tuple[CardUnit, ...]:
    """Every card that was drawn up: those of the design, then those set aside; each once."""
    tasks = {t.task_id: t for t in design.tasks}
    drawn = [(card, tasks[card.task_id]) for card in design.cards]
    drawn += [(s.card, s.task) for s in set_aside]
    units: dict[str, CardUnit] = {}
    for card, task in drawn:
        packet = packet_of(card, task)
        unit_id = short_id("card", card.factor_id, packet.sha256())
        units.setdefault(unit_id, CardUnit(unit_id=unit_id, card=card, packet=packet))
    return tuple(units.values())


def judged(card: FactorCard, answers: Iterable[ReviewAnswer]) -> FactorCard:
    """The card with the answers of people as its only findings; its outcome stays."""
    found = tuple(
        Finding.model_validate(
            {
                "reviewer": answer.reviewer,
                "problem": said.problem,
                "verdict": _VERDICT[said.found],
                "reason": said.note,
            }
        )
        for answer in answers
        for said in answer.problems
    )
    return card.model_copy(update={"findings": found})


_VERDICT = {Found.YES: "fatal", Found.NO: "ok", Found.CANNOT_TELL: "undecided"}
