"""What measure refuses before it counts anything."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from draligned.measure.keys import codes
from draligned.schema import frames
from draligned.schema.errors import InventoryError
from draligned.schema.frames import MeasureInputs
from draligned.schema.labels import Observes, ReadRole, Side

_NUMBERS = frozenset(
    ("replicate", "request_no", "version_no", "seq", "n_items", "n_dropped", "item_no", "cap_hit",
     "delegation", "delegations", "requests", "requests_delegated", "last_request_seq")
)  # fmt: skip
_FLAGS = ("development", "submits_saved", "delegation_offered")
"""Facts of a run's harness, which are always known."""
_COLUMNS = {
    "runs": frames.RUNS,
    "request_reads": frames.REQUEST_READS,
    "documents": frames.DOCUMENTS,
    "document_reads": frames.DOCUMENT_READS,
    "items": frames.ITEMS,
}
_LONG = frozenset(("request_reads", "items"))
"""Tables of a row per cell and item: their texts are kept once, not in every row."""
_KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "runs": (
        ("run_id", "factor_id"),
        ("task_id", "user_id", "factor_id", "arm", "model", "harness", "environment", "replicate"),
    ),
    "request_reads": (("run_id", "factor_id", "request_no", "evaluator", "read"),),
    "documents": (("run_id", "factor_id", "role", "seq", "version_no"),),
    "document_reads": (("text_sha256", "factor_id", "evaluator", "read"),),
    "items": (("text_sha256", "factor_id", "evaluator", "read", "item_no"),),
}


_WORDS: dict[str, dict[str, frozenset[str]]] = {
    "runs": {
        "arm": frozenset(side.value for side in Side),
        "state": frozenset(("done", "failed", "censored", "open", "excluded")),
        "observes_a": frozenset(seen.value for seen in Observes),
        "observes_w": frozenset(seen.value for seen in Observes),
        "observes_f": frozenset(seen.value for seen in Observes),
    },
    "request_reads": {"read": frozenset(role.value for role in ReadRole)},
    "documents": {"role": frozenset(("draft", "final"))},
    "document_reads": {"read": frozenset(role.value for role in ReadRole)},
    "items": {"read": frozenset(role.value for role in ReadRole)},
}


def checked(inputs: MeasureInputs) -> MeasureInputs:
    """`inputs` with known columns and types. Raises `InventoryError`, naming the first fault:
    a missing column, a word outside its closed set, a key that occurs twice, a row of an
    unknown run, a fact of a harness that is unknown or not the same for all its runs, a mirrored
    read in the first read's orientation, a retest in another one, two finals of one run."""
    tables: dict[str, Any] = {name: _typed(getattr(inputs, name), name) for name in _COLUMNS}
    for name, columns in _WORDS.items():
        for column, words in columns.items():
            _closed(tables[name][column], words, f"{name}.{column}")
    for flag in _FLAGS:
        _one_a_harness(tables["runs"], flag)
    for name, keys in _KEYS.items():
        for key in keys:
            _unique(tables[name], list(key), name)
    for name in ("request_reads", "documents"):
        _known_runs(tables[name], tables["runs"], name)
    _orientations(tables["request_reads"], ["run_id", "factor_id", "request_no", "evaluator"])
    _orientations(tables["document_reads"], ["text_sha256", "factor_id", "evaluator"])
    finals = tables["documents"][tables["documents"]["role"] == "final"]
    _unique(finals, ["run_id", "factor_id"], "documents (finals)")
    return replace(inputs, **tables)


def evaluator_column(evaluators: Sequence[str]) -> pd.DataFrame:
    """A table of evaluators' names, to cross with others; typed even when there is none."""
    return pd.DataFrame({"evaluator": pd.Series(list(evaluators), dtype="str")})


def _typed(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    missing = [column for column in _COLUMNS[name] if column not in frame.columns]
    if missing:
        raise InventoryError(f"{name}: column {missing[0]!r} is missing")
    columns: dict[str, Any] = {
        column: frame[column].astype(_kind(column, name)) for column in _COLUMNS[name]
    }
    return pd.DataFrame(columns).reset_index(drop=True)


def _kind(column: str, table: str) -> Any:
    if column in _NUMBERS:
        return "Int64"
    if column in _FLAGS:
        return "boolean"
    return "category" if table in _LONG else "str"


def _unique(frame: pd.DataFrame, keys: list[str], name: str) -> None:
    twice = frame.duplicated(keys)
    if twice.any():
        row = frame[twice].iloc[0]
        values = ", ".join(f"{key} {row[key]}" for key in keys)
        raise InventoryError(f"{name}: two rows for {values}; each may occur once")


def _closed(values: pd.Series, words: frozenset[str], what: str) -> None:
    """Only how far a source observes may be left unsaid."""
    unsaid = values.isna() if "observes" in what else False
    wrong = ~(values.isin(words) | unsaid)
    if wrong.any():
        found = values[wrong].iloc[0]
        raise InventoryError(f"{what}: {found!r} is not one of {', '.join(sorted(words))}")


def _one_a_harness(runs: pd.DataFrame, flag: str) -> None:
    for harness, said in runs.groupby("harness", sort=True)[flag]:
        if said.isna().any() or said.nunique() > 1:
            raise InventoryError(
                f"runs.{flag}: it must be known, and one for all runs of harness {harness}"
            )


def _known_runs(frame: pd.DataFrame, runs: pd.DataFrame, name: str) -> None:
    unknown = ~frame["run_id"].isin(runs["run_id"])
    if unknown.any():
        run = frame.loc[unknown, "run_id"].iloc[0]
        raise InventoryError(f"{name}: run {run} was not planned")


def _orientations(reads: pd.DataFrame, unit: Sequence[str]) -> None:
    """A mirrored read swaps the first read's endpoints, a retest repeats them (DR-55)."""
    of, side = codes(reads, unit), pd.factorize(reads["alpha"])[0]
    first = np.full(len(reads), -1, dtype=np.intp)
    for role, same in ((ReadRole.FIRST, True), (ReadRole.MIRROR, False), (ReadRole.RETEST, True)):
        rows = np.flatnonzero((reads["read"] == role.value).to_numpy(dtype=bool) & (side >= 0))
        if role is ReadRole.FIRST:
            first[of[rows]] = side[rows]
        wrong = (first[of[rows]] >= 0) & ((first[of[rows]] == side[rows]) != same)
        if wrong.any():
            row = reads.iloc[rows[np.argmax(wrong)]]
            where = ", ".join(f"{key} {row[key]}" for key in unit)
            raise InventoryError(f"{role.value} read of {where} has the wrong orientation")
