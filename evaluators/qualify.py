"""Whether an evaluator reads the gold set well enough to be believed (DR-107, issue 5).

Pure: from judged units and item reads to counts, criteria and a verdict.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import pandas as pd

from draligned.bench_data.gold import Trap
from draligned.evaluators.bar import BAR, Bar
from draligned.evaluators.marks import MarkRead, Separation
from draligned.measure.proportions import wilson
from draligned.schema.base import Record
from draligned.schema.labels import Presence, UnknownReason

Verdict = Literal["qualified", "not qualified", "incomplete"]
_ENDS = {Presence.P_ONLY.value: Presence.Q_ONLY.value, Presence.Q_ONLY.value: Presence.P_ONLY.value}
_UNREADABLE = {UnknownReason.VOID_READ.value, UnknownReason.OVERSIZE.value}
_SILENT = {
    UnknownReason.ABSTAINED.value,
    UnknownReason.NO_BASIS.value,
    UnknownReason.UNRESOLVED_ITEMS.value,
}


class Count(Record):
    """So many of so many, with Wilson's interval; no share of nothing."""

    name: str
    n: int
    of: int
    share: float | None
    low: float | None
    high: float | None


class Criterion(Record):
    """One demand of the bar; `met` is null where nothing of the kind was judged."""

    count: Count
    bar: float
    sense: Literal["at most", "at least"]
    met: bool | None


class Confusion(Record):
    """So often was `expected` labelled `said`: a label, or the reason of an UNKNOWN."""

    kind: str
    expected: str
    said: str
    n: int


class Flips(Record):
    """Couples of decided reads that disagree. Both pointing to the endpoint shown first is the
    mark of an order effect, both to the one shown second too; noise does either alike."""

    n: int
    of: int
    both_to_first: int
    both_to_second: int
    other: int


class Findings(Record):
    """All that is said of an evaluator in one language."""

    bar: Bar
    word_matcher: bool
    """Whether items that only sense can label are left out of the criteria: the rehearsal
    readers match words, and claim no more."""
    criteria: tuple[Criterion, ...]
    verdict: Verdict
    confusion: tuple[Confusion, ...]
    flips: Flips
    traps: tuple[Count, ...]
    """Single reads that are right, by trap."""
    conflicts: tuple[Count, ...]
    fields: tuple[Count, ...]
    by_sense: Count
    """Items that only sense can label, whether or not they enter the criteria."""
    unreadable: dict[str, int]
    """Why reads or cells were unreadable, counted."""


def findings(
    units: pd.DataFrame,
    marks: Sequence[MarkRead],
    apart: Sequence[Separation],
    unreadable: dict[str, int],
    *,
    word_matcher: bool = False,
    complete: bool = True,
    bar: Bar = BAR,
) -> Findings:
    """Counts and verdict from `judged` units (schema: judged.COLUMNS), of which some may still
    lack reads: then `complete` is false, and so is the verdict."""
    read = units[units["reason"] != UnknownReason.READ_MISSING.value]
    asked = read[~read["sense"].astype(bool)] if word_matcher else read
    conflicts = tuple(_conflicts(asked))
    traps = tuple(_traps(asked))
    criteria = _criteria(asked, conflicts, traps, marks, apart, bar)
    return Findings(
        bar=bar,
        word_matcher=word_matcher,
        criteria=criteria,
        verdict=_verdict(criteria, complete),
        confusion=tuple(_confusion(read)),
        flips=flips_of(asked),
        traps=traps,
        conflicts=conflicts,
        fields=tuple(_fields(marks)),
        by_sense=counted("by sense", _right(read[read["sense"].astype(bool)])),
        unreadable=dict(sorted(unreadable.items())),
    )


def counted(name: str, flags: Iterable[object]) -> Count:
    """How many of `flags` are true."""
    values = [bool(flag) for flag in flags]
    n, of = sum(values), len(values)
    interval = wilson(n, of)
    low, high = interval or (None, None)
    return Count(name=name, n=n, of=of, share=n / of if of else None, low=low, high=high)


def _right(units: pd.DataFrame) -> pd.Series:
    """The right label; UNKNOWN is right only where a reader should stay silent, and did."""
    silent = (units["expected"] != Presence.UNKNOWN.value) | units["reason"].isin(_SILENT)
    return (units["label"] == units["expected"]) & silent


