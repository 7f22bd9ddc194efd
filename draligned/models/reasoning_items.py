"""Reasoning items of the responses interface, kept so that they can go back as they came.

A provider that wants them back wants them where they stood: before the message, or
before the call they led to.
"""

from typing import Any, NamedTuple

from draligned.models.content import Cleaner, part_text
from draligned.schema.chat import Message
from draligned.schema.strictjson import dumps, loads

_KEPT = ("type", "id", "summary", "content", "encrypted_content")


class Placed(NamedTuple):
    """A reasoning item, and the number of calls that stood before it; -1: before the message."""

    before: int
    item: dict[str, Any]


def reasoning_text(item: dict[str, Any]) -> str:
    """What can be read of a reasoning item: its text, else its summary."""
    for field in ("content", "summary"):
        parts = item.get(field)
        texts = [
            part_text(part) if isinstance(part, dict) else str(part)
            for part in (parts if isinstance(parts, list) else ())
        ]
        if any(texts):
            return "\n".join(texts)
    return part_text(item)


def placed(output: list[Any]) -> list[Placed]:
    """The reasoning items of an output that can go back: those that carry more than a summary."""
    found: list[Placed] = []
    calls, waiting = 0, []
    for item in (i for i in output if isinstance(i, dict)):
        kind = item.get("type")
        if kind == "reasoning" and (item.get("encrypted_content") or item.get("content")):
            waiting.append({k: v for k in _KEPT if (v := item.get(k)) is not None})
        elif kind in ("message", "function_call"):
            found += [Placed(-1 if kind == "message" else calls, w) for w in waiting]
            calls, waiting = calls + (kind == "function_call"), []
    return found


def state_of(output: list[Any], cleaner: Cleaner) -> str | None:
    """`Message.reasoning_state` for an output; None where nothing can go back."""
    items = placed(output)
    try:
        return cleaner.text(dumps([list(p) for p in items])) if items else None
    except ValueError:
        return None


def items_before(message: Message) -> dict[int, list[dict[str, Any]]]:
    """The kept items of a message by the number of calls before them."""
    try:
        kept = loads(message.reasoning_state or "[]")
        out: dict[int, list[dict[str, Any]]] = {}
        for before, item in kept:
            out.setdefault(int(before), []).append({"summary": [], **item})
    except (ValueError, TypeError):
        return {}
    return out
