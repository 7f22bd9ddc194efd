"""Evaluators side by side: coverage and agreement, never pooled (DR-75)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.restore import Words

_BY = ["evaluator", "other", "harness", "model", "channel", "unit"]
_UNIT = ["harness", "model", "key"]
_COUNTS = ["n_units", "n_evaluator", "n_other", "n_both", "n_same", "n_opposite"]


def agreement(pairs: pd.DataFrame, requests: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
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
    return units.groupby(_BY, sort=True)[_COUNTS].sum().reset_index()


def _labels(rows: pd.DataFrame, unit: list[str]) -> pd.DataFrame:
    bits = rows["bits"].to_numpy()
    sign = np.select([bits == 2, bits == 1], [1, -1], 0)
    names = rows[["evaluator", "harness", "model"]]
    return names.assign(key=_key(rows, unit), known=bits >= 0, label=bits, sign=sign)


def _signs(pairs: pd.DataFrame, status: str, value: str) -> pd.DataFrame:
    sign = np.sign(pairs[value].to_numpy()).astype(np.int64)
    known = (pairs[status] == "readable").to_numpy()
    names = pairs[["evaluator", "harness", "model"]]
    return names.assign(key=pairs["pair_id"], known=known, label=sign, sign=sign)


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
        return pd.DataFrame({name: pd.Series(dtype=object) for name in [*_BY, *_COUNTS]})
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
        "n_opposite": both & (joined["sign"] * joined["sign_other"] == -1),
    }
    counts = {name: flag.astype(np.int64) for name, flag in flags.items()}
    names = joined[["evaluator", "harness", "model"]]
    return names.assign(other=joined["evaluator_other"], **counts)
