"""The marker parser: well formed, unique, and the last non-empty line (SI-12, SI-13).

Two encodings carry the same values: `<stage>v</stage>` and `{"stage": "v"}`. Nothing is
repaired. Spaces around the line and, in JSON, between its tokens are no part of the
marker; every other character counts, invisible ones included. What only looks like a
marker is no marker, but is told apart from none at all (SI-27).
"""

import re
import sys
import unicodedata
from collections.abc import Collection, Iterator
from enum import StrEnum
from functools import cache
from typing import Literal, NamedTuple

from draligned.schema.strictjson import loads

Encoding = Literal["xml", "json"]


class MarkerProblem(StrEnum):
    """Why a reply has no valid marker; the first that applies, in this order."""

    ABSENT = "absent"
    """Nothing in the reply looks like a marker, in either encoding."""
    NOT_UNIQUE = "not_unique"
    IN_FENCE = "in_fence"
    """Inside a block of code, closed or not."""
    NOT_LAST = "not_last"
    """Another non-empty line follows it."""
    OTHER_ENCODING = "other_encoding"
    BAD_FORM = "bad_form"
    UNKNOWN_VALUE = "unknown_value"
    """Well formed, but the value is none of the declared ones (SI-29)."""


class MarkerReading(NamedTuple):
    """The value, or what is wrong: exactly one of the two is set."""

    value: str | None
    problem: MarkerProblem | None

    @property
    def emitted(self) -> bool:
        """Whether the reply holds a marker at all, be it a broken one (SI-22, indicator E)."""
        return self.problem is not MarkerProblem.ABSENT


def read_marker(
    text: str, values: Collection[str], encoding: Encoding, tag: str = "stage"
) -> MarkerReading:
    """Read the marker of a whole reply; never raises, whatever `text` holds."""
    lines = [_Line(*line, _lookalikes(line[0], encoding, tag) > 0) for line in _lines(text)]
    if _lookalikes(text, encoding, tag) > 1:
        return MarkerReading(None, MarkerProblem.NOT_UNIQUE)
    problem = _unfit(lines, values, encoding, tag)
    if problem is not None:
        return MarkerReading(None, problem)
    value = _READERS[encoding](lines[-1].text.strip(), tag)
    if value is None:
        return MarkerReading(None, MarkerProblem.BAD_FORM)
    known = value in values
    return MarkerReading(value if known else None, None if known else MarkerProblem.UNKNOWN_VALUE)


class _Line(NamedTuple):
    text: str
    fenced: bool
    """Whether it stands inside a block of code, or opens or closes one."""
    marked: bool
    """Whether a reader would see a marker in it, or half of one."""


def _unfit(
    lines: list[_Line], values: Collection[str], encoding: Encoding, tag: str
) -> MarkerProblem | None:
    """What forbids reading the last line as the one marker, if anything does."""
    other = _OTHER[encoding]
    elsewhere = [_READERS[other](line.text.strip(), tag) in values for line in lines]
    marked = [line for line in lines if line.marked]
    if not marked:
        foreign = any(_lookalikes(line.text, other, tag) for line in lines)
        return MarkerProblem.OTHER_ENCODING if foreign else MarkerProblem.ABSENT
    if any(elsewhere):
        return MarkerProblem.NOT_UNIQUE
    if any(line.fenced for line in marked):
        return MarkerProblem.IN_FENCE
    return None if lines[-1].marked else MarkerProblem.NOT_LAST


_BREAK = re.compile(r"\r\n|\n|\r")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Non-empty lines, and whether each is part of a block of code.

    A block that nobody closes runs to the end.
    """
    mark = ""
    for line in _BREAK.split(text):
        before, mark = mark, _fence_after(line, mark)
        if line.strip():
            yield line, bool(before or mark)


def _fence_after(line: str, mark: str) -> str:
    """The fence that is open after `line`, given the one that is open before; empty for none."""
    found = _FENCE.fullmatch(line)
    if found is None:
        return mark
    fence, rest = found.groups()
    if not mark:
        return "" if fence[0] == "`" and "`" in rest else fence
    closes = fence[0] == mark[0] and len(fence) >= len(mark) and not rest.strip()
    return "" if closes else mark


def _xml(line: str, tag: str) -> str | None:
    found = re.fullmatch(rf"<{re.escape(tag)}>([^<>]*)</{re.escape(tag)}>", line)
    return None if found is None else found.group(1)


def _json(line: str, tag: str) -> str | None:
    if not line.startswith("{"):
        return None
    try:
        read = loads(line)
    except ValueError:
        return None
    value = read.get(tag) if isinstance(read, dict) and len(read) == 1 else None
    return value if isinstance(value, str) else None


_READERS = {"xml": _xml, "json": _json}
_OTHER: dict[Encoding, Encoding] = {"xml": "json", "json": "xml"}


def _lookalikes(text: str, encoding: Encoding, tag: str) -> int:
    """Markers that a reader would take `text` to hold, broken ones included."""
    folded = plain(text)
    name = rf"\s*{re.escape(tag)}(?![a-z0-9_-])"
    if encoding == "json":
        return len(re.findall(rf"[\"'“”‘’]{name}\s*[\"'“”‘’]\s*:", folded))
    opened, closed = (len(re.findall(rf"<{slash}{name}", folded)) for slash in ("", r"\s*/"))
    return max(opened, closed)


def plain(text: str) -> str:
    """Full-width forms folded, invisible characters dropped, lower case: for counting alone."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).translate(_invisible()).casefold()


@cache
def _invisible() -> dict[int, None]:
    return {n: None for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) == "Cf"}
