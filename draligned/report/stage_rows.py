"""Rows of progress tables: conditions, orders, and which interval stands beside a share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from draligned.progress.statistics import BOOTSTRAP
from draligned.report.numbers import plain
from draligned.report.rows import Row, number, rows
from draligned.report.texts import Texts
from draligned.schema.progress import Arm, Layer, Point, Stage, StageDesign

POINTS = tuple(p.value for p in Point)
ARMS = tuple(a.value for a in Arm)
LAYERS = (
    Layer.CLEAN, Layer.WRONG_VALUE, Layer.MALFORMED, Layer.OMISSION, Layer.DIVERGENCE,
    Layer.INTRUSION, Layer.TRANSPORT,
)  # fmt: skip
"""As they are drawn: clean first, then further and further from a report."""
STAGES = tuple(s.value for s in Stage)
Condition = tuple[str, ...]
"""An arm and the levels of the design's factors."""


def factors(design: StageDesign) -> tuple[str, ...]:
    """Names of a design's factors in alphabetical order."""
    return tuple(sorted({name for s in design.stimuli for name in s.factors}))


def condition(row: Row, names: Sequence[str]) -> Condition:
    """The condition of a row; a level that is not there is blank."""
    levels = (row.get(f"factor_{name}") for name in names)
    return (str(row["arm"]), *("" if v is None else str(v) for v in levels))


def conditions(found: Iterable[Row], names: Sequence[str]) -> list[Condition]:
    """Those in the rows: arms in their order, levels in alphabetical order."""
    return sorted(
        {condition(r, names) for r in found}, key=lambda c: (place(ARMS, c[0]), c[1:])
    )  # fmt: skip


def place(order: Sequence[str], value: str) -> int:
    """Place in an order; what it does not name comes last."""
    return order.index(value) if value in order else len(order)


def said(texts: Texts, made: Condition, arms: int) -> str:
    """A condition in words; its arm only where there is more than one."""
    words = [texts.word("p_arm", made[0])] if arms > 1 else []
    words += [texts.word("p_level", level) for level in made[1:] if level]
    return " · ".join(words)


def encodings(table: pd.DataFrame) -> list[str]:
    """Encodings that stand apart, XML first."""
    there = set(table["encoding"].unique())
    return [e for e in ("xml", "json") if e in there]


def pooled(table: pd.DataFrame) -> str:
    """The encoding of summaries: both together where there are two."""
    own = encodings(table)
    return "both" if len(own) > 1 else own[0]


def of_deployment(table: pd.DataFrame, encoding: str) -> Iterator[tuple[str, list[Row]]]:
    """Rows of one encoding by deployment, in alphabetical order."""
    grouped: dict[str, list[Row]] = {}
    for row in rows(table[table["encoding"] == encoding]):
        grouped.setdefault(str(row["deployment"]), []).append(row)
    yield from sorted(grouped.items())


def interval(row: Row) -> tuple[float, float]:
    """The interval that the table recommends for a share (docs/progress.md)."""
    name = "ci" if row["recommended"] == BOOTSTRAP else "effective"
    low, high = number(row, f"{name}_lo"), number(row, f"{name}_hi")
    return (0.0 if low is None else low), (1.0 if high is None else high)


def interval_of_contrast(row: Row) -> tuple[float, float]:
    """The interval that the table recommends for a difference."""
    name = "ci" if row["recommended"] == BOOTSTRAP else "t"
    return row[f"{name}_lo"], row[f"{name}_hi"]


def percent(value: float) -> str:
    """A share in percent, without the sign."""
    return plain(100 * value, 1)


def share_said(row: Row, texts: Texts) -> str:
    """Share, interval and counts of a row of `shares`."""
    low, high = interval(row)
    return texts(
        "stage.share", share=percent(row["share"]), low=percent(low), high=percent(high),
        k=row["k"], n=row["n"],
    )  # fmt: skip


def places_of(design: StageDesign) -> Mapping[str, int]:
    """Messages in the shortest history of each checkpoint."""
    found: dict[str, int] = {}
    for s in design.stimuli:
        n = len(s.messages)
        found[s.point.value] = min(n, found.get(s.point.value, n))
    return found
