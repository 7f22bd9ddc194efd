"""One read of one packet: one call, and the first answered reply is final (DESIGN §7)."""

from collections.abc import Callable
from typing import NamedTuple

from draligned.evaluators.cells import validate_cells, void_cells
from draligned.evaluators.items import validate_items
from draligned.evaluators.orientation import PlannedRead, read_id
from draligned.evaluators.paragraphs import oversize
from draligned.evaluators.protocol import Protocol
from draligned.evaluators.render import Packet, archive_text, render
from draligned.models.answers import Answer, find_answer, reply_text
from draligned.models.protocol import ChatModel
from draligned.schema.base import sha256_text
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, Message
from draligned.schema.errors import RequestRefused
from draligned.schema.ids import seed_of
from draligned.schema.labels import VoidReason
from draligned.schema.packets import EvalUnit, ReadRecord

_ABOUT_THE_PACKET = frozenset({None, 413, 451})
"""Refusals that answer this packet. Others (key, account, model name) are about the asker:
they leave the cell open, lest a mistyped key use up every packet of a study."""
_BAD_REQUEST = frozenset({400, 422})
"""About the packet where this model has answered others, else perhaps about its parameters."""


class ReadResult(NamedTuple):
    """A read and the two texts to be archived with it."""

    record: ReadRecord
    rendered: str
    """The messages as one line of JSON; its hash is `record.packet_sha256`."""
    reply: str | None
    """The raw reply; its hash is `record.reply_sha256`. None if there was none."""


async def read_packet(
    model: ChatModel,
    unit: EvalUnit,
    packet: Packet,
    planned: PlannedRead,
    protocol: Protocol,
    *,
    evaluator_id: str,
    heard: Callable[[], bool] = lambda: True,
) -> ReadResult:
    """Send the packet once and validate what comes back.

    Transport failures (`RateLimited`, `BadResponse`, `ProviderError`), `SpendLimit` and
    refusals that are not about the packet propagate: the cell stays open. An oversize document
    is not sent (DR-61); a refused packet is void with reason `request_refused`. A bare "bad
    request" says that only once the model has answered a packet (`heard`): before, it may as
    well be a wrong parameter, which must not use up every packet of a study.
    """
    owner = read_id(unit.packet_id, evaluator_id, planned.role)
    messages = render(packet, protocol)
    outcome: ChatReply | VoidReason = VoidReason.OVERSIZE
    if not _too_large(packet):
        outcome = await _ask(model, _request(owner, messages), heard)
    rendered = archive_text(messages)
    reply = reply_text(outcome) if isinstance(outcome, ChatReply) else None
    blank = ReadRecord(
        packet_id=unit.packet_id,
        kind=unit.kind,
        factor_id=unit.factor_id,
        evaluator_id=evaluator_id,
        protocol_sha256=protocol.sha256(),
        role=planned.role,
        alpha=planned.alpha,
        packet_sha256=sha256_text(rendered),
        reply_sha256=None if reply is None else sha256_text(reply),
        void=None,
    )
    answer = find_answer(outcome) if isinstance(outcome, ChatReply) else outcome
    return ReadResult(_filled(blank, unit, packet, answer), rendered, reply)


def _too_large(packet: Packet) -> bool:
    return packet.kind == "document" and oversize("".join(p.text for p in packet.paragraphs))


def _request(owner: str, messages: tuple[Message, ...]) -> ChatRequest:
    return ChatRequest(
        key=CallKey(owner=owner, attempt=1, sequence=1),
        messages=messages,
        seed=seed_of(owner),
        json_mode=True,
    )


async def _ask(
    model: ChatModel, request: ChatRequest, heard: Callable[[], bool]
) -> ChatReply | VoidReason:
    try:
        return await model.complete(request)
    except RequestRefused as error:
        about = error.status in _ABOUT_THE_PACKET
        if not about and not (error.status in _BAD_REQUEST and heard()):
            raise
        return VoidReason.REFUSED


def _filled(
    blank: ReadRecord, unit: EvalUnit, packet: Packet, answer: Answer | VoidReason
) -> ReadRecord:
    """The record with what the answer holds."""
    if isinstance(answer, VoidReason):
        return blank.model_copy(
            update={"void": answer, "cells": void_cells(unit.request_nos, answer)}
        )
    if packet.kind == "requests":
        return blank.model_copy(update=validate_cells(answer, packet, unit.request_nos)._asdict())
    return blank.model_copy(update=validate_items(answer, packet)._asdict())
