"""Blinded packets and what is read from them (DR-46 … DR-70, DESIGN §7).

A packet cannot express arm, model, run, time or order of creation: it has no
field for them. Its identity for the study stands in `EvalUnit`, which is never
rendered.
"""

from typing import Literal

from draligned.schema.base import Record
from draligned.schema.design import Lang
from draligned.schema.labels import (
    Action,
    Actor,
    CellStatus,
    ItemDirection,
    ReadRole,
    Role,
    Side,
    SlotLabel,
    Strength,
    VoidReason,
)


class SlotText(Record):
    """What an evaluator is told of one anonymous endpoint."""

    sentence: str
    words: tuple[str, ...]


class PacketRequest(Record):
    """One request in a packet; `context_only` ones are shown but not labelled."""

    no: int
    tool: Literal["search", "read"]
    request: str
    context_only: bool = False


class RequestPacket(Record):
    """Requests × one factor."""

    kind: Literal["requests"] = "requests"
    lang: Lang
    question: str
    guidance: str
    alpha: SlotText
    beta: SlotText
    requests: tuple[PacketRequest, ...]


class Paragraph(Record):
    """A numbered paragraph; all `text`s joined give the document back, byte for byte."""

    no: int
    text: str


class DocumentPacket(Record):
    """One text × one factor."""

    kind: Literal["document"] = "document"
    lang: Lang
    question: str
    guidance: str
    alpha: SlotText
    beta: SlotText
    paragraphs: tuple[Paragraph, ...]


class EvalUnit(Record):
    """What a packet stands for in the study; never shown to an evaluator."""

    packet_id: str
    kind: Literal["requests", "document"]
    factor_id: str
    run_id: str | None
    """For requests: the run whose requests they are."""
    request_nos: tuple[int, ...] = ()
    """For requests: the numbers labelled by this packet."""
    text_sha256: str | None = None
    """For documents: the text, read once however often it occurs (DR-59)."""
    mode: Literal["whole_run", "batch_prev3", "document", "masked"]
    """`masked`: a document with the user's restatements masked, a control of its label."""


class CellRead(Record):
    """One request × factor cell of one read, in slot terms."""

    request_no: int
    status: CellStatus
    label: SlotLabel | None
    quote: str = ""
    reason: VoidReason | None = None


class ItemRead(Record):
    """One valid extracted item of one read, in slot terms (Q9)."""

    entity_key: str
    actor: Actor
    role: Role
    action: Action
    strength: Strength
    direction: ItemDirection
    paragraph_ids: tuple[int, ...]


class DroppedItem(Record):
    """An item that did not validate, with the reason; never repaired."""

    index: int
    reason: str


class ReadRecord(Record):
    """One read of one packet: the first answered reply is final, however invalid."""

    packet_id: str
    kind: Literal["requests", "document"]
    factor_id: str
    evaluator_id: str
    protocol_sha256: str
    role: ReadRole
    alpha: Side
    """Which endpoint stood in the ALPHA slot."""
    packet_sha256: str
    """Hash of the rendered messages, archived in blobs (DR-104)."""
    reply_sha256: str | None
    """Hash of the raw reply text in blobs; none when the packet was never sent (oversize)."""
    void: VoidReason | None
    """Why the whole read is unreadable; none if it could be decoded."""
    cells: tuple[CellRead, ...] = ()
    items: tuple[ItemRead, ...] = ()
    dropped: tuple[DroppedItem, ...] = ()
    cap_hit: bool = False
    has_items_list: bool = False
