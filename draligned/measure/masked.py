"""Labels of texts compared with those of the same texts, the user's restatements masked (DR-64).

A label that came from repeating the user, not from advising them, goes when the repetition goes.
Some labels change at every new read: the retests say how many.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from draligned.measure.clustered import RESAMPLED, shares, task_intervals
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.documents import relative_state
from draligned.measure.items import TEXT
from draligned.measure.layout import GROUP, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.read_units import text_reads
from draligned.measure.restore import choose, none_if_blank, readout
from draligned.schema.frames import InputSet

MASKED_LABELS = Table(
    name="masked_labels",
    columns=(
        *typed("string", *GROUP, "level", "status", "reason"),
        *typed("Int64", "n_texts", "n_chosen", "n_restating"),
        *typed("Int64", "n_compared", "n_changed", "n_opposite", "n_lost", "n_gained", "n_tasks"),
        *typed("Float64", "changed_share", "changed_lo", "changed_hi"),
        *typed("Float64", "changed_task_lo", "changed_task_hi"),
        *typed("Int64", "n_baseline", "n_baseline_changed"),
        *typed("Float64", "baseline_share", "baseline_lo", "baseline_hi"),
        *RESAMPLED,
        *STAMP,
    ),
    keys=(*GROUP, "level"),
)
"""Of `n_texts` distinct texts × factors, `n_chosen` were drawn and `n_restating` of these restate
an endpoint in words that the masking finds; they were read again with that masked. `level` is
`label` (accepted labels: both mirrored reads agree) or `read` (single reads in the same
orientation). `n_changed` of `n_compared` (both have a label) differ; `n_lost` miss an endpoint that
the unmasked text had, `n_gained` have one more. Baseline: unmasked texts read again in the same
orientation (retests), level `read` only. `_lo`, `_hi`: Wilson at 95 %; `_task_`: percentile over
tasks."""

MASKED_TRANSITIONS = Table(
    name="masked_transitions",
    columns=(
        *typed("string", *GROUP, "from_state", "to_state"),
        *typed("Int64", "n", "n_from"),
        *typed("Float64", "of_from_share", "of_from_lo", "of_from_hi"),
        *STAMP,
    ),
    keys=(*GROUP, "from_state", "to_state"),
)
"""States of texts relative to the run's endpoint (DR-71), unmasked and masked; a text of both arms
counts in each. Shares are of `n_from`, with Wilson's interval, texts taken as independent."""

_ROW = ["harness", "model", "evaluator", "level"]
_UNIT = ["harness", "model", "evaluator", "text_sha256", "factor_id"]
_COUNTS = ["n_compared", "n_changed", "n_opposite", "n_lost", "n_gained"]


def masked_labels(made: Made) -> pd.DataFrame:
    """Rows of `MASKED_LABELS`, unsorted; none where no text was chosen."""
    masked = made.sets.get(InputSet.MASKED)
    if masked is None:
        return pd.DataFrame(columns=[name for name, _ in MASKED_LABELS.columns])
    couples = pd.concat(_couples(made, masked), ignore_index=True)
    units = couples.assign(**_changes(couples))
    found = _rows(made, masked)
    sums = units.groupby(_ROW, sort=True)[_COUNTS].sum().reset_index()
    found = found.merge(sums, on=_ROW, how="left").fillna(dict.fromkeys(_COUNTS, 0))
    values = {"changed": ("n_changed", "n_compared")}
    planned, settings = made.readings.runs, made.settings
    found = found.merge(task_intervals(units, _ROW, values, planned, settings), on=_ROW, how="left")
    found = found.merge(_baseline(made), on=_ROW, how="left")
    known = found["level"] == "read"
    empty = (found["n_compared"] == 0).to_numpy()
    one = ~empty & (_tasks(found, units) == 1)
    reason = choose([empty & (found["n_restating"] == 0), empty, one],
                    ["nothing_restated", "empty", "one_task"])  # fmt: skip
    counts = found[["n_baseline", "n_baseline_changed"]].fillna(0)
    return found.assign(
        **shares(found["n_changed"], found["n_compared"], "changed"),
        **shares(counts["n_baseline_changed"], counts["n_baseline"], "baseline"),
        n_baseline=counts["n_baseline"].where(known),
        n_baseline_changed=counts["n_baseline_changed"].where(known),
        n_tasks=_tasks(found, units),
        status=np.where(empty, "unknown", "ok"),
        reason=none_if_blank(reason),
    )


