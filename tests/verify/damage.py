"""Kinds of damage to a study, each with words that must stand together in one mismatch."""

from collections.abc import Callable
from pathlib import Path

from tests.verify.studies import Copy, checked, named

Named = tuple[str, ...]
"""Words that stand together in the line of one mismatch."""
Damage = Callable[[Copy], Named]


class Damages(dict[str, Damage]):
    """Kinds of damage by name."""

    def kind(self, do: Damage) -> Damage:
        """Take one in."""
        self[do.__name__] = do
        return do


def must_be_named(do: Damage, whole: Path, root: Path) -> None:
    """Do the damage to a copy; it must be found, and named."""
    copy = Copy(whole, root)
    words = do(copy)
    found = checked(copy.root)
    assert not found.ok
    lines = named(found)
    assert any(all(word in line for word in words) for line in lines), "\n".join(lines[:20])
