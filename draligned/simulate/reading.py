"""How an evaluator reads planted units: two mirrored reads and a retest, as arrays.

A read's word is relative to the run's endpoint, or UNKNOWN or VOID. What hangs on the unit
(error, slot bias, abstention) is the same in a retest; noise and void reads are drawn anew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from draligned.simulate.behaviour import NEITHER, OTHER, OWN, Leans
from draligned.simulate.parameters import ByState, Reader

Flags = NDArray[np.bool_]

UNKNOWN, VOID = -1, -2

_TURNED = np.array([0, 2, 1, 3], dtype=np.int8)


@dataclass(frozen=True, kw_only=True)
class Reads:
    """Three reads of the same units."""

    first: Leans
    mirror: Leans
    retest: Leans

    @property
    def identified(self) -> Leans:
        """The label on which both mirrored reads agree, else UNKNOWN (DR-56)."""
        agreed = (self.first == self.mirror) & (self.first >= NEITHER)
        return np.where(agreed, self.first, UNKNOWN).astype(np.int8)


def by_state(chances: ByState, codes: Leans) -> NDArray[np.float64]:
    """The probability of each unit's state."""
    table = np.array([chances.none, chances.other, chances.own, chances.both])
    chosen: NDArray[np.float64] = table[codes]
    return chosen


def read_units(
    reader: Reader, codes: Leans, own_first: Flags, silent: Flags, rng: np.random.Generator
) -> Reads:
    """Reads of units. `own_first`: the run's own endpoint stands in ALPHA in the first read;
    `silent` units are never identified."""
    wrong = rng.random(len(codes)) < reader.error
    right = np.where(wrong, _TURNED[codes], codes).astype(np.int8)
    biased = rng.random(len(codes)) < reader.slot_bias
    dumb = (rng.random(len(codes)) < by_state(reader.abstain, codes)) | silent
    second = rng.random(len(codes)) < 0.5
    said = [
        _one(reader, np.where(biased, _alpha(own), right).astype(np.int8), quiet, rng)
        for own, quiet in (
            (own_first, dumb & ~second), (~own_first, dumb & second), (own_first, dumb & ~second),
        )
    ]  # fmt: skip
    return Reads(first=said[0], mirror=said[1], retest=said[2])


def _alpha(own: Flags) -> Leans:
    return np.where(own, OWN, OTHER).astype(np.int8)


def _one(reader: Reader, right: Leans, quiet: Flags, rng: np.random.Generator) -> Leans:
    word = right
    if reader.noise:
        noisy = rng.random(len(right)) < reader.noise
        word = np.where(noisy, (right + rng.integers(1, 4, size=len(right))) % 4, right)
    word = np.where(quiet, UNKNOWN, word)
    if reader.void:
        word = np.where(rng.random(len(right)) < reader.void, VOID, word)
    return word.astype(np.int8)
