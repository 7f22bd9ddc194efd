"""Draws by hash, cheap enough to be made thousands of times a second."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")
_SPAN = float(1 << 64)


def digest(*parts: object) -> str:
    """16 hex digits of `parts`."""
    joined = "\x1f".join(map(str, parts))
    return hashlib.blake2b(joined.encode("utf-8", "replace"), digest_size=8).hexdigest()


class Draws:
    """All draws of one stem: the same question always has the same answer."""

    def __init__(self, *stem: object) -> None:
        self._stem = digest(*stem)

    def unit(self, *what: object) -> float:
        """A number in [0, 1)."""
        return int(digest(self._stem, *what), 16) / _SPAN

    def chance(self, probability: float, *what: object) -> bool:
        """True with `probability`."""
        return self.unit(*what) < probability

    def between(self, low: int, high: int, *what: object) -> int:
        """A whole number, both ends included."""
        return low + int(self.unit(*what) * (high - low + 1))

    def pick(self, options: Sequence[T], *what: object) -> T:
        """One of `options`, all alike."""
        return options[int(self.unit(*what) * len(options))]

    def weighted(self, weights: Mapping[str, float], *what: object) -> str:
        """A key of `weights`, in proportion; they need not sum to 1."""
        left = self.unit(*what) * sum(weights.values())
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                return name
        return list(weights)[-1]
