"""Tables of the page of progress reports, written out."""

from dataclasses import dataclass

from draligned.report.texts import Texts

FEW = 12
"""So many rows are shown at once."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table: head and rows of written cells."""

    deployment: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: frozenset[tuple[int, int]] = frozenset()
    """Cells to stand out, by row and column."""

    @property
    def is_long(self) -> bool:
        """Whether it is folded."""
        return len(self.rows) > FEW


def grid_of(texts: Texts, keys: tuple[str, ...], body: tuple[tuple[str, ...], ...]) -> Grid | None:
    """A table with a head of known words; none without rows."""
    head = tuple(texts.word("p_head", key) for key in keys)
    return Grid(deployment="", head=head, rows=body) if body else None
