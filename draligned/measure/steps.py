"""Steps of the Flow: from one known unit of a run to the next known one (DR-78, DR-79).

A step with an unknown unit inside, or in a run whose units were not all observed, is uncertain:
it is counted apart and is no transition. All is said of one factor and never of a user (DR-81).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from draligned.measure.restore import Flags, Words
from draligned.measure.sequences import Sequences


class Kind(StrEnum):
    """What changes from one unit to the next. `counter_…` is the same with both endpoints
    exchanged; dropout from BOTH and adoption of BOTH are their own mirror images."""

    STAY = "stay"
    BROADENING = "broadening"
    NARROWING = "narrowing"
    DROPOUT = "dropout"
    REVERSAL = "reversal"
    ADOPTION = "adoption"
    COUNTER_BROADENING = "counter_broadening"
    COUNTER_NARROWING = "counter_narrowing"
    COUNTER_DROPOUT = "counter_dropout"
    COUNTER_REVERSAL = "counter_reversal"
    COUNTER_ADOPTION = "counter_adoption"


_NONE, _OTHER, _OWN, _BOTH = range(4)
KINDS: Mapping[tuple[int, int], Kind] = {
    (_OWN, _BOTH): Kind.BROADENING,
    (_BOTH, _OWN): Kind.NARROWING,
    (_OWN, _NONE): Kind.DROPOUT,
    (_BOTH, _NONE): Kind.DROPOUT,
    (_OWN, _OTHER): Kind.REVERSAL,
    (_NONE, _OWN): Kind.ADOPTION,
    (_NONE, _BOTH): Kind.ADOPTION,
    (_OTHER, _BOTH): Kind.COUNTER_BROADENING,
    (_BOTH, _OTHER): Kind.COUNTER_NARROWING,
    (_OTHER, _NONE): Kind.COUNTER_DROPOUT,
    (_OTHER, _OWN): Kind.COUNTER_REVERSAL,
    (_NONE, _OTHER): Kind.COUNTER_ADOPTION,
    **{(state, state): Kind.STAY for state in range(4)},
}
"""Kind of each change of relative states (own bit 2, other bit 1)."""

KINDS_BY_STATE = np.array([[KINDS[a, b].value for b in range(4)] for a in range(4)], dtype=object)
UNCERTAIN = "uncertain"


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Couples of known units with no known unit between them."""

    of: NDArray[np.intp]
    """Row of the sequences' heads."""
    start: NDArray[np.intp]
    end: NDArray[np.intp]
    """Places of both units in the sequences."""
    n_unknown: NDArray[np.intp]
    """Unknown units between them."""
    certain: Flags
    kind: Words
    """`Kind` of a certain step, else `uncertain`."""


def steps(found: Sequences) -> Steps:
    """All steps, run by run, in order."""
    known = np.flatnonzero(found.state >= 0)
    same = found.of[known[1:]] == found.of[known[:-1]]
    start, end = known[:-1][same], known[1:][same]
    of, n_unknown = found.of[start], end - start - 1
    in_full = found.heads["in_full"].to_numpy(dtype=bool)
    certain = (n_unknown == 0) & in_full[of]
    named = KINDS_BY_STATE[found.state[start], found.state[end]]
    kind: Words = np.where(certain, named, UNCERTAIN).astype(object)
    return Steps(of=of, start=start, end=end, n_unknown=n_unknown, certain=certain, kind=kind)
