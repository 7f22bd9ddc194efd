"""The anonymised packet that reviewers see: not which endpoint was recorded (DR-11)."""

from draligned.schema.base import Record, unit_draw
from draligned.schema.design import Detail, FactorCard, Lang, TaskRecord


class ReviewPacket(Record):
    """A card without its sides, its quote, or who drew it up."""

    lang: Lang
    task: str
    domain: str
    background: tuple[Detail, ...]
    kind: str
    endpoint_1: str
    endpoint_2: str
    decision: str
    options: tuple[str, ...]
    """In sorted order, so that they tell neither side."""

    @property
    def endpoints(self) -> tuple[str, str]:
        """Both sentences."""
        return (self.endpoint_1, self.endpoint_2)


def packet_of(card: FactorCard, task: TaskRecord) -> ReviewPacket:
    """The packet of a card; which endpoint comes first is drawn by hash."""
    sentences = [card.p.sentence, card.q.sentence]
    if unit_draw("review-order", *sorted(sentences), task.task_id) < 0.5:
        sentences.sort()
    else:
        sentences.sort(reverse=True)
    return ReviewPacket(
        lang=card.lang,
        task=task.text,
        domain=task.domain,
        background=card.background,
        kind=card.kind,
        endpoint_1=sentences[0],
        endpoint_2=sentences[1],
        decision=card.decision,
        options=tuple(sorted({*card.order_p, *card.order_q})),
    )
