"""Sentinel tables: counts by hand, and nothing of them in any other table."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from scipy.stats import binomtest

from draligned.measure.sentinels import mcnemar
from draligned.measure.tables import build_tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InventoryError
from draligned.schema.frames import MeasureInputs

CONFIG = MeasureConfig(draws=100)
OWN = {"sentinels", "sentinel_drift"}


def rows(*said: tuple[int, int, str, str | None]) -> pd.DataFrame:
    """(wave, unit, expected, label); no label is a void read."""
    made = [
        {"evaluator": "ev", "wave": wave, "sentinel_id": "s" * 16, "read": "first", "unit": unit,
         "place": 10 * wave, "status": "void" if label is None else "ok",
         "reason": "empty_reply" if label is None else None, "expected": expected,
         "label": label, "correct": None if label is None else label == expected}
        for wave, unit, expected, label in said
    ]  # fmt: skip
    return pd.DataFrame(made, columns=list(frames.SENTINELS), dtype=object)


def tables(inputs: MeasureInputs, sentinels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return build_tables(replace(inputs, sentinels=sentinels), CONFIG, ("D_A",))


ASKED = rows(
    (1, 1, "P_ONLY", "P_ONLY"), (1, 2, "BOTH", "BOTH"), (1, 3, "NEITHER", "P_ONLY"),
    (1, 4, "Q_ONLY", "Q_ONLY"), (1, 5, "BOTH", None),
    (2, 1, "P_ONLY", "Q_ONLY"), (2, 2, "BOTH", "BOTH"), (2, 3, "NEITHER", "NEITHER"),
    (2, 4, "Q_ONLY", "NEITHER"), (2, 5, "BOTH", "BOTH"),
)  # fmt: skip


def test_drift_by_hand(worked_pair: Any) -> None:
    drift = tables(worked_pair.inputs(), ASKED)["sentinel_drift"].set_index("wave")
    assert drift.loc[1, ["n_asked", "n_answered", "n_correct"]].tolist() == [5, 4, 3]
    assert drift.loc[2, ["n_asked", "n_answered", "n_correct"]].tolist() == [5, 5, 3]
    changed = ["n_again", "n_altered", "n_lost", "n_gained"]
    assert drift.loc[1, changed].tolist() == [0, 0, 0, 0]
    assert drift.loc[2, changed].tolist() == [4, 3, 2, 1]
    assert pd.isna(drift.loc[1, "drift_p"])
    assert drift.loc[2, "drift_p"] == pytest.approx(1.0)
    assert drift.loc[2, "altered_share"] == pytest.approx(0.75)


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (5, 0), (0, 6), (9, 2), (3, 3), (12, 1)])
def test_mcnemar_is_the_binomial_test(lost: int, gained: int) -> None:
    n = lost + gained
    expected = binomtest(lost, n).pvalue if n else 1.0
    assert mcnemar(lost, gained) == pytest.approx(expected)


def test_no_other_table_knows_of_sentinels(worked_pair: Any) -> None:
    inputs = worked_pair.inputs()
    without = tables(inputs, frames.empty(frames.SENTINELS))
    with_them = tables(inputs, ASKED)
    assert without.keys() == with_them.keys()
    for name in without.keys() - OWN:
        pd.testing.assert_frame_equal(without[name], with_them[name])
    assert without["sentinels"].empty
    assert len(with_them["sentinels"]) == len(ASKED)


def test_a_wave_that_nobody_answered_is_unknown_and_not_wrong(worked_pair: Any) -> None:
    drift = tables(worked_pair.inputs(), rows((1, 1, "P_ONLY", None)))["sentinel_drift"]
    row = drift.iloc[0]
    assert (row["status"], row["reason"]) == ("unknown", "no_answer")
    assert pd.isna(row["correct_share"])


def test_a_unit_that_stands_twice_is_refused(worked_pair: Any) -> None:
    twice = rows((1, 1, "P_ONLY", "P_ONLY"), (1, 1, "P_ONLY", "BOTH"))
    with pytest.raises(InventoryError, match="twice"):
        tables(worked_pair.inputs(), twice)
