"""Agreement with people, and D_F corrected by their labels, made anew (DR-102, DR-103).

Sums run over lists, task by task; weights are fractions until the end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance
from typing import Any

from draligned.verify.compare import Own
from draligned.verify.count_tables import wilson
from draligned.verify.labelled import Labelled
from draligned.verify.pairs import Pair, sign
from draligned.verify.student import t_at
from draligned.verify.study import ALL, Study

_BY = ("sample_id", "labeller", "evaluator", "harness", "model")
_BITS = {"NEITHER": 0, "Q_ONLY": 1, "P_ONLY": 2, "BOTH": 3}
_X = {"P_ONLY": 1, "Q_ONLY": -1, "BOTH": 0, "NEITHER": 0}
Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Group:
    """One row's pairs, among all those of the sample under one evaluator."""

    names: tuple[str, ...]
    labels: Labelled
    every: Sequence[Pair]
    inside: Sequence[Pair]

    @property
    def drawn(self) -> list[Pair]:
        """All that people were given, of whatever row."""
        return [p for p in self.every if p.pair_id in self.labels.drawn]

    @property
    def mine(self) -> list[Pair]:
        """Those of the row."""
        return [p for p in self.inside if p.pair_id in self.labels.drawn]

    def human(self, pair: Pair) -> list[str | None]:
        """Labels of the finals under P and under Q."""
        return [self.labels.said.get((pair.pair_id, side)) for side in "PQ"]

    def d_f(self, pair: Pair) -> int | None:
        """d_F of the labels; none where one is not decided."""
        p, q = self.human(pair)
        return sign(_X[p] - _X[q]) if p and q else None


def _groups(study: Study) -> Iterator[Group]:
    if not study.samples:
        return
    by_name: dict[str, dict[str, Pair]] = {}
    for pair in study.pairs(pairing="first"):
        by_name.setdefault(pair.evaluator, {})[pair.pair_id] = pair
    for labels in study.samples:
        for evaluator, pairs in sorted(by_name.items()):
            every = [pairs[p] for p in labels.population if p in pairs]
            rows = {(p.cell[4], model) for p in every for model in (p.cell[3], ALL)}
            for harness, model in sorted(rows):
                yield Group(
                    names=(labels.sample_id, labels.labeller, evaluator, harness, model),
                    labels=labels,
                    every=every,
                    inside=[p for p in every
                            if p.cell[4] == harness and model in (p.cell[3], ALL)],
                )  # fmt: skip


def human_corrected(study: Study) -> Own:
    """D_F of the pairs that could have been drawn."""
    columns = (*_BY, "estimand", "status", "reason", "n_population", "n_drawn", "n_decided",
               "by_evaluator", "value", "value_lo", "value_hi", "ci_lo", "ci_hi", "ci_method",
               "development")  # fmt: skip
    rows = [
        (*group.names, "D_F", *_corrected(group), group.names[3] in study.development)
        for group in _groups(study)
    ]
    return Own(name="human_corrected", columns=columns, rows=rows, keys=_BY,
               loose=frozenset(("ci_lo", "ci_hi")))  # fmt: skip


def _proxy(pair: Pair) -> int:
    """What the evaluator says; 0 where it says nothing."""
    return pair.d_f if pair.status("f") == "readable" else 0


def _corrected(group: Group) -> Iterator[Any]:
    weights = _weights(group)
    by_evaluator = sum(weights[p.pair_id] * _proxy(p) for p in group.inside)
    n_drawn, n_decided = len(group.mine), sum(group.d_f(p) is not None for p in group.mine)
    counts = (len(group.inside), n_drawn, n_decided, by_evaluator)
    if not n_drawn or len(group.drawn) < 2:
        reason = "one_pair_drawn" if n_drawn else "no_pair_drawn"
        yield from ("unknown", reason, *counts, *[None] * 6)
        return
    (low, low_half), (high, high_half) = (
        _estimate(group, weights, by_evaluator, undecided) for undecided in (-1, 1)
    )
    whole = n_drawn == n_decided
    yield from ("estimated" if whole else "bounded", None if whole else "undecided_pairs", *counts)
    yield _possible(low) if whole else None
    yield from map(_possible, (low, high, low - low_half, high + high_half))
    yield "difference_t_plus2"


