"""How far one text is from another, made anew (DR-97, Q14).

The distance is counted column by column of the usual table, a column's differences held in two
whole numbers of Python (Myers 1999, Hyyrö 2003), not by the library of the first path.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from draligned.verify.cutting import Cut, cut


@dataclass(frozen=True, slots=True)
class Edit:
    """One text beside another; no numbers but for a reason."""

    n_from: int | None = None
    n_to: int | None = None
    distance: float | None = None
    n_sentences: int | None = None
    n_verbatim: int | None = None
    reason: str | None = None

    @property
    def share(self) -> float | None:
        """Sentences of the first that stand in the second."""
        if not self.n_sentences or self.n_verbatim is None:
            return None
        return self.n_verbatim / self.n_sentences


def levenshtein(a: Sequence[str], b: Sequence[str]) -> int:
    """Insertions, deletions and exchanges that make one of the other."""
    start, end = _alike(a, b), 0
    a, b = a[start:], b[start:]
    end = _alike(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    if not a or not b:
        return len(a) + len(b)
    places: dict[str, int] = {}
    for place, token in enumerate(a):
        places[token] = places.get(token, 0) | 1 << place
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, count = every, 0, len(a)
    for token in b:
        equal = places.get(token, 0)
        level = equal | down
        crossed = (((equal & up) + up) ^ up) | equal
        more, less = (down | ~(crossed | up)) & every, up & crossed
        count += bool(more & last) - bool(less & last)
        more, less = more << 1 | 1, less << 1
        up, down = (less | ~(level | more)) & every, more & level & every
    return count


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    """How many places they begin alike."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
                min(len(a), len(b)))  # fmt: skip


@dataclass
class Edits:
    """Distances of texts, each couple counted once; a text is kept as long as a few others."""

    text_of: Callable[[str], str | None]
    how: str
    _cuts: dict[str, Cut | None] = field(default_factory=dict)
    _found: dict[tuple[str, str], Edit] = field(default_factory=dict)

    def of(self, first: str, second: str) -> Edit:
        """The edit of two texts by their hashes."""
        key = (first, second)
        if key not in self._found:
            self._found[key] = self._made(self._cut(first), self._cut(second))
        return self._found[key]

    def _made(self, a: Cut | None, b: Cut | None) -> Edit:
        if a is None or b is None:
            return Edit(reason="text_missing")
        longer = max(len(a.tokens), len(b.tokens))
        if not longer:
            return Edit(n_from=0, n_to=0, reason="no_content_tokens")
        there = set(b.sentences)
        return Edit(
            n_from=len(a.tokens),
            n_to=len(b.tokens),
            distance=levenshtein(a.tokens, b.tokens) / longer,
            n_sentences=len(a.sentences),
            n_verbatim=sum(s in there for s in a.sentences),
        )

    def _cut(self, sha256: str) -> Cut | None:
        if sha256 not in self._cuts:
            if len(self._cuts) >= _KEPT:
                del self._cuts[next(iter(self._cuts))]
            text = self.text_of(sha256)
            self._cuts[sha256] = None if text is None else cut(text, self.how)
        return self._cuts[sha256]


_KEPT = 500
