"""What two people say of the same units, and what an evaluator says of them (DR-101, DR-102).

Counts stand first; kappa and alpha beside them. The units of a review are a selection: nothing
here is an estimate of anybody's accuracy.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from draligned.measure.kappa import cohens_kappa
from draligned.measure.krippendorff import alpha_of_two
from draligned.measure.scaled import Scaled
from draligned.schema.base import Record
from draligned.schema.human import opposite
from draligned.schema.labels import Presence
from draligned.schema.review import DirectionItem

Directions = Mapping[str, Presence]
"""What one person says, by item."""


class Agreed(Record):
    """Two people over the units that both answered, one question."""

    of: str
    """The question."""
    first: str
    second: str
    n_both: int
    n_same: int
    kappa: float | None
    """None where both say one thing alone."""
    alpha: float | None
    """Krippendorff's, nominal; none where all answers are one."""


class ItemsAgreed(Record):
    """Two people over the items that both answered."""

    first: str
    second: str
    n_both: int
    n_matched: int
    n_opposite: int
    """P_ONLY against Q_ONLY."""
    n_other: int
    """Decided otherwise, and not opposite."""
    n_undecided: int
    """UNKNOWN by either."""
    kappa: float | None
    """Over items that both decided."""
    alpha: float | None

    def scaled(self, of: int) -> Scaled:
        """The matched items as if `of` had been labelled: never labels (DR-103).

        Raises `InventoryError` where that is no whole number.
        """
        n = self.n_matched * of // self.n_both if self.n_both else 0
        return Scaled(n=n, of=of, basis_k=self.n_matched, basis_n=self.n_both)


class GatedItems(Record):
    """The evaluator's pre-check readings beside final labels of people (Q17)."""

    evaluator: str
    n_items: int
    n_final: int
    """With a final human label."""
    n_gated: int
    """Of these, in documents whose label the evaluator's check accepted (DR-70)."""
    n_same: int
    n_opposite: int
    n_other: int


def agreed(
    of: str, first: tuple[str, Mapping[str, str]], second: tuple[str, Mapping[str, str]]
) -> Agreed:
    """Agreement of two people, each with a name and a word by unit."""
    (name, one), (other_name, other) = first, second
    both = sorted(one.keys() & other.keys())
    words = sorted({said[unit] for said in (one, other) for unit in both})
    place = {word: i for i, word in enumerate(words)}
    table = np.zeros((len(words), len(words)))
    for unit in both:
        table[place[one[unit]], place[other[unit]]] += 1
    return Agreed(
        of=of,
        first=name,
        second=other_name,
        n_both=len(both),
        n_same=int(np.trace(table)),
        kappa=cohens_kappa(table),
        alpha=alpha_of_two(table, np.arange(len(words), dtype=np.float64)),
    )


def items_agreed(first: tuple[str, Directions], second: tuple[str, Directions]) -> ItemsAgreed:
    """Agreement of two people on directions."""
    (name, one), (other_name, other) = first, second
    both = sorted(one.keys() & other.keys())
    decided = [u for u in both if Presence.UNKNOWN not in (one[u], other[u])]
    same = agreed(
        "direction", (name, {u: one[u].value for u in decided}),
        (other_name, {u: other[u].value for u in decided}),
    )  # fmt: skip
    against = sum(opposite(one[u], other[u]) for u in decided)
    return ItemsAgreed(
        first=name,
        second=other_name,
        n_both=len(both),
        n_matched=same.n_same,
        n_opposite=against,
        n_other=len(decided) - same.n_same - against,
        n_undecided=len(both) - len(decided),
        kappa=same.kappa,
        alpha=same.alpha,
    )


def open_items(reviewers: Sequence[Directions]) -> set[str]:
    """Items answered by two or more of whom not all decide alike: for one more person."""
    every = {unit for said in reviewers for unit in said}
    found = {unit: [said[unit] for said in reviewers if unit in said] for unit in every}
    return {u for u, given in found.items() if len(given) > 1 and _common(given) is None}


def final_labels(
    reviewers: Sequence[Directions], decisions: Sequence[Directions]
) -> dict[str, Presence]:
    """Final labels of people: of two or more who decide alike, else of whoever decides after them.

    An item that one person alone has answered has none, nor one on which those who decide differ.
    """
    every = {unit for said in reviewers for unit in said}
    open_ones = open_items(reviewers)
    out: dict[str, Presence] = {}
    for unit in sorted(every):
        asked = decisions if unit in open_ones else reviewers
        given = [said[unit] for said in asked if unit in said]
        label = _common(given)
        if label is not None and (unit in open_ones or len(given) > 1):
            out[unit] = label
    return out


def _common(given: Sequence[Presence]) -> Presence | None:
    """The one decided label that all give, or none."""
    labels = set(given)
    return None if len(labels) != 1 or Presence.UNKNOWN in labels else given[0]


def gated(
    evaluator: str, items: Sequence[DirectionItem], final: Mapping[str, Presence]
) -> GatedItems:
    """The evaluator's readings of items that have a final label and stood the check."""
    kept = [i for i in items if i.item_id in final and i.accepted]
    same = sum(i.pre_check is final[i.item_id] for i in kept)
    against = sum(opposite(i.pre_check, final[i.item_id]) for i in kept)
    return GatedItems(
        evaluator=evaluator,
        n_items=len(items),
        n_final=sum(i.item_id in final for i in items),
        n_gated=len(kept),
        n_same=same,
        n_opposite=against,
        n_other=len(kept) - same - against,
    )