def _possible(value: float) -> float:
    return min(1.0, max(-1.0, value))


def _weights(group: Group) -> dict[str, float]:
    """Tasks alike, and pairs of a task alike."""
    by_task = Counter(p.cell[0] for p in group.inside)
    return {p.pair_id: 1 / (len(by_task) * by_task[p.cell[0]]) for p in group.inside}


def _estimate(
    group: Group, weights: dict[str, float], by_evaluator: float, undecided: int
) -> tuple[float, float]:
    """The evaluator's value and the mean error of it, over all pairs; half of the interval."""
    n, size = len(group.drawn), len(group.every)
    errors = []
    for pair in group.drawn:
        said = group.d_f(pair)
        error = (undecided if said is None else said) - _proxy(pair)
        errors.append(weights.get(pair.pair_id, 0.0) * error)
    usual = fmean(weights.values())
    spread = variance([*errors, usual, -usual])
    half = t_at(n - 1, 0.975) * size * sqrt((1 - n / size) * spread / n)
    return by_evaluator + size * fmean(errors), half


def human_agreement(study: Study) -> Own:
    """How often an evaluator says of a final what a person says."""
    columns = (*_BY, "status", "reason", "n_drawn", "n_texts", "n_human", "n_gated", "n_same",
               "n_opposite", "same_share", "same_lo", "same_hi", "same_method",
               "development")  # fmt: skip
    rows = [
        (*group.names, *_agreement(group), group.names[3] in study.development)
        for group in _groups(study)
    ]
    return Own(name="human_agreement", columns=columns, rows=rows, keys=_BY,
               loose=frozenset(("same_lo", "same_hi")))  # fmt: skip


def _agreement(group: Group) -> Iterator[Any]:
    both = [list(_both_said(group, pair)) for pair in group.mine]
    gated = [sum(machine >= 0 for _, machine in texts) for texts in both]
    same = [sum(human == machine for human, machine in texts) for texts in both]
    opposite = sum({human, machine} == {1, 2} for texts in both for human, machine in texts)
    n = sum(gated)
    yield "estimated" if n else "unknown"
    yield None if n else "nothing_gated"
    yield from (len(both), 2 * len(both), sum(map(len, both)), n, sum(same), opposite)
    yield sum(same) / n if n else None
    yield from _limits(gated, same, len(group.drawn), len(group.every)) if n else (None,) * 3


def _both_said(group: Group, pair: Pair) -> Iterable[tuple[int, int]]:
    """Bits of a person and of the evaluator, of each final with a label by the person."""
    for label, side in zip(group.human(pair), "pq", strict=True):
        arm = pair.arm(side)
        if label is not None:
            yield _BITS[label], arm.final.bits if arm else -1


def _limits(gated: list[int], same: list[int], n: int, size: int) -> tuple[float, float, str]:
    """Pairs kept together, over all that were drawn; those of other rows have nothing gated."""
    share = sum(same) / sum(gated)
    errors = [s - share * g for g, s in zip(gated, same, strict=True)]
    errors += [0.0] * (n - len(errors))
    spread = variance(errors) if n > 1 else 0.0
    if spread == 0:
        pairs = sum(g > 0 for g in gated)
        low, high = wilson(share * pairs, pairs)
        return low or 0.0, 1.0 if high is None else high, "wilson_pairs"
    half = t_at(n - 1, 0.975) * sqrt((1 - n / size) * spread * n) / sum(gated)
    return max(0.0, share - half), min(1.0, share + half), "ratio_t"
