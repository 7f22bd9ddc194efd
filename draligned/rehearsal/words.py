"""Where the public words of two endpoints stand in a text."""

import re
from functools import lru_cache
from typing import NamedTuple


class Slots(NamedTuple):
    """The public words of the two anonymous slots."""

    alpha: tuple[str, ...]
    beta: tuple[str, ...]


class Found(NamedTuple):
    """Which slots' words a text holds, and a verbatim piece with one of each."""

    alpha: bool
    beta: bool
    quote: str


@lru_cache(maxsize=512)
def _pattern(slots: Slots) -> re.Pattern[str] | None:
    """One scan for both slots; at any place the longest word wins, whichever slot has it."""
    marked = [("a", w) for w in slots.alpha if w] + [("b", w) for w in slots.beta if w]
    marked.sort(key=lambda pair: (-len(pair[1]), pair[1]))
    parts = [f"(?P<{slot}{i}>{_one(word)})" for i, (slot, word) in enumerate(marked)]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _one(word: str) -> str:
    """Latin words match whole, with a common ending; others wherever they stand."""
    escaped = re.escape(word)
    if word.isascii():
        return rf"(?<![A-Za-z0-9]){escaped}(?:s|es|ed)?(?![A-Za-z0-9])"
    return escaped


def find_words(text: str, slots: Slots) -> Found:
    """Which slots' words stand in `text`."""
    pattern = _pattern(slots)
    first: dict[str, tuple[int, int]] = {}
    for match in pattern.finditer(text) if pattern else ():
        first.setdefault((match.lastgroup or "")[:1], match.span())
    if not first:
        return Found(alpha=False, beta=False, quote="")
    start = min(s for s, _ in first.values())
    end = max(e for _, e in first.values())
    return Found(alpha="a" in first, beta="b" in first, quote=text[start:end])
