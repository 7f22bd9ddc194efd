"""A packet as the messages that an evaluator is sent.

Prompts are fixed texts and the packet is JSON, so there is no template in which text from
pages or models could be evaluated.
"""

import json
from typing import Any

from draligned.evaluators.items import FACTOR_CODE
from draligned.evaluators.protocol import Protocol
from draligned.schema.chat import Message
from draligned.schema.packets import DocumentPacket, RequestPacket
from draligned.schema.strictjson import clean_text, dumps, loads

Packet = RequestPacket | DocumentPacket


def render(packet: Packet, protocol: Protocol) -> tuple[Message, ...]:
    """System message: the protocol text. User message: one line, then the packet as JSON."""
    prompts = protocol.prompts(packet.kind)
    body = json.dumps(_shown(packet), ensure_ascii=False, indent=2, allow_nan=False)
    user = clean_text(f"{prompts.instruction}\n{body}").text
    return (Message(role="system", text=prompts.system), Message(role="user", text=user))


def archive_text(messages: tuple[Message, ...]) -> str:
    """The messages as one line of strict JSON, to be archived with each label (DR-104)."""
    return dumps([{"role": m.role, "text": m.text} for m in messages])


def archived_messages(text: str) -> tuple[Message, ...]:
    """The messages that `archive_text` wrote. Raises `ValueError` on anything else."""
    return tuple(Message.model_validate(message) for message in loads(text))


def _shown(packet: Packet) -> dict[str, Any]:
    """The packet's fields as an evaluator sees them."""
    fields = packet.model_dump(mode="json", exclude={"lang"})
    if packet.kind == "document":
        return {"kind": fields.pop("kind"), "factor": FACTOR_CODE, **fields}
    return fields
