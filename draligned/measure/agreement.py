"""Evaluators side by side: coverage and agreement, never pooled (DR-75).

Alpha is nominal: whether two labels (of pairs: two signs of d) are the same. Shares have Wilson's
interval with units as independent, which they are not; the one over tasks stands beside it.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.estimate import Settings
from draligned.measure.krippendorff import alpha_of_two
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.restore import Words

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
_UNIT = ["harness", "model", "key"]
_NAMES = ["evaluator", "harness", "model", "task_id"]
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
        _compare(_labels(requests, ["run_id", "factor_id", "request_no"]), "A", "request"),
        _compare(_labels(documents, ["text_sha256", "factor_id"]), "W+F", "document"),
        _compare(_signs(pairs, "a_status", "d_a"), "A", "pair"),
        _compare(_signs(pairs, "f_status", "d_f"), "F", "pair"),
    ]
    units = pd.concat(parts, ignore_index=True)
    rows = units.groupby(_BY, sort=True)[_COUNTS].sum().reset_index()
    return (
        rows.assign(**_shares(rows))
        .merge(_alphas(units), on=_BY, how="left")
        .merge(_over_tasks(units, pairs, settings), on=_BY, how="left")
    )


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
    both = units[units["n_both"] == 1]
    cells = both.groupby([*_BY, "label", "label_other"], sort=True).size().reset_index(name="n")
    found = []
    for key, own in cells.groupby(_BY, sort=True):
        levels, codes = np.unique(own[["label", "label_other"]].to_numpy(), return_inverse=True)
        table = np.zeros((len(levels), len(levels)))
        codes = codes.reshape(-1, 2)
        table[codes[:, 0], codes[:, 1]] = own["n"].to_numpy()
        found.append((*key, alpha_of_two(table, levels.astype(np.float64))))
    out = pd.DataFrame(found, columns=[*_BY, "alpha"])
    return out.assign(alpha=out["alpha"].astype("Float64"))


def _over_tasks(units: pd.DataFrame, pairs: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Intervals of the share that is the same, with planned tasks as clusters."""
    planned = pairs[["harness", "model", "task_id"]].drop_duplicates()
    planned = pd.concat([planned, planned.assign(model=ALL_MODELS)], ignore_index=True)
    by = ["harness", "model", *(name for name in _BY if name not in ("harness", "model"))]
    found = task_intervals(units, by, {"same": ("n_same", "n_both")}, planned, settings)
    return found[[*_BY, "same_task_lo", "same_task_hi", *(name for name, _ in RESAMPLED)]]


def _labels(rows: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    bits = rows["bits"].to_numpy()
    sign = np.select([bits == 2, bits == 1], [1, -1], 0)
    return rows[_NAMES].assign(key=_key(rows, unit), known=bits >= 0, label=bits, sign=sign)


def _signs(pairs: pd.DataFrame, status: str, value: str) -> pd.DataFrame:
    sign = np.sign(pairs[value].to_numpy()).astype(np.int64)
    known = (pairs[status] == "readable").to_numpy()
    return pairs[_NAMES].assign(key=pairs["pair_id"], known=known, label=sign, sign=sign)


def _key(rows: pd.DataFrame, unit: list[str]) -> Words:
    parts = [rows[name].astype(str) for name in unit]
    key = parts[0]
    for part in parts[1:]:
        key = key + "|" + part
    return key.to_numpy(dtype=object)


def _compare(rows: pd.DataFrame, channel: str, unit: str) -> pd.DataFrame:
    names = sorted(rows["evaluator"].unique())
    both = pd.concat([rows, rows.assign(model=ALL_MODELS)], ignore_index=True)
    once = both.drop_duplicates(["evaluator", *_UNIT])
    by_name = {name: once[once["evaluator"] == name] for name in names}
    parts = [_two(by_name[a], by_name[b]) for a, b in _couples(names)]
    if not parts:
        none = [*_BY, "task_id", "label", "label_other", *_COUNTS]
        return pd.DataFrame({name: pd.Series(dtype=object) for name in none})
    return pd.concat(parts, ignore_index=True).assign(channel=channel, unit=unit)


def _couples(names: list[str]) -> Iterator[tuple[str, str]]:
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            yield first, second


def _two(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    joined = a.merge(
        b[[*_UNIT, "known", "label", "sign", "evaluator"]], on=_UNIT, suffixes=("", "_other")
    )
    both = joined["known"] & joined["known_other"]
    flags = {
        "n_units": pd.Series(True, index=joined.index),
        "n_evaluator": joined["known"],
        "n_other": joined["known_other"],
        "n_both": both,
        "n_same": both & (joined["label"] == joined["label_other"]),
        "n_same_x": both & (joined["sign"] == joined["sign_other"]),
        "n_opposite": both & (joined["sign"] * joined["sign_other"] == -1),
    }
    counts = {name: flag.astype(np.int64) for name, flag in flags.items()}
    names = joined[[*_NAMES, "label", "label_other"]]
    return names.assign(other=joined["evaluator_other"], **counts)


def _table(made: Made) -> pd.DataFrame:
    rows = agreement(made.pairs, made.requests, made.documents, made.settings)
    first = made.primary.evaluator
    return rows.assign(with_primary=(rows["evaluator"] == first) | (rows["other"] == first))


MAKERS = {AGREEMENT: _table}
