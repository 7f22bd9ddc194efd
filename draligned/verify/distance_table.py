"""Edit distances by what became of the state, made anew (DR-97)."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from draligned.verify.clustered import share
from draligned.verify.compare import Own
from draligned.verify.edits import Edit
from draligned.verify.persistence_tables import (
    GROUP,
    NOTHING,
    REFUSED,
    STARTS,
    Compared,
    compared,
    models_of,
)
from draligned.verify.study import ALL, Study

_SUBSETS = ("text_different", "compared", "unchanged", "changed", "own_to_own")
_NUMBERS = ("median", "median_lo", "median_hi", "q1", "q3", "low", "high", "n_half", "half_share",
            "half_lo", "half_hi", "n_sentences", "n_verbatim", "n_none_verbatim",
            "verbatim_median")  # fmt: skip


def edit_distance(study: Study) -> Own:
    """One row a subset of comparisons."""
    columns = (*GROUP, "scope", "start", "subset", "tokens", "status", "reason", "n", "n_unknown",
               *_NUMBERS, "development")  # fmt: skip
    found: dict[tuple[str, ...], list[Edit]] = {}
    for c in compared(study):
        for model in (c.end.run.names[2], ALL) if c.status != "same_text" else ():
            place = (c.evaluator, c.end.run.names[3], model, c.scope, c.end.start)
            for subset in _subsets(c):
                found.setdefault((*place, subset), []).append(study.edits.of(c.end.sha256, c.to))
    rows: list[tuple[Any, ...]] = [
        (*group, *start, subset, study.settings.measure.tokens,
         *_summary(found.get((*group, *start, subset), []), start[0]),
         group[1] in study.development)
        for group in models_of(study, False)
        for start in STARTS
        for subset in _SUBSETS
    ]  # fmt: skip
    rows += [
        (*group, *[None] * 4, *REFUSED, *[None] * 17, group[1] in study.development)
        for group in models_of(study, True)
    ]
    return Own(name="edit_distance", columns=columns, rows=rows, keys=columns[:6])


def _subsets(c: Compared) -> Iterator[str]:
    """Where a comparison of unlike texts belongs."""
    yield "text_different"
    if c.status == "compared":
        yield "compared"
        same = c.states[0] == c.states[1]
        yield "unchanged" if same else "changed"
        if same and c.states[0] == "OWN_ONLY":
            yield "own_to_own"


def _summary(edits: list[Edit], scope: str) -> Iterator[Any]:
    known = [e for e in edits if e.reason is None]
    values = sorted(e.distance for e in known if e.distance is not None)
    n, unknown = len(values), len(edits) - len(values)
    if not n:
        reason = "no_distance" if unknown else NOTHING[scope]
        yield from ("unknown", reason, 0, unknown, *[None] * len(_NUMBERS))
        return
    apart = scope == "within_run"
    half = sum(v >= 0.5 for v in values)
    yield from ("ok", None, n, unknown, _quantile(values, Fraction(1, 2)))
    yield from _middle(values) if apart else (None, None)
    yield from (_quantile(values, Fraction(k, 4)) for k in (1, 3))
    yield from (values[0], values[-1], half)
    yield from share(half, n) if apart else (half / n, None, None)
    yield sum(e.n_sentences or 0 for e in known)
    yield sum(e.n_verbatim or 0 for e in known)
    yield sum(not e.n_verbatim for e in known)
    shares = sorted(e.share for e in known if e.share is not None)
    yield _quantile(shares, Fraction(1, 2)) if shares else None


def _quantile(ordered: list[float], at: Fraction) -> float:
    """Linear between the two nearest values."""
    place = at * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + float(place - below) * (ordered[above] - ordered[below])


def _middle(ordered: list[float]) -> tuple[float | None, float | None]:
    """Limits of the median at 95 % or more: the k-th value from either end, k the largest with
    P(fewer than k heads of n fair coins) ≤ 2.5 %; none where k is 0."""
    n = len(ordered)
    k = _largest(n)
    return (ordered[k - 1], ordered[n - k]) if k else (None, None)


def _largest(n: int) -> int:
    """That k, term by term: C(n, k + 1) = C(n, k) · (n − k) / (k + 1)."""
    k, term, below = 0, 1, 0
    while 40 * (below + term) <= 2**n:
        below += term
        term = term * (n - k) // (k + 1)
        k += 1
    return k
