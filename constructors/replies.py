"""Reading a model's reply as one JSON object, strictly (Hard cases 7, 8, 10)."""

import re
from typing import Any

from draligned.schema.base import Record
from draligned.schema.strictjson import loads

_FENCE = re.compile(r"^```[A-Za-z]*[ \t]*\n(.*?)\n?```[ \t]*$", re.DOTALL | re.MULTILINE)


class ReplyObject(Record):
    """The object a reply holds, or why none could be read."""

    value: dict[str, Any] | None
    reason: str = ""


def read_object(text: str | None) -> ReplyObject:
    """The one JSON object of a reply: the whole text, or the only fenced block.

    Nothing is repaired; two candidates are `ambiguous`, never "first wins".
    """
    if not text or not text.strip():
        return ReplyObject(value=None, reason="empty reply")
    body = text.rpartition("</think>")[2].strip()
    whole = _load(body)
    if whole is not None:
        return ReplyObject(value=whole)
    blocks = [v for m in _FENCE.finditer(body) if (v := _load(m.group(1))) is not None]
    if len(blocks) == 1:
        return ReplyObject(value=blocks[0])
    reason = "ambiguous: several JSON objects" if blocks else "not one JSON object"
    return ReplyObject(value=None, reason=reason)


def _load(text: str) -> dict[str, Any] | None:
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
