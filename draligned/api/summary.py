"""The primary estimates as a small table for the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from draligned.api import reporting
from draligned.api.inventory import NAME, partial_note

if TYPE_CHECKING:
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


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Rows to print, and remarks."""

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...]


def summarise(study: "Study") -> Summary:
    """Primary estimates over all models, by evaluator and harness."""
    found = study.table("estimates")
    chosen = found[found["primary"] & (found["model"] == "all")]
    rows = tuple(_row(r) for r in chosen.to_dict("records"))
    return Summary(header=HEADER, rows=rows, notes=tuple(_notes(study)))


def _notes(study: "Study") -> Iterator[str]:
    yield LIMITS
    if reporting.rehearsal(study.readings()):
        yield REHEARSAL
    if still_open := partial_note(study.table(NAME)):
        yield still_open


def _row(r: dict[Any, Any]) -> tuple[Any, ...]:
    return (
        r["evaluator"], r["harness"], r["estimand"], _number(r["value"]), _interval(r),
        f"{r['n_readable']}/{r['n_planned']}", r["n_tasks"],
        _range(r["sharp_lo"], r["sharp_hi"]), _range(r["coarse_lo"], r["coarse_hi"]), _note(r),
    )  # fmt: skip


def _interval(r: dict[Any, Any]) -> str | None:
    shown = _range(r["ci_lo"], r["ci_hi"])
    return None if shown is None else f"{shown} {r['ci_method']}"


def _note(r: dict[Any, Any]) -> str | None:
    if _true(r["degenerate"]):
        cautious = _range(r["ci_union_lo"], r["ci_union_hi"])
        return f"degenerate: no spread among tasks; cautious {cautious}"
    return None if _missing(r["reason"]) else str(r["reason"])


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
