"""A constructor's or reviewer's reply as one JSON object, found as evaluators' answers are."""

from typing import Any

from draligned.models.answers import find_answer
from draligned.schema.base import Record
from draligned.schema.chat import ChatReply
from draligned.schema.labels import VoidReason

_REASONS = {
    VoidReason.EMPTY_REPLY: "empty reply",
    VoidReason.LENGTH_CUT: "it was cut by its length",
    VoidReason.AMBIGUOUS: "ambiguous: several JSON objects",
    VoidReason.FENCE_OPEN: "a code fence is left open",
}


class ReplyObject(Record):
    """The object a reply holds, or why none could be read."""

    value: dict[str, Any] | None
    reason: str = ""


def read_object(reply: ChatReply) -> ReplyObject:
    """The one JSON object of a reply. Nothing is repaired."""
    answer = find_answer(reply)
    if isinstance(answer, VoidReason):
        return ReplyObject(value=None, reason=_REASONS.get(answer, "not one JSON object"))
    return ReplyObject(value=answer)
