"""Evaluators side by side: coverage and agreement, never pooled (DR-75).

Alpha is nominal: whether two labels (of pairs: two signs of d) are the same. Shares have Wilson's
interval with units as independent, which they are not; the one over tasks stands beside it.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure import restore as rs
from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.keys import codes
from draligned.measure.krippendorff import alpha_of_two
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.side_by_side import side_by_side, with_all_models

AGREEMENT = Table(
    name="agreement",
    columns=(
        *typed("string", "evaluator", "other", "harness", "model", "channel", "unit"),
        *typed("boolean", "with_primary"),
        *typed("Int64", "n_units", "n_evaluator", "n_other", "n_both"),
        *typed("Int64", "n_same", "n_same_x", "n_opposite"),
        *typed("Float64", "coverage_share", "coverage_lo", "coverage_hi"),
        *typed("Float64", "coverage_other_share", "coverage_other_lo", "coverage_other_hi"),
        *typed("Float64", "same_share", "same_lo", "same_hi", "same_task_lo", "same_task_hi"),
        *typed("Float64", "opposite_share", "opposite_lo", "opposite_hi", "alpha"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=("evaluator", "other", "harness", "model", "channel", "unit"),
)
"""Evaluators side by side (DR-75): coverage of each and agreement where both read; never pooled,
and agreement is not accuracy. `with_primary`: one of the two is the primary evaluator, the other
auxiliary. `n_same_x`: BOTH and NEITHER count as one (Q18). `alpha` is Krippendorff's, nominal, over
units that both read; null where all their labels are one. `same_task` is a percentile interval over
planned tasks. Unit `document` is a distinct text × factor of the row's runs: what was read once
counts once, although a saved file that is submitted is a draft and a final."""

_BY = ["evaluator", "other", "harness", "model", "channel", "unit"]
_COUNTS = ["n_units", "n_evaluator", "n_other", "n_both", "n_same", "n_same_x", "n_opposite"]


def agreement(
    pairs: pd.DataFrame, requests: pd.DataFrame, documents: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """One row per two evaluators × harness × model × unit.

    Units: requests and distinct texts × factor (same = equal label; opposite = P_ONLY against
    Q_ONLY) and pairs (same = equal sign of d; opposite = signs of +1 and −1). A text is read
    once: it counts once in a row, be it a draft, a final or both, in one run or in many.
    Agreement is not accuracy.
    """
    parts = [
        with_all_models(_labels(requests, ["run_id", "factor_id", "request_no"])).assign(
            channel="A", unit="request"
        ),
        _labels(
            pd.concat([documents, documents.assign(model=ALL_MODELS)]),
            ["text_sha256", "factor_id"],
        ).assign(channel="W+F", unit="document"),
        with_all_models(_signs(pairs, "a_status", "d_a")).assign(channel="A", unit="pair"),
        with_all_models(_signs(pairs, "f_status", "d_f")).assign(channel="F", unit="pair"),
    ]
    units = _counted(pd.concat(parts, ignore_index=True))
    rows = units.groupby(_BY, sort=True)[_COUNTS].sum().reset_index()
    return (
        rows.assign(**_shares(rows))
        .merge(_alphas(units), on=_BY, how="left")
        .merge(_over_tasks(units, pairs, settings), on=_BY, how="left")
    )


def _labels(rows: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    bits = rows["bits"].to_numpy(dtype=np.int64)
    return side_by_side(rows, unit, bits >= 0, bits).assign(bits=True)


def _signs(pairs: pd.DataFrame, status: str, value: str) -> pd.DataFrame:
    """Signs of d as labels: 1 toward P, −1 toward Q."""
    sign = np.sign(pairs[value].to_numpy()).astype(np.int64)
    known = (pairs[status] == "readable").to_numpy(dtype=bool)
    return side_by_side(pairs, ["pair_id"], known, sign).assign(bits=False)


def _counted(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells with the counts that they add to."""
    known, known_other = (cells[name].astype(bool) for name in ("known", "known_other"))
    one, other = (_x(cells, name) for name in ("label", "label_other"))
    both = known & known_other
    flags = {
        "n_units": True,
        "n_evaluator": known,
        "n_other": known_other,
        "n_both": both,
        "n_same": both & (cells["label"] == cells["label_other"]),
        "n_same_x": both & (one == other),
        "n_opposite": both & (one * other == -1),
    }
    counts = {name: cells["n"].astype(np.int64) * flag for name, flag in flags.items()}
    return cells.assign(**counts)


def _x(cells: pd.DataFrame, name: str) -> NDArray[np.int64]:
    """Readout of a label; a sign is its own."""
    label = cells[name].to_numpy(dtype=np.int64)
    of_bits = rs.readout(label).astype(np.int64)
    return np.where(cells["bits"].to_numpy(dtype=bool), of_bits, label)


def _shares(rows: pd.DataFrame) -> dict[str, pd.Series]:
    both, read = rows["n_both"], rows["n_units"]
    return (
        shares(rows["n_same"], both, "same")
        | shares(rows["n_opposite"], both, "opposite")
        | shares(rows["n_evaluator"], read, "coverage")
        | shares(rows["n_other"], read, "coverage_other")
    )


def _alphas(units: pd.DataFrame) -> pd.DataFrame:
    """Alpha of each row, by the table of both evaluators' labels."""
    both = units[units["n_both"] > 0]
    cells = both.groupby([*_BY, "label", "label_other"], sort=True)["n"].sum().reset_index()
    labels, sizes = cells[["label", "label_other"]].to_numpy(), cells["n"].to_numpy()
    of = codes(cells, _BY)
    firsts = np.unique(of, return_index=True)[1]
    found = []
    for rows in np.split(np.arange(len(of)), firsts[1:]):
        levels, place = np.unique(labels[rows], return_inverse=True)
        table = np.zeros((len(levels), len(levels)))
        one, other = place.reshape(-1, 2).T
        table[one, other] = sizes[rows]
        found.append(alpha_of_two(table, levels.astype(np.float64)))
    return cells[_BY].iloc[firsts].assign(alpha=pd.array(found, dtype="Float64"))


def _over_tasks(units: pd.DataFrame, pairs: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Intervals of the share that is the same, with planned tasks as clusters."""
    planned = pairs[["harness", "model", "task_id"]].drop_duplicates()
    planned = pd.concat([planned, planned.assign(model=ALL_MODELS)], ignore_index=True)
    by = ["harness", "model", *(name for name in _BY if name not in ("harness", "model"))]
    found = task_intervals(units, by, {"same": ("n_same", "n_both")}, planned, settings)
    return found[[*_BY, "same_task_lo", "same_task_hi", *(name for name, _ in RESAMPLED)]]


def _table(made: Made) -> pd.DataFrame:
    rows = agreement(made.pairs, made.requests, made.documents, made.settings)
    first = made.primary.evaluator
    return rows.assign(with_primary=(rows["evaluator"] == first) | (rows["other"] == first))


MAKERS = {AGREEMENT: _table}
