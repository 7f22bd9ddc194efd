from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure import tables
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import InputSet, MeasureInputs

NAMES = ["masked_labels", "masked_transitions"]


def masked(inputs: MeasureInputs, now: dict[str, str], new_study: Callable[..., Any]) -> Any:
    """Texts of the study (by name) read again: what both reads, or each, say now."""
    again = new_study(first="Q")
    for sha, reads in now.items():
        factor = sha.split()[1]
        again.text(sha, factor, tuple(reads) if len(reads) == 2 else reads)
    return replace(
        again.inputs(),
        runs=inputs.runs,
        documents=inputs.documents[inputs.documents["text_sha256"].isin([*now, "text f3 N"])],
    )


@pytest.fixture
def found(new_study: Callable[..., Any]) -> dict[str, pd.DataFrame]:
    """Four finals. Of three chosen ones two restate the user; the third has nothing to mask."""
    made = new_study()
    made.run("1", "P", final="P")
    made.run("2", "Q", final="Q")
    made.run("3", "P", final="N")
    made.run("4", "P", final="P")
    retest = [r | {"read": "retest"} for r in made.document_reads.values() if r["read"] == "first"]
    made.document_reads |= {("retest", n): r for n, r in enumerate(retest)}  # type: ignore[misc]
    made.items += [i | {"read": "retest"} for i in made.items if i["read"] == "first"]
    panel = made.inputs()
    again = masked(panel, {"text f1 P": "N", "text f2 Q": "QN"}, new_study)
    inputs = replace(panel, sets={InputSet.MASKED: again})
    return tables.build_tables(inputs, MeasureConfig(draws=100), (), only=NAMES)


def test_counts_by_hand(found: dict[str, pd.DataFrame]) -> None:
    rows = found["masked_labels"]
    rows = rows[rows["model"] == "all"].set_index("level")
    counts = ["n_texts", "n_chosen", "n_restating", "n_compared", "n_changed", "n_lost", "n_gained"]
    assert rows.loc["label", counts].tolist() == [4, 3, 2, 1, 1, 1, 0]
    assert rows.loc["read", counts].tolist() == [4, 3, 2, 4, 3, 3, 0]
    assert rows.loc["read", ["n_baseline", "n_baseline_changed", "n_tasks"]].tolist() == [4, 0, 2]
    assert rows.loc["label", "reason"] == "one_task"
    assert pd.isna(rows.loc["label", "n_baseline"])


def test_reads_are_compared_in_the_same_orientation(found: dict[str, pd.DataFrame]) -> None:
    """The first masked read has Q in ALPHA; it is set beside the panel's mirrored one."""
    rows = found["masked_labels"]
    assert rows.loc[rows["level"] == "read", "n_opposite"].tolist() == [0, 0]


def test_states_are_relative_to_the_users_endpoint(found: dict[str, pd.DataFrame]) -> None:
    rows = found["masked_transitions"]
    moves = rows[rows["model"] == "all"].set_index(["from_state", "to_state"])["n"].to_dict()
    assert moves == {("OWN_ONLY", "NONE"): 1, ("OWN_ONLY", "UNKNOWN"): 1}


def test_texts_without_a_restatement_leave_nothing_to_compare(
    new_study: Callable[..., Any],
) -> None:
    made = new_study()
    made.run("3", "P", final="N")
    panel = made.inputs()
    inputs = replace(panel, sets={InputSet.MASKED: masked(panel, {}, new_study)})
    rows = tables.build_tables(inputs, MeasureConfig(draws=100), (), only=NAMES)["masked_labels"]
    assert set(rows["status"]) == {"unknown"}
    assert set(rows["reason"]) == {"nothing_restated"}


def test_a_study_that_masks_nothing_has_empty_tables(worked_pair: Any) -> None:
    built = tables.build_tables(worked_pair.inputs(), MeasureConfig(draws=100), (), only=NAMES)
    assert built["masked_labels"].empty
    assert built["masked_transitions"].empty
