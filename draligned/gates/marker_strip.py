"""Taking stage tags out of a text, whatever form they came in: the one function for it.

Wider than the parser on purpose. What the parser calls broken (other letters, full width, in a
block of code, half a tag) shows a reader of the text as much as a good one does, so it goes too.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from draligned.gates.marker_text import plain

Span = tuple[int, int]
_LT, _GT, _SLASH = "(?:<|&lt;|%3c)", "(?:>|&gt;|%3e)", "(?:/|%2f)"
_QUOTE = "[\"'“”‘’]"
_DECORATION = "*_`~"
_MOST = 100
"""Characters between two tags that are taken for the value of a marker; more is text."""


class Stripped(NamedTuple):
    """A text without tags, and how many stood in it."""

    text: str
    n_tags: int


def strip_markers(text: str, values: Collection[str], tag: str = "stage") -> Stripped:
    """`text` without markers of `tag`, and without the lines that held nothing else.

    Elements go with what they hold, single tags alone or with one of `values` after them, JSON
    markers where they hold one of `values`. A text without any comes back as it is.
    """
    count = 0
    while tag in plain(text):
        spans = list(_spans(text, tuple(values), tag))
        if not spans:
            break
        for start, end in reversed(spans):
            text = _without(text, start, end)
        count += len(spans)
    return Stripped(text, count)


def _spans(text: str, values: tuple[str, ...], tag: str) -> Iterator[Span]:
    """Where markers stand in `text`, in order."""
    folded, places = _folded(text)
    for found in _pattern(values, tag).finditer(folded):
        yield places[found.start()], places[found.end() - 1] + 1


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, and for each of its characters the place in `text`."""
    pieces = [_fold(character) for character in text]
    places = [n for n, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), places


@cache
def _fold(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", character).casefold()


@cache
def _pattern(values: tuple[str, ...], tag: str) -> re.Pattern[str]:
    name = rf"\s*{re.escape(tag)}(?![a-z0-9_-])"
    known = "|".join(map(re.escape, values))
    more = rf"(?:(?!{_GT}|{_LT})[^\n]){{0,{_MOST}}}?"
    opened, closed = rf"{_LT}{name}", rf"{_LT}\s*{_SLASH}{name}"
    element = rf"{opened}{more}{_GT}{more}{closed}(?:\s*{_GT})?"
    single = rf"(?:{closed}|{opened})(?:{more}{_GT}(?:\s*(?:{known})(?![a-z0-9_]))?)?"
    in_json = rf"\{{\s*{_QUOTE}{name}\s*{_QUOTE}\s*:\s*{_QUOTE}\s*(?:{known})\s*{_QUOTE}\s*\}}"
    return re.compile(f"{element}|{single}|{in_json}")


def _without(text: str, start: int, end: int) -> str:
    """`text` less a span, its marks of emphasis, and its line where nothing else stands there."""
    while start and end < len(text) and text[start - 1] == text[end] and text[end] in _DECORATION:
        start, end = start - 1, end + 1
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before, after = text[line:start], re.match(r"[^\S\r\n]*(\r\n|\r|\n|\Z)", text[end:])
    if not text[end:].strip():
        return text[:start].rstrip()
    if before.strip() or after is None:
        return text[:start] + text[end:]
    return text[:line] + text[end + after.end() :]
