"""What trials say of the instrument: bias, coverage, and how often nothing is taken for something.

Every share stands with the number of studies behind it; its own error is about
√(share · (1 − share) / studies), at 4,000 studies 0.3 points at 95 %.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

LEAST, MOST = 0.93, 0.98
"""Coverage of an interval said to be of 95 % that is taken as right."""
BELOW, ABOVE = "too low", "too high"

_NOT_INTERVALS = ("range", "coarse", "sharp", "open", "tipping")


def methods(trials: pd.DataFrame) -> list[str]:
    """Interval columns of the estimates, by what stands before `_lo`."""
    names = [c.removesuffix("_lo") for c in trials.columns if c.endswith("_lo")]
    return [n for n in names if n not in _NOT_INTERVALS and not n.startswith("loo")]


def coverage(trials: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """One row per group × estimand × population × method: share of intervals that contain
    `truth`, their mean width, and a mark where the share is outside 93–98 %."""
    keys = [*by, "estimand", "population"]
    parts = []
    for method in methods(trials):
        low, high = (_numbers(trials, f"{method}_{end}") for end in ("lo", "hi"))
        given = ~np.isnan(low)
        inside = given & (low <= trials["truth"] + 1e-9) & (trials["truth"] - 1e-9 <= high)
        frame = trials[keys].assign(inside=inside, given=given, width=high - low)
        parts.append(_shares(frame, keys).assign(method=method))
    return pd.concat(parts, ignore_index=True)


def _numbers(trials: pd.DataFrame, column: str) -> np.ndarray:
    values: np.ndarray = pd.to_numeric(trials[column]).to_numpy(dtype=np.float64)
    return values


def _shares(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    groups = frame.groupby(keys, sort=False)
    counted = groups.agg(
        studies=("given", "size"), intervals=("given", "sum"), inside=("inside", "sum"),
        width=("width", "mean"),
    ).reset_index()  # fmt: skip
    counted = counted[counted["intervals"] > 0]
    share = counted["inside"] / counted["intervals"]
    return counted.assign(
        share=share, mark=np.select([share < LEAST, share > MOST], [BELOW, ABOVE], "")
    )


def bias(trials: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Mean of D̂ over readable pairs less the truth, by group × estimand, with its error."""
    rows = trials[(trials["population"] == "readable") & trials["value"].notna()]
    off = rows.assign(off=_numbers(rows, "value") - rows["truth"])
    found = off.groupby([*by, "estimand"], sort=False).agg(
        studies=("off", "size"), truth=("truth", "first"), bias=("off", "mean"),
        spread=("off", "std"), readable=("readable", "mean"),
    )  # fmt: skip
    return found.assign(error=found["spread"] / np.sqrt(found["studies"])).reset_index()


def bounded(trials: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Share of studies whose bounds contain the planned pairs' own mean, had all been read."""
    rows = trials[trials["population"] == "planned"]
    parts = []
    for name in ("coarse", "sharp", "open"):
        if f"{name}_lo" not in rows:
            continue
        low, high = (_numbers(rows, f"{name}_{end}") for end in ("lo", "hi"))
        inside = (low <= rows["actual"] + 1e-9) & (rows["actual"] - 1e-9 <= high)
        given = ~np.isnan(low)
        frame = rows[[*by, "estimand"]].assign(inside=inside, given=given, width=high - low)
        parts.append(_shares(frame, [*by, "estimand"]).assign(bounds=name))
    return pd.concat(parts, ignore_index=True)


def excluded_zero(trials: pd.DataFrame, method: str, by: Sequence[str] = ()) -> pd.DataFrame:
    """How often zero is excluded: by an interval, and by the sign-flip test at 5 %.

    Studies without an interval, or without a test, exclude nothing.
    """
    low, high = (_numbers(trials, f"{method}_{end}") for end in ("lo", "hi"))
    flagged = trials.assign(
        interval=(low > 0) | (high < 0),
        test=_numbers(trials, "signflip_p") < 0.05,
        half_width=(high - low) / 2,
        pairs=trials["n_readable"],
    )
    groups = flagged.groupby([*by, "estimand", "population"], sort=False)
    found = groups.agg(
        studies=("interval", "size"), truth=("truth", "first"), interval=("interval", "mean"),
        test=("test", "mean"), half_width=("half_width", "mean"), pairs=("pairs", "mean"),
    )  # fmt: skip
    return found.reset_index()
