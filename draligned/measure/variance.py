"""Where the variance of pair values comes from: task, user, model, environment, run, read.

Pairs are values of one design: repeats are matched by replicate, the r-th P run with the r-th Q
run of a cell. Levels are crossed; a user or environment that serves one task cannot be told from
it, and without repeats the run cannot be told from what is peculiar to a task × model cell.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.components import Component, components
from draligned.measure.contrasts import groups
from draligned.measure.keys import places
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.pairs import CELL, build_pairs
from draligned.measure.panel import Panel

VARIANCE = Table(
    name="variance_components",
    columns=(
        *typed("string", "evaluator", "harness", "channel", "estimand", "level", "basis"),
        *typed("string", "status", "reason"),
        *typed("Float64", "variance", "raw", "share"),
        *typed("Int64", "n_pairs", "n_levels", "n_couples"),
        *STAMP,
    ),
    keys=("evaluator", "harness", "channel", "level"),
)
"""Variance components of d_A and d_F, all models. Basis `labels`: readable pairs, replicates
included; levels task, user, model, environment, task_model (what is peculiar to a task × model
cell), run. `raw` is the moment estimate (`components`), `variance` the same, 0 where it is
negative; `share` is of the sum of variances of this basis. Levels that always differ together are
named with a plus (`task_model+run`) and unknown alone. Basis `single_reads`: level `read` is half
the mean squared difference of d by the first read alone and by the mirrored one alone, order effect
and noise together; it is no part of the labels' variance and has no share. Unknown has a reason:
one_value, not_separable, not_identified, no_replication (below two pairs, or no two reads)."""

LEVELS = ("task", "user", "model", "environment", "task_model", "run")

_COLUMNS = [name for name, _ in VARIANCE.columns if name != "development"]
_CHANNELS = (("A", "D_A", "d_a"), ("F", "D_F", "d_f"))

Floats = NDArray[np.float64]


def variance_components(
    crossed: pd.DataFrame, requests: pd.DataFrame, documents: pd.DataFrame
) -> pd.DataFrame:
    """Rows of the table, unsorted. From pairs `all_cross`, labelled requests and documents."""
    matched = (crossed["replicate_p"] == crossed["replicate_q"]).fillna(False)
    pairs = crossed[matched.to_numpy(dtype=bool)]
    pairs = pairs.assign(**_by_read(pairs, requests, documents))
    rows = [
        {**names, "channel": channel, "estimand": name, **row}
        for names, panel in groups(pairs, by_model=False)
        for channel, name, value in _CHANNELS
        for row in (*_label_rows(panel, channel, value), _read_row(panel, channel))
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _label_rows(panel: Panel, channel: str, value: str) -> Iterator[dict[str, object]]:
    used = panel.a if channel == "A" else panel.f
    size, codes = int(used.sum()), _codes(panel, used)
    found = components(panel.floats(value)[used], codes)
    total = sum(max(0.0, c.variance) for c in found if c.variance is not None)
    for component in found:
        yield {
            "basis": "labels",
            "level": "+".join(component.levels),
            "n_pairs": size,
            "n_levels": min(_count(codes[level]) for level in component.levels),
            "n_couples": component.couples,
            **_values(component, total, size),
        }


def _values(component: Component, total: float, size: int) -> dict[str, object]:
    raw = component.variance
    if raw is None:
        return {"status": "unknown", "reason": "no_replication" if size < 2 else component.reason}
    kept = max(0.0, raw)
    share = kept / total if total > 0 else None
    return {"status": "ok", "variance": kept, "raw": raw, "share": share}


def _codes(panel: Panel, used: rs.Flags) -> dict[str, NDArray[np.intp]]:
    names = {"task": "task_id", "user": "user_id", "model": "model", "environment": "environment"}
    rows = panel.rows[used]
    codes = {level: panel.columns.codes(column)[rows] for level, column in names.items()}
    cell = codes["task"] * (int(codes["model"].max(initial=0)) + 1) + codes["model"]
    return codes | {"task_model": cell, "run": np.arange(len(rows))}


def _count(codes: NDArray[np.intp]) -> int:
    return len(np.unique(codes))


def _request_reads(requests: pd.DataFrame, side: str) -> pd.DataFrame:
    """Mean readout of each run × factor × evaluator by one read alone."""
    bits = requests[f"bits_{side}"].to_numpy()
    said = requests[f"read_{side}"].to_numpy(dtype=bool) & (bits >= 0)
    names = requests.loc[said, ["run_id", "factor_id", "evaluator"]]
    read = names.assign(x=rs.readout(bits[said]).astype(np.float64))
    return read.groupby(list(names.columns), sort=False)["x"].mean().reset_index()


def _final_reads(documents: pd.DataFrame, side: str) -> pd.DataFrame:
    """Readout of each final by one read alone, where it has a resolved main item."""
    finals = documents[(documents["role"] == "final").to_numpy(dtype=bool)]
    said = (finals[f"state_{side}"] == rs.OK) & (finals[f"n_resolved_{side}"] > 0)
    known = finals[said.to_numpy(dtype=bool)]
    names = known[["run_id", "factor_id", "evaluator"]]
    return names.assign(x=rs.readout(known[f"bits_{side}"].to_numpy()).astype(np.float64))


def _by_read(
    pairs: pd.DataFrame, requests: pd.DataFrame, documents: pd.DataFrame
) -> dict[str, Floats]:
    """d of each pair by one read alone, named `A_first` and so on."""
    out = {}
    for side in ("first", "mirror"):
        reads = {"A": _request_reads(requests, side), "F": _final_reads(documents, side)}
        for channel, read in reads.items():
            p, q = (_of_arm(pairs, read, arm) for arm in "pq")
            out[f"{channel}_{side}"] = p - q if channel == "A" else np.sign(p - q)
    return out


def _read_row(panel: Panel, channel: str) -> dict[str, object]:
    apart = panel.floats(f"{channel}_first") - panel.floats(f"{channel}_mirror")
    apart = apart[~np.isnan(apart)]
    row = {"basis": "single_reads", "level": "read", "n_pairs": len(apart), "n_levels": 2}
    if not len(apart):
        return row | {"status": "unknown", "reason": "no_replication", "n_couples": 0}
    raw = float(0.5 * (apart * apart).mean())
    return row | {"status": "ok", "variance": raw, "raw": raw, "n_couples": len(apart)}


def _of_arm(pairs: pd.DataFrame, reads: pd.DataFrame, arm: str) -> Floats:
    """Readout of an arm's run; NaN, inside this module alone, where the read says nothing."""
    keys = pairs[[f"run_id_{arm}", "factor_id", "evaluator"]]
    names = ["run_id", "factor_id", "evaluator"]
    place = places(keys.set_axis(names, axis=1), reads, names)
    padded = np.append(reads["x"].to_numpy(dtype=np.float64), np.nan)
    return padded[place]


def _table(made: Made) -> pd.DataFrame:
    alone = not made.matrix.duplicated([*CELL, "evaluator", "arm"]).any()
    crossed = made.pairs if alone else build_pairs(made.matrix, "all_cross")
    return variance_components(crossed, made.requests, made.documents)


MAKERS = {VARIANCE: _table}
