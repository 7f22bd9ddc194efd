"""Drafts beside finals, run by run: who has which, are they the same text, and when (DR-95)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.draft_pairs import before_final
from draligned.measure.persistence import persistence_of
from draligned.measure.proportions import wilson
from draligned.schema.labels import Observes

_BY = ["harness", "model"]
_COUNTS = [
    "n_planned", "n_done", "n_unobserved", "n_final", "n_draft", "n_both", "n_same", "n_timed",
    "n_after",
]  # fmt: skip
_SHARES = {"same": ("n_same", "n_both"), "after": ("n_after", "n_timed")}


def draft_final(runs: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """One row per harness × model (and `all`), from checked `runs` and `documents`.

    Counts are of done runs whose workspace and finals were observed in full; the others are
    `n_unobserved`; `n_draft` have a draft, whenever it was saved. First and last draft are those
    before the final was delivered. Equal means the same text, byte for byte; a first draft is after
    the last request by event index, strictly, in runs that have both and whose requests were
    observed in full. Wilson intervals take runs as independent.
    """
    flags = _flags(runs.drop_duplicates("run_id"), documents)
    both = pd.concat([flags, flags.assign(model=ALL_MODELS)], ignore_index=True)
    found = both.groupby(_BY, sort=True)[_COUNTS].sum().reset_index()
    saved = runs.drop_duplicates("harness").set_index("harness")["submits_saved"]
    status = [persistence_of(bool(saved[h])) for h in found["harness"]]
    return found.assign(
        persistence=pd.Series([s.status for s in status], dtype=object),
        persistence_reason=pd.Series([s.reason for s in status], dtype=object),
        **{k: v for name in _SHARES for k, v in _share(found, name).items()},
    )


def _flags(runs: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    done = (runs["state"] == "done").to_numpy()
    full = {c: (runs[f"observes_{c}"] == Observes.FULL.value).to_numpy() for c in "awf"}
    seen = done & full["w"] & full["f"]
    final, before = _of(runs, documents, "final"), before_final(documents)
    first, last = _of(runs, before, "first"), _of(runs, before, "last")
    drafted = documents.loc[documents["role"] == "draft", "run_id"]
    draft, end = seen & runs["run_id"].isin(drafted).to_numpy(), seen & _there(final)
    comparable = seen & _there(first)
    same = (last["text_sha256"] == final["text_sha256"]).to_numpy()
    asked = runs["last_request_seq"]
    timed = comparable & full["a"] & asked.notna().to_numpy()
    after = (first["seq"].to_numpy(dtype=float, na_value=np.nan)
             > asked.to_numpy(dtype=float, na_value=np.nan))  # fmt: skip
    columns = (
        np.ones(len(runs), dtype=bool), done, done & ~seen, end, draft, comparable & end,
        comparable & end & same, timed, timed & after,
    )  # fmt: skip
    counts = {name: flag.astype(np.int64) for name, flag in zip(_COUNTS, columns, strict=True)}
    return runs[_BY].assign(**counts)


def _there(found: pd.DataFrame) -> NDArray[np.bool_]:
    there: NDArray[np.bool_] = found["text_sha256"].notna().to_numpy()
    return there


def _of(runs: pd.DataFrame, documents: pd.DataFrame, which: str) -> pd.DataFrame:
    """The run's first or last draft, or its final; nulls where there is none."""
    role = "final" if which == "final" else "draft"
    rows = documents[documents["role"] == role].sort_values(["seq", "version_no"], kind="stable")
    rows = rows.iloc[::-1] if which == "last" else rows
    return rows.drop_duplicates("run_id").set_index("run_id").reindex(runs["run_id"]).reset_index()


def _share(found: pd.DataFrame, name: str) -> dict[str, pd.Series]:
    """Share with its interval; null where no run counts."""
    top, bottom = _SHARES[name]
    rows = list(zip(found[top], found[bottom], strict=True))
    ends = [wilson(k, int(n)) or (None, None) for k, n in rows]
    values = [k / n if n else None for k, n in rows]
    return {
        f"{name}_share": pd.Series(values, dtype="Float64"),
        f"{name}_lo": pd.Series([low for low, _ in ends], dtype="Float64"),
        f"{name}_hi": pd.Series([high for _, high in ends], dtype="Float64"),
    }
