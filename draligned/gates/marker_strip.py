"""Taking stage tags out of a text, whatever form they came in: the one function for it.

Wider than the parser on purpose. What the parser calls broken (other letters, full width, in a
block of code, half a tag) shows a reader of the text as much as a good one does, so it goes too.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

Span = tuple[int, int]
_LT = r"(?:[<〈⟨‹]|&lt;|&#60;|&#x3c;|%3c|\\u003c)"
_GT = r"(?:[>〉⟩›]|&gt;|&#62;|&#x3e;|%3e|\\u003e)"
_SLASH = r"(?:/|&#47;|&#x2f;|%2f|\\/)"
_QUOTE = "[\"'“”‘’]"
_DECORATION = "*_`~"
_MOST = 100
"""Characters between two tags that are taken for the value of a marker; more is text."""
_ROUNDS = 20
"""How often a text is gone through; tags taken out may leave pieces that make another."""


class Stripped(NamedTuple):
    """A text without tags, and how many stood in it."""

    text: str
    n_tags: int


def strip_markers(text: str, values: Collection[str], tag: str = "stage") -> Stripped:
    """`text` without markers of `tag`, and without the lines that held nothing else.

    Elements go with what they hold, single tags alone or with one of `values` after them, JSON
    markers where they hold one of `values`. A text without any comes back as it is; one that
    nests them deeper than anybody writes loses its brackets, so that none can be left.
    """
    count, pattern = 0, _pattern(tuple(values), tag)
    for _ in range(_ROUNDS):
        spans = list(_spans(text, pattern, tag))
        if not spans:
            return Stripped(text, count)
        for start, end in reversed(spans):
            text = _without(text, start, end)
        count += len(spans)
    for start, end in reversed(list(_spans(text, _BRACKET, tag))):
        text = f"{text[:start]} {text[end:]}"
    return Stripped(text, count)


def _spans(text: str, pattern: re.Pattern[str], tag: str) -> Iterator[Span]:
    """Where `pattern` stands in `text` as it is compared, in order; nowhere without `tag`."""
    folded, places = _folded(text)
    for found in pattern.finditer(folded) if tag in folded else ():
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


_BRACKET = re.compile(rf"{_LT}|\{{")


@cache
def _pattern(values: tuple[str, ...], tag: str) -> re.Pattern[str]:
    name = rf"\s*{re.escape(tag)}(?![a-z0-9_-])"
    known = "|".join(re.escape(value.casefold()) for value in values)
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