def _criteria(
    units: pd.DataFrame,
    conflicts: Sequence[Count],
    traps: Sequence[Count],
    marks: Sequence[MarkRead],
    apart: Sequence[Separation],
    bar: Bar,
) -> tuple[Criterion, ...]:
    directed = units[units["expected"].isin(_ENDS)]
    flips = flips_of(units)
    of_kind = {k: units[units["kind"] == k] for k in ("requests", "document")}
    at_most = (
        (counted("unreadable units", units["reason"].isin(_UNREADABLE)), bar.unreadable),
        (counted("opposite labels", directed["label"] == directed["expected"].map(_ENDS)),
         bar.opposite),
        (_count("order flips", flips.n, flips.of), bar.flips),
        (counted("not own advice, read as such", (s.own_advice for s in apart)), bar.separation),
    )  # fmt: skip
    at_least = (
        (counted("requests right", _right(of_kind["requests"])), bar.requests),
        (counted("documents right", _right(of_kind["document"])), bar.documents),
        (counted("item fields right", (m.right for m in marks)), bar.fields),
        (_worst("conflicts, worst order", conflicts), bar.conflict),
        (_worst("traps, worst", traps), bar.trap),
    )
    return (
        *(_criterion(count, limit, "at most") for count, limit in at_most),
        *(_criterion(count, limit, "at least") for count, limit in at_least),
    )


def _criterion(count: Count, bar: float, sense: Literal["at most", "at least"]) -> Criterion:
    met = None
    if count.share is not None:
        met = count.share <= bar if sense == "at most" else count.share >= bar
    return Criterion(count=count, bar=bar, sense=sense, met=met)


def _count(name: str, n: int, of: int) -> Count:
    return counted(name, [True] * n + [False] * (of - n))


def _worst(name: str, counts: Sequence[Count]) -> Count:
    """The count with the smallest share, by its name."""
    known = [c for c in counts if c.share is not None]
    if not known:
        return counted(name, [])
    worst = min(known, key=lambda c: (c.share or 0.0, c.name))
    return worst.model_copy(update={"name": f"{name}: {worst.name}"})


def _verdict(criteria: Sequence[Criterion], complete: bool) -> Verdict:
    if not complete or any(c.met is None for c in criteria):
        return "incomplete"
    return "qualified" if all(c.met for c in criteria) else "not qualified"


def flips_of(units: pd.DataFrame) -> Flips:
    """Couples of decided reads, and how those that disagree do so."""
    said = units[["first", "mirror", "alpha"]].dropna()
    decided = said[(said["first"] != _UNKNOWN) & (said["mirror"] != _UNKNOWN)]
    unlike = decided[decided["first"] != decided["mirror"]]
    own = unlike["alpha"] + "_ONLY"
    ahead = (unlike["first"] == own) & (unlike["mirror"] == own.map(_ENDS))
    behind = (unlike["first"] == own.map(_ENDS)) & (unlike["mirror"] == own)
    return Flips(
        n=len(unlike),
        of=len(decided),
        both_to_first=int(ahead.sum()),
        both_to_second=int(behind.sum()),
        other=len(unlike) - int(ahead.sum()) - int(behind.sum()),
    )


_UNKNOWN = Presence.UNKNOWN.value
_READS = ("first", "mirror")


def _confusion(units: pd.DataFrame) -> Iterable[Confusion]:
    known = units["label"] != _UNKNOWN
    said = units["label"].where(known, units["reason"])
    counts = Counter(zip(units["kind"], units["expected"], said, strict=True))
    for (kind, expected, word), n in sorted(counts.items()):
        yield Confusion(kind=kind, expected=expected, said=word, n=n)


def _traps(units: pd.DataFrame) -> Iterable[Count]:
    """Single reads by trap: with few units a trap, both reads of one would weigh too much."""
    for name, rows in units.groupby("trap", sort=True):
        yield counted(str(name), pd.concat([rows[r] == rows["expected"] for r in _READS]))


def _conflicts(units: pd.DataFrame) -> Iterable[Count]:
    """Single reads of conflicts by order of the text and by the slot of the acted endpoint."""
    rows = units[units["trap"] == Trap.CONFLICT.value]
    for order in ("restated_first", "acted_first"):
        mine = rows[rows["order"] == order]
        ahead = mine["expected"] == mine["alpha"] + "_ONLY"
        for slot in ("alpha", "beta"):
            chosen = mine["first"].where(ahead == (slot == "alpha"), mine["mirror"])
            right = chosen == mine["expected"]
            yield counted(f"{order}, acted as {slot}", right)


def _fields(marks: Sequence[MarkRead]) -> Iterable[Count]:
    for name in sorted({m.field for m in marks}):
        yield counted(name, (m.right for m in marks if m.field == name))
