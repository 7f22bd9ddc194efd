"""Documents as numbered paragraphs, without changing a character (DR-60, DR-61)."""

import re
from collections.abc import Iterator
from itertools import pairwise

from draligned.schema.packets import Paragraph

MAX_BYTES = 300_000
MAX_CHARS = 120_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)、．])[ \t]*\S")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def segment(text: str) -> tuple[Paragraph, ...]:
    """Cut `text` at line ends into paragraphs numbered from 1; joined they give `text` back.

    A paragraph begins after a blank line, at a heading, after a heading and at a list item.
    Tables and closed code fences stay whole. Blank lines belong to the paragraph before them
    (leading ones to the first). A line is never cut, however long.
    """
    lines = _LINE.findall(text)
    starts = [i for i in _starts(lines) if i > 0]
    edges = [0, *starts, len(lines)] if lines else [0]
    texts = ("".join(lines[a:b]) for a, b in pairwise(edges))
    return tuple(Paragraph(no=no, text=part) for no, part in enumerate(texts, start=1))


def oversize(text: str) -> bool:
    """Whether a document is too large to be read: it stays UNKNOWN and is never sent (DR-61)."""
    return len(text) > MAX_CHARS or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES


def _starts(lines: list[str]) -> Iterator[int]:
    """Indices of lines that begin a paragraph, the first nonblank line left out."""
    fenced = _fenced(lines)
    previous: str | None = None
    gap = False
    for i, line in enumerate(lines):
        if not line.strip() and i not in fenced:
            gap = True
            continue
        inside = i in fenced and i - 1 in fenced
        if previous is not None and not inside and (gap or _breaks(previous, line)):
            yield i
        previous, gap = line, False


def _breaks(previous: str, line: str) -> bool:
    """Whether `line` begins a paragraph although no blank line stands before it."""
    return bool(_HEADING.match(line) or _HEADING.match(previous) or _LIST_ITEM.match(line))


def _fenced(lines: list[str]) -> set[int]:
    """Indices of the lines of closed code fences."""
    out: set[int] = set()
    opened: tuple[int, str] | None = None
    for i, line in enumerate(lines):
        match = _FENCE.match(line)
        if opened is None:
            opened = (i, match[1]) if match else None
        elif match and match[1].startswith(opened[1]) and line.strip() == match[1]:
            out.update(range(opened[0], i + 1))
            opened = None
    return out
