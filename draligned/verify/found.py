"""What a check found: how many items match, and every one that does not, by name."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One item that is not what it should be."""

    part: str
    file: str
    """Key of the file in the study."""
    key: str
    """Where in the file: a line, a row, a cell."""
    stored: str
    recomputed: str

    def line(self) -> str:
        """All of it on one line."""
        where = f"{self.file} [{self.key}]" if self.key else self.file
        return f"{where}: stored {self.stored}, recomputed {self.recomputed}"


@dataclass
class Part:
    """One group of like items."""

    name: str
    matched: int = 0
    total: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def right(self, count: int = 1) -> None:
        """So many items are as they should be."""
        self.matched += count
        self.total += count

    def wrong(self, file: str, key: str, stored: Any, own: Any, *, items: int = 1) -> None:
        """Name what is not as it should be; `items` of them stand behind it."""
        self.total += items
        self.mismatches.append(
            Mismatch(
                part=self.name, file=file, key=key, stored=shown(stored), recomputed=shown(own)
            )
        )

    def same(self, file: str, key: str, stored: Any, own: Any) -> bool:
        """Compare one item."""
        if type(stored) is type(own) and stored == own:
            self.right()
            return True
        self.wrong(file, key, stored, own)
        return False

    def each(self, file: str, pairs: Iterable[tuple[str, Any, Any]]) -> None:
        """Compare items by name: (key, stored, recomputed)."""
        for key, stored, own in pairs:
            self.same(file, key, stored, own)


class Unreadable(Exception):
    """A file that cannot be gone on with; it has been named."""


@dataclass
class Found:
    """All parts, in the order in which they were first asked for."""

    parts: dict[str, Part] = field(default_factory=dict)

    def part(self, name: str) -> Part:
        """The part of that name."""
        return self.parts.setdefault(name, Part(name))

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts.values())


@contextmanager
def going_on() -> Iterator[None]:
    """Leave a file that cannot be read; the check goes on with the next one."""
    try:
        yield
    except Unreadable:
        return


def shown(value: Any, limit: int = 160) -> str:
    """A value on one line: control and direction characters escaped, cut at `limit`."""
    text = value if isinstance(value, str) else "null" if value is None else repr(value)
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"
