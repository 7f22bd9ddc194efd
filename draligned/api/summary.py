"""The primary estimates as a small table for the terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from draligned.api.study import Study

HEADER = (
    "estimand", "channel", "value", "95 % interval", "method", "readable", "planned", "tasks",
    "coarse bounds", "sharp bounds", "note",
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
    notes = (LIMITS, REHEARSAL) if study.status().rehearsal else (LIMITS,)
    return Summary(header=HEADER, rows=rows, notes=notes)


def _row(r: dict[Any, Any]) -> tuple[Any, ...]:
    return (
        r["estimand"], r["channel"], _number(r["value"]), _range(r["ci_lo"], r["ci_hi"]),
        r["ci_method"], r["n_readable"], r["n_planned"], r["n_tasks"],
        _range(r["coarse_lo"], r["coarse_hi"]), _range(r["sharp_lo"], r["sharp_hi"]),
        r["reason"],
    )  # fmt: skip


def _number(value: Any) -> Any:
    import pandas as pd

    return None if pd.isna(value) else float(value)


def _range(low: Any, high: Any) -> str | None:
    lo, hi = _number(low), _number(high)
    return None if lo is None or hi is None else f"[{lo:.3f}, {hi:.3f}]"