def _rows(made: Made, masked: Made) -> pd.DataFrame:
    """A row per group and level, with its counts of texts."""
    read = masked.known.document_reads[["text_sha256", "factor_id"]].drop_duplicates()
    chosen = _texts(masked)
    restating = chosen.merge(read, on=["text_sha256", "factor_id"])
    group = ["harness", "model", "evaluator"]
    out = _texts(made).groupby(group).size().rename("n_texts").reset_index()
    for name, texts in (("n_chosen", chosen), ("n_restating", restating)):
        counted = texts.groupby(group).size().rename(name).reset_index()
        out = out.merge(counted, on=group, how="left").fillna({name: 0})
    return out.merge(pd.DataFrame({"level": ["label", "read"]}), how="cross")


def _texts(made: Made) -> pd.DataFrame:
    """Distinct texts × factors of each model and of all, with accepted labels."""
    rows = made.documents[[*_UNIT, "task_id", "bits"]]
    return pd.concat([rows, rows.assign(model=ALL_MODELS)]).drop_duplicates(_UNIT)


def _couples(made: Made, masked: Made) -> Iterator[pd.DataFrame]:
    """Bits unmasked (`was`) and masked (`now`), by level; negative where there is no label."""
    texts = _texts(masked).rename(columns={"bits": "now"})
    labels = _texts(made)[[*_UNIT, "bits"]].rename(columns={"bits": "was"})
    yield texts.merge(labels, on=_UNIT).assign(level="label")
    sides = [*TEXT, "alpha"]
    was = _mirrored(made).rename(columns={"code": "was"})
    now = _mirrored(masked).rename(columns={"code": "now"})
    reads = now.merge(was, on=sides)
    yield texts.drop(columns="now").merge(reads, on=TEXT).assign(level="read")


def _mirrored(made: Made) -> pd.DataFrame:
    """First and mirrored reads by the endpoint that stood first: one of each."""
    reads = text_reads(made.known)
    return reads.loc[reads["read"] != "retest", [*TEXT, "alpha", "code"]]


def _changes(couples: pd.DataFrame) -> dict[str, pd.Series]:
    was, now = (couples[name].to_numpy().astype(np.int64) for name in ("was", "now"))
    both = (was >= 0) & (now >= 0)
    was, now = np.maximum(was, 0), np.maximum(now, 0)
    flags = {
        "n_compared": both,
        "n_changed": both & (was != now),
        "n_opposite": both & (readout(was) * readout(now) == -1),
        "n_lost": both & ((was & ~now) > 0),
        "n_gained": both & ((now & ~was) > 0),
    }
    return {name: pd.Series(flag.astype(np.int64)) for name, flag in flags.items()}


def _tasks(found: pd.DataFrame, units: pd.DataFrame) -> pd.Series:
    counted = units[units["n_compared"] > 0].groupby(_ROW)["task_id"].nunique().rename("n")
    return found[_ROW].merge(counted.reset_index(), on=_ROW, how="left")["n"].fillna(0)


def _baseline(made: Made) -> pd.DataFrame:
    units = made.read_units
    first, again = units["first"].to_numpy(), units["retest"].to_numpy()
    chosen = (units["kind"] == "document").to_numpy() & (first >= 0) & (again >= 0)
    n = units["n"].to_numpy()
    rows = units.loc[chosen, ["harness", "model", "evaluator"]].assign(
        level="read", n_baseline=n[chosen], n_baseline_changed=(n * (first != again))[chosen]
    )
    return rows.groupby(_ROW, sort=True)[["n_baseline", "n_baseline_changed"]].sum().reset_index()


def masked_transitions(made: Made) -> pd.DataFrame:
    """Rows of `MASKED_TRANSITIONS`, unsorted."""
    masked = made.sets.get(InputSet.MASKED)
    if masked is None:
        return pd.DataFrame(columns=[name for name, _ in MASKED_TRANSITIONS.columns])
    read = masked.known.document_reads[TEXT].drop_duplicates()
    now = masked.documents.merge(read, on=TEXT)[[*_UNIT, "arm", "bits"]]
    now = pd.concat([now, now.assign(model=ALL_MODELS)]).drop_duplicates([*_UNIT, "arm"])
    both = now.merge(_texts(made)[[*_UNIT, "bits"]], on=_UNIT, suffixes=("", "_was"))
    both = both.assign(
        from_state=relative_state(both["bits_was"].to_numpy(dtype=np.int64), both["arm"]),
        to_state=relative_state(both["bits"].to_numpy(dtype=np.int64), both["arm"]),
    )
    start = ["harness", "model", "evaluator", "from_state"]
    found = both.groupby([*start, "to_state"], sort=True).size().rename("n").reset_index()
    found = found.assign(n_from=found.groupby(start)["n"].transform("sum"))
    return found.assign(**shares(found["n"], found["n_from"], "of_from"))


MAKERS = {MASKED_LABELS: masked_labels, MASKED_TRANSITIONS: masked_transitions}
