from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from draligned.measure.checks import checked
from draligned.measure.requests import label_requests
from draligned.measure.restore import presence_words
from draligned.schema.errors import InventoryError


def labels(study: Any, evaluators: tuple[str, ...] = ("ev",)) -> pd.DataFrame:
    table = label_requests(checked(study.inputs()).request_reads, evaluators)
    table = table.sort_values(["evaluator", "run_id", "request_no"])
    return table.assign(label=presence_words(table["bits"].to_numpy()))


@pytest.mark.parametrize("first", ["P", "Q"])
@pytest.mark.parametrize(
    ("reads", "label", "reason"),
    [
        ("P", "P_ONLY", ""),
        ("Q", "Q_ONLY", ""),
        ("B", "BOTH", ""),
        ("N", "NEITHER", ""),
        ("U", "UNKNOWN", "abstained"),
        (("P", "U"), "UNKNOWN", "abstained"),
        (("P", "Q"), "UNKNOWN", "mirror_disagreement"),
        (("B", "P"), "UNKNOWN", "mirror_disagreement"),
        (("N", "P"), "UNKNOWN", "mirror_disagreement"),
        (("V", "P"), "UNKNOWN", "void_read"),
        (("P", "V"), "UNKNOWN", "void_read"),
        (("V", "U"), "UNKNOWN", "void_read"),
        (("M", "P"), "UNKNOWN", "read_missing"),
        (("P", "M"), "UNKNOWN", "read_missing"),
        (("-", "P"), "UNKNOWN", "read_missing"),
        (("P", "-"), "UNKNOWN", "single_read"),
    ],
)
def test_rule_of_two_reads(
    new_study: Callable[..., Any], first: str, reads: Any, label: str, reason: str
) -> None:
    made = new_study(first=first)
    made.run("1", "P", [reads])
    row = labels(made).iloc[0]
    assert (row["label"], row["reason"]) == (label, reason)


def test_same_slot_in_both_orientations_is_a_disagreement(study: Any) -> None:
    study.run("1", "P", ["P"])
    for row in study.request_reads:
        row["label"] = "ALPHA_ONLY"
    assert labels(study)["reason"].tolist() == ["mirror_disagreement"]


def test_worked_packet(study: Any) -> None:
    """Two Shenzhen requests restore to Q_ONLY, two addresses stay UNKNOWN, eight are NEITHER."""
    study.run("8", "Q", ["Q", "Q", "U", ("U", "N"), *["N"] * 8])
    counts = labels(study)["label"].value_counts().to_dict()
    assert counts == {"NEITHER": 8, "Q_ONLY": 2, "UNKNOWN": 2}


def test_retests_never_enter_a_label(study: Any) -> None:
    study.run("1", "P", ["P", "N"])
    before = labels(study)
    retest = {"read": "retest", "alpha": study.first, "label": "BETA_ONLY"}
    study.request_reads += [
        row | retest for row in list(study.request_reads) if row["read"] == "first"
    ]
    pd.testing.assert_frame_equal(labels(study), before)


def test_a_request_only_another_evaluator_read_is_missing(study: Any) -> None:
    study.run("1", "P", ["P"])
    table = labels(study, ("ev", "second"))
    assert table["reason"].tolist() == ["", "read_missing"]


def test_one_request_with_two_tools_is_refused(study: Any) -> None:
    study.run("1", "P", ["P"])
    study.request_reads[1]["tool"] = "read"
    with pytest.raises(InventoryError, match="request 1 of run 1-P-m-0 has two tools"):
        labels(study)
