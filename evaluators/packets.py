"""Blinded packets from observed runs and factor cards (DR-46 … DR-53, DR-59, DESIGN §7).

`EvalUnit` says what a packet stands for and is never rendered; the packet itself has no
field for arm, model, run or time.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Literal

from draligned.evaluators.paragraphs import segment
from draligned.evaluators.restatements import MASKING, masked_paragraphs
from draligned.schema.design import Endpoint, FactorCard
from draligned.schema.errors import DesignError
from draligned.schema.ids import document_packet_id, masked_packet_id, request_packet_id
from draligned.schema.labels import Side
from draligned.schema.observed import ObservedRequest, ObservedRun
from draligned.schema.packets import (
    DocumentPacket,
    EvalUnit,
    PacketRequest,
    RequestPacket,
    SlotText,
)

RequestMode = Literal["whole_run", "batch_prev3"]

BATCH_SIZE = 10
"""Requests labelled by one packet in mode `batch_prev3`."""
PRECEDING = 3
"""Requests before the batch that are shown as context (DR-53)."""


def assigned_factors(run: ObservedRun) -> tuple[str, ...]:
    """The factors that the run's condition assigns."""
    return tuple(a.factor_id for a in run.assigned)


def plan_units(
    runs: Iterable[ObservedRun],
    mode: RequestMode,
    factors_of: Callable[[ObservedRun], Iterable[str]] = assigned_factors,
) -> tuple[EvalUnit, ...]:
    """All units of `runs`, sorted by packet id; a text that occurs often is one unit (DR-59).

    `factors_of` adds axes that the condition does not assign: a placebo, a neutral arm's axis.
    """
    units = chain.from_iterable(
        request_units(run, factor, mode) + document_units(run, factor)
        for run in runs
        for factor in factors_of(run)
    )
    unique = {unit.packet_id: unit for unit in units}
    return tuple(unique[packet_id] for packet_id in sorted(unique))


def request_units(run: ObservedRun, factor_id: str, mode: RequestMode) -> tuple[EvalUnit, ...]:
    """The units of a run's executed requests; repeated requests count each time (DR-54)."""
    numbers = tuple(r.request_no for r in _in_order(run))
    size = BATCH_SIZE if mode == "batch_prev3" else max(len(numbers), 1)
    return tuple(
        EvalUnit(
            packet_id=request_packet_id(run.run_id, factor_id, mode, batch),
            kind="requests",
            factor_id=factor_id,
            run_id=run.run_id,
            request_nos=numbers[start : start + size],
            mode=mode,
        )
        for batch, start in enumerate(range(0, len(numbers), size))
    )


def document_units(run: ObservedRun, factor_id: str) -> tuple[EvalUnit, ...]:
    """The units of a run's distinct texts: saved versions and the final (DR-58)."""
    finals = (run.final,) if run.final else ()
    texts = dict.fromkeys(d.text_sha256 for d in (*run.drafts, *finals))
    return tuple(
        EvalUnit(
            packet_id=document_packet_id(text, factor_id),
            kind="document",
            factor_id=factor_id,
            run_id=None,
            text_sha256=text,
            mode="document",
        )
        for text in texts
    )


def masked_unit(text_sha256: str, factor_id: str) -> EvalUnit:
    """A text to be read with the user's restatements masked."""
    return EvalUnit(
        packet_id=masked_packet_id(text_sha256, factor_id, MASKING),
        kind="document",
        factor_id=factor_id,
        run_id=None,
        text_sha256=text_sha256,
        mode="masked",
    )


def request_packet(
    unit: EvalUnit, card: FactorCard, alpha: Side, run: ObservedRun
) -> RequestPacket:
    """The packet of a request unit. Numbers are positions in the run, from 1.

    Raises `DesignError` if `card` or `run` is not the unit's.
    """
    _check(unit, card)
    if unit.run_id != run.run_id:
        raise DesignError(f"packet {unit.packet_id} belongs to run {unit.run_id}, not {run.run_id}")
    labelled = set(unit.request_nos)
    numbered = list(enumerate(_in_order(run), start=1))
    first = min((no for no, r in numbered if r.request_no in labelled), default=1)
    shown = [
        PacketRequest(
            no=no, tool=r.tool, request=r.request, context_only=r.request_no not in labelled
        )
        for no, r in numbered
        if r.request_no in labelled or first - PRECEDING <= no < first
    ]
    return RequestPacket(
        lang=card.lang,
        question=card.axis.question,
        guidance=card.axis.guidance,
        alpha=_slot(card.endpoint(alpha)),
        beta=_slot(card.endpoint(alpha.other)),
        requests=tuple(shown),
    )


def document_packet(unit: EvalUnit, card: FactorCard, alpha: Side, text: str) -> DocumentPacket:
    """The packet of a document unit. Raises `DesignError` if `card` is not the unit's."""
    _check(unit, card)
    masked = unit.mode == "masked"
    return DocumentPacket(
        lang=card.lang,
        question=card.axis.question,
        guidance=card.axis.guidance,
        alpha=_slot(card.endpoint(alpha)),
        beta=_slot(card.endpoint(alpha.other)),
        paragraphs=masked_paragraphs(text, card) if masked else segment(text),
    )


def _in_order(run: ObservedRun) -> list[ObservedRequest]:
    return sorted(run.requests, key=lambda r: r.request_no)


def _slot(endpoint: Endpoint) -> SlotText:
    return SlotText(sentence=endpoint.sentence, words=endpoint.words)


def _check(unit: EvalUnit, card: FactorCard) -> None:
    if card.factor_id != unit.factor_id:
        raise DesignError(
            f"packet {unit.packet_id} is about factor {unit.factor_id}, "
            f"but was given the card of {card.factor_id}"
        )
