"""The primary estimates as a small table for the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from draligned.api import reporting
from draligned.api.inventory import NAME, partial_note
from draligned.api.leftout import taken_in
from draligned.api.registers import exclusion_note, limits_line
from draligned.report.numbers import outside

if TYPE_CHECKING:
    from draligned.api.evaluating import Readings
    from draligned.api.study import Study

HEADER = (
    "evaluator", "harness", "estimand", "value", "95 % interval", "readable", "tasks",
    "sharp bounds", "coarse bounds", "note",
)  # fmt: skip
REHEARSAL = "Rehearsal models took part: nothing here is evidence about any language model."
LIMITS = (
    "A and F are different operators on different units: their difference is no growth and no "
    "loss. Intervals resample tasks only."
)


INTERFACES = (
    "Harnesses stand side by side, each by itself: like signs establish neither equivalence of "
    "the interfaces nor delegated execution."
)
OUTSIDE = "value outside bounds"
OUTSIDE_WHY = (
    "The value is of the pairs that could be read, the bounds are of all planned pairs; half-read "
    "pairs show that the mean over all of them cannot be so extreme."
)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Rows to print, and remarks."""

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...]


def summarise(study: "Study") -> Summary:
    """The registered estimates over all models, by evaluator and harness; auxiliary
    evaluators stand below the primary one and are never pooled with it."""
    found = study.table("estimates")
    names = [e.name for e in study.design().estimands]
    chosen = found[
        (found["model"] == "all")
        & found["estimand"].isin(names)
        & (found["population"] == "readable")
    ]
    chosen = chosen.sort_values("primary", ascending=False, kind="stable")
    rows = [_row(r) for r in chosen.to_dict("records")]
    return Summary(header=HEADER, rows=tuple(rows), notes=tuple(_notes(study, rows)))


def _notes(study: "Study", rows: list[tuple[Any, ...]]) -> Iterator[str]:
    yield LIMITS
    if any(row[-1] is not None and OUTSIDE in row[-1] for row in rows):
        yield f"({OUTSIDE}) {OUTSIDE_WHY}"
    if len({row[1] for row in rows}) > 1:
        yield INTERFACES
    readings = study.readings()
    if left_out := exclusion_note(study.folder.store):
        yield left_out
    yield limits_line("en")
    yield from _plan_notes(study, readings)
    if reporting.rehearsal(readings):
        yield REHEARSAL
    if still_open := partial_note(study.table(NAME)):
        yield still_open


def _plan_notes(study: "Study", readings: "Readings") -> Iterator[str]:
    if apart := readings.left_out.note() or taken_in(readings.plan):
        yield apart
    plan = study.plan()
    if plan.primary_evaluator not in {e.name for e in plan.evaluators}:
        yield (
            f"The primary evaluator, {plan.primary_evaluator}, has read nothing yet: "
            "all here is exploratory."
        )
    repeated = max((b.replicates for b in readings.plan.blocks), default=1) > 1
    if repeated and study.config.measure.pairing == "first":
        yield (
            'Pairs take the first replicate of each arm; `pairing = "all_cross"` in study.toml '
            "uses all of them."
        )


def _row(r: dict[Any, Any]) -> tuple[Any, ...]:
    return (
        r["evaluator"], r["harness"], r["estimand"], _number(r["value"]), _interval(r),
        f"{r['n_readable']}/{r['n_planned']}", r["n_tasks"],
        _range(r["sharp_lo"], r["sharp_hi"]), _range(r["coarse_lo"], r["coarse_hi"]), _note(r),
    )  # fmt: skip


def _interval(r: dict[Any, Any]) -> str | None:
    shown = _range(r["ci_lo"], r["ci_hi"])
    if _true(r["degenerate"]):
        return f"{_range(r['ci_union_lo'], r['ci_union_hi'])} cautious"
    return None if shown is None else f"{shown} {r['ci_method']}"


def _note(r: dict[Any, Any]) -> str | None:
    notes = [
        "" if _true(r["primary"]) else "exploratory",
        "degenerate: no spread among tasks" if _true(r["degenerate"]) else "",
        OUTSIDE if _is_outside(r) else "",
        "" if _missing(r["reason"]) else str(r["reason"]),
    ]
    return "; ".join(n for n in notes if n) or None


def _is_outside(r: dict[Any, Any]) -> bool:
    value, low, high = (_number(r[k]) for k in ("value", "sharp_lo", "sharp_hi"))
    if value is None or low is None or high is None:
        return False
    return outside(value, (low, high))


def _missing(value: Any) -> bool:
    import pandas as pd

    return bool(pd.isna(value))


def _true(value: Any) -> bool:
    return not _missing(value) and bool(value)


def _number(value: Any) -> float | None:
    return None if _missing(value) else float(value)


def _range(low: Any, high: Any) -> str | None:
    lo, hi = _number(low), _number(high)
    return None if lo is None or hi is None else f"[{lo:.3f}, {hi:.3f}]"
