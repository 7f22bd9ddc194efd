"""Packets of the gold set, built as a study's are (DR-46 … DR-61)."""

from functools import cache
from typing import NamedTuple

from draligned.bench_data.gold import GoldAxis, GoldDocument, GoldPacket, gold_set
from draligned.evaluators.packets import document_packet, request_packet
from draligned.evaluators.paragraphs import segment
from draligned.evaluators.render import Packet
from draligned.schema.base import sha256_text, short_id
from draligned.schema.design import Assigned, FactorCard, Lang
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.labels import CardOutcome, Channel, Observes, Side
from draligned.schema.observed import ObservedFinal, ObservedRequest, ObservedRun
from draligned.schema.packets import EvalUnit
from draligned.schema.retrieval import ReturnStatus

GOLD_SEED = 20261130
"""Which end stands first in the first read of a gold packet is drawn with it, in every study."""


class GoldUnit(NamedTuple):
    """One gold packet and what it stands for."""

    unit: EvalUnit
    gold: GoldPacket | GoldDocument
    lang: Lang
    gold_id: str
    """Identity of the gold packet, whatever asks for it."""

    @property
    def by_sense(self) -> bool:
        """Whether it is a document that only sense can label."""
        return isinstance(self.gold, GoldDocument) and self.gold.sense

    @property
    def key(self) -> str:
        """By what tables know it: a run's requests, or a text on an axis."""
        if self.unit.text_sha256 is None:
            return self.gold_id
        return f"{self.unit.text_sha256}|{self.unit.factor_id}"

    def packet(self, alpha: Side) -> Packet:
        """The blinded packet, by the functions that build a study's."""
        card = _card(self.gold.axis, self.lang)
        if isinstance(self.gold, GoldDocument):
            return document_packet(self.unit, card, alpha, self.gold.text)
        return request_packet(self.unit, card, alpha, self.run)

    @property
    def run(self) -> ObservedRun:
        """A finished run with the requests or the document, of which a packet shows no more."""
        return _run(self)

    def named(self, *of: object) -> "GoldUnit":
        """The same packet as a unit of another identity, so that it can be asked once more."""
        packet_id = short_id("gold", self.gold_id, *of)
        return self._replace(unit=self.unit.model_copy(update={"packet_id": packet_id}))


@cache
def gold_units(lang: Lang) -> tuple[GoldUnit, ...]:
    """Every packet of the gold set, requests first."""
    gold = gold_set(lang)
    requests = (GoldUnit(_request_unit(p, lang), p, lang, p.gold_id) for p in gold.packets)
    documents = (GoldUnit(_document_unit(d, lang), d, lang, d.gold_id) for d in gold.documents)
    return (*requests, *documents)


def paragraph_of(document: GoldDocument, says: str) -> int:
    """Number of the paragraph that holds a piece of the text."""
    return next(p.no for p in segment(document.text) if says in p.text)


def _request_unit(packet: GoldPacket, lang: Lang) -> EvalUnit:
    return EvalUnit(
        packet_id=packet.gold_id,
        kind="requests",
        factor_id=_card(packet.axis, lang).factor_id,
        run_id=packet.gold_id,
        request_nos=tuple(range(1, len(packet.requests) + 1)),
        mode="whole_run",
    )


def _document_unit(document: GoldDocument, lang: Lang) -> EvalUnit:
    return EvalUnit(
        packet_id=document.gold_id,
        kind="document",
        factor_id=_card(document.axis, lang).factor_id,
        run_id=None,
        text_sha256=sha256_text(document.text),
        mode="document",
    )


@cache
def _card(axis: GoldAxis, lang: Lang) -> FactorCard:
    """A card with the axis; what evaluators are not told is left blank."""
    return FactorCard(
        task_id="gold",
        user_id="gold",
        lang=lang,
        domain="",
        kind=axis.name,
        field_path=axis.name,
        evidence_quote="",
        p=axis.p,
        q=axis.q,
        background=(),
        removed_from_both=(),
        decision=axis.question,
        order_p=(),
        order_q=(),
        axis=axis.axis,
        source="hand",
        outcome=CardOutcome.ACCEPTED,
    )


def _run(unit: GoldUnit) -> ObservedRun:
    gold = unit.gold
    requests = gold.requests if isinstance(gold, GoldPacket) else ()
    return ObservedRun(
        run_id=unit.gold_id,
        attempt=1,
        condition_id="",
        task_id=unit.gold_id,
        user_id="gold",
        assigned=(Assigned(factor_id=unit.unit.factor_id, side=Side.P),),
        model_name="",
        model_key="",
        harness_name="",
        harness_key="",
        environment="",
        replicate=1,
        observes={Channel.ACQUISITION: Observes.FULL, Channel.FINALIZATION: Observes.FULL},
        requests=tuple(
            ObservedRequest(
                request_no=no, seq=no, tool=r.tool, request=r.text, return_status=ReturnStatus.OK
            )
            for no, r in enumerate(requests, start=1)
        ),
        drafts=(),
        final=_final(gold.text) if isinstance(gold, GoldDocument) else None,
        end=EpisodeEnd(
            ended_by=EndedBy.NO_TOOL_CALL,
            outcome=Outcome.TEXT_REPLY,
            final_sha256=None,
            work_done_by_state=False,
        ),
    )


def _final(text: str) -> ObservedFinal:
    return ObservedFinal(seq=1, text_sha256=sha256_text(text), chars=len(text), by="text_reply")
