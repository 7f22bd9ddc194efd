"""The one normaliser of message content (HARD_CASES 3, 9)."""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from draligned.schema.strictjson import clean_text

_TEXT_PARTS = frozenset({"text", "output_text", "refusal"})
_REASONING_PARTS = frozenset({"thinking", "reasoning", "reasoning_content"})
_CALL_PARTS = frozenset({"tool_use", "tool_call", "function_call", "functionCall"})
_MAX_COUNT = 1 << 40
"""No call has a million million tokens: such a number is none."""
_ODD_ESCAPES = re.compile(r"\\\\|((?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+|\\u0000)")


class ContentParts(NamedTuple):
    """Content taken apart: what is said, and what was only thought."""

    text: str | None
    reasoning: str | None


class Cleaner:
    """Cleans texts at the boundary and remembers whether it had to change any."""

    def __init__(self) -> None:
        self.changed = False

    def text(self, raw: str) -> str:
        """`raw` as text that can be stored."""
        cleaned = clean_text(raw)
        self.changed = self.changed or cleaned.sanitised
        return cleaned.text

    def arguments(self, raw: str) -> str:
        """As `text`, for JSON: escaped halves and NUL stay as sent, and are remembered too,
        since they are cleaned once the JSON is read."""
        for escaped in _ODD_ESCAPES.findall(raw):
            self.changed = self.changed or clean_text(json.loads(f'"{escaped}"')).sanitised
        return self.text(raw)


def split_content(content: Any) -> ContentParts | None:
    """Text and reasoning of a `content` field; None for a shape nobody sends on purpose.

    Text parts are joined without anything between them; parts of other kinds
    (images, audio) carry no text and are left out. A call among the parts is such a
    shape: without it the text would pass for a closing reply.
    """
    if content is None:
        return ContentParts(None, None)
    if isinstance(content, str):
        return ContentParts(content, None)
    if not isinstance(content, list) or any(_kind(part) in _CALL_PARTS for part in content):
        return None
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        _sort_part(part, texts, thoughts)
    return ContentParts(
        "".join(texts) if texts else None, "\n".join(thoughts) if thoughts else None
    )


def _kind(part: Any) -> str | None:
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else None


def _sort_part(part: Any, texts: list[str], thoughts: list[str]) -> None:
    if isinstance(part, str):
        texts.append(part)
        return
    kind = _kind(part)
    if kind in _TEXT_PARTS:
        texts.append(part_text(part))
    elif kind in _REASONING_PARTS:
        thoughts.append(part_text(part))


def part_text(part: dict[str, Any]) -> str:
    """The string a part carries, whatever its field is called."""
    for field in ("text", "thinking", "reasoning", "refusal", "summary", "content"):
        value = part.get(field)
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and isinstance(value.get("value"), str):
            return str(value["value"])
        if isinstance(value, list):
            return "".join(part_text(p) if isinstance(p, dict) else str(p) for p in value)
    return ""


def join_pieces(pieces: Iterable[str]) -> str:
    """Pieces of a streamed text as one; halves of a character in two of them are whole again."""
    text = "".join(pieces)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text


def as_int(value: Any) -> int | None:
    """A count, or None for anything that is not a plausible one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if 0 <= value < _MAX_COUNT else None
