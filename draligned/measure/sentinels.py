"""Packets with known answers, wave by wave: does the reader stay the same reader?

Nothing here enters coverage or an estimate. That sentinels are read alike in every wave shows
no drift of what they ask; it is not accuracy on the study's own packets.
"""

from math import comb

import numpy as np
import pandas as pd

from draligned.measure.clustered import shares
from draligned.measure.layout import STAMP, Table, typed
from draligned.measure.made import Made
from draligned.schema.errors import InventoryError
from draligned.schema.frames import SENTINELS as FRAME

UNIT = ["evaluator", "sentinel_id", "read", "unit"]

SENTINELS = Table(
    name="sentinels",
    columns=(
        *typed("string", "evaluator", "harness"),
        *typed("Int64", "wave"),
        *typed("string", "sentinel_id", "read"),
        *typed("Int64", "unit", "place"),
        *typed("string", "status", "reason", "expected", "label"),
        *typed("boolean", "correct"),
        *STAMP,
    ),
    keys=("evaluator", "wave", "sentinel_id", "read", "unit"),
)
"""One row per request (`unit` is its number) or document (0) of a sentinel packet × wave. `label`
is what the one read says, P and Q restored; no run and no harness stands behind it."""

SENTINEL_DRIFT = Table(
    name="sentinel_drift",
    columns=(
        *typed("string", "evaluator", "harness"),
        *typed("Int64", "wave"),
        *typed("string", "status", "reason"),
        *typed("Int64", "n_asked", "n_answered", "n_correct"),
        *typed("Float64", "correct_share", "correct_lo", "correct_hi"),
        *typed("Int64", "n_again", "n_altered", "n_lost", "n_gained"),
        *typed("Float64", "altered_share", "altered_lo", "altered_hi", "drift_p"),
        *STAMP,
    ),
    keys=("evaluator", "wave"),
)
"""One row per evaluator × wave. Of `n_asked` units `n_answered` could be read, `n_correct` of them
rightly. Against the first wave, over the `n_again` units answered in both: `n_altered` have another
label, `n_lost` were right and are wrong, `n_gained` the other way round; `drift_p` is the exact
two-sided p of McNemar's test on these two. Intervals are Wilson's at 95 %; they and the p take
units as independent, which those of one packet are not quite. Each wave is a test of its own."""


def sentinels(made: Made) -> pd.DataFrame:
    """Rows of `SENTINELS`. Raises `InventoryError` for rows that occur twice."""
    return _checked(made.inputs.sentinels).assign(harness=None)


def sentinel_drift(made: Made) -> pd.DataFrame:
    """Rows of `SENTINEL_DRIFT`."""
    rows = _checked(made.inputs.sentinels)
    answered = rows["status"] == "ok"
    rows = rows.assign(
        n_asked=1,
        n_answered=answered.astype(np.int64),
        n_correct=(answered & rows["correct"].eq(True)).astype(np.int64),
    )
    rows = rows.merge(_first(rows), on=UNIT, how="left")
    again = (rows["n_answered"] == 1) & rows["first_label"].notna() & (rows["wave"] > 1)
    right, was_right = rows["correct"].eq(True), rows["first_correct"].eq(True)
    rows = rows.assign(
        n_again=again.astype(np.int64),
        n_altered=(again & (rows["label"] != rows["first_label"])).astype(np.int64),
        n_lost=(again & was_right & ~right).astype(np.int64),
        n_gained=(again & ~was_right & right).astype(np.int64),
    )
    found = rows.groupby(["evaluator", "wave"], sort=True)[_SUMS].sum().reset_index()
    found = found.assign(**shares(found["n_correct"], found["n_answered"], "correct"))
    found = found.assign(**shares(found["n_altered"], found["n_again"], "altered"))
    later, read = found["wave"] > 1, found["n_answered"] > 0
    tests = [mcnemar(int(b), int(c)) for b, c in zip(found["n_lost"], found["n_gained"],
                                                    strict=True)]  # fmt: skip
    return found.assign(
        harness=None,
        status=np.where(read, "estimated", "unknown"),
        reason=pd.Series("no_answer", index=found.index).mask(read),
        drift_p=pd.Series(tests, dtype="Float64").where(later & (found["n_again"] > 0)),
    )


def mcnemar(lost: int, gained: int) -> float:
    """Exact two-sided p of as uneven a split of the units that changed sides; 1 where none did."""
    changed, fewer = lost + gained, min(lost, gained)
    tail = sum(comb(changed, k) for k in range(fewer + 1)) / 2**changed
    return float(min(1.0, 2 * tail))


_SUMS = ["n_asked", "n_answered", "n_correct", "n_again", "n_altered", "n_lost", "n_gained"]


def _first(rows: pd.DataFrame) -> pd.DataFrame:
    """What the first wave says of each unit."""
    first = rows[(rows["wave"] == 1) & (rows["n_answered"] == 1)]
    names = {"label": "first_label", "correct": "first_correct"}
    return first[[*UNIT, "label", "correct"]].rename(columns=names)


def _checked(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[list(FRAME)]
    if rows.duplicated(["wave", *UNIT]).any():
        raise InventoryError("sentinels: a unit stands twice in one wave")
    return rows.reset_index(drop=True)


MAKERS = {SENTINELS: sentinels, SENTINEL_DRIFT: sentinel_drift}
