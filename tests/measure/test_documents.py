from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.checks import checked
from draligned.measure.documents import Policy, label_texts, read_texts, relative_state
from draligned.measure.restore import presence_words


def label(study: Any, policy: Policy = "block_none") -> pd.DataFrame:
    inputs = checked(study.inputs())
    texts = read_texts(inputs.documents, inputs.document_reads, inputs.items, ("ev",))
    table = label_texts(texts, policy)
    return table.assign(word=presence_words(table["bits"].to_numpy()))


@pytest.mark.parametrize(
    ("reads", "word", "reason"),
    [
        (("PN", "P"), "P_ONLY", ""),
        ("Q", "Q_ONLY", ""),
        (("PQ", "B"), "BOTH", ""),
        (("N", "NN"), "NEITHER", ""),
        (("P", "Q"), "UNKNOWN", "mirror_disagreement"),
        (("P", "PQ"), "UNKNOWN", "mirror_disagreement"),
        (("P", "N"), "UNKNOWN", "mirror_disagreement"),
        ((".", "P"), "UNKNOWN", "no_basis"),
        (".", "UNKNOWN", "no_basis"),
        ("U", "UNKNOWN", "no_basis"),
        (("V", "P"), "UNKNOWN", "void_read"),
        (("V", "."), "UNKNOWN", "void_read"),
        (("P", "M"), "UNKNOWN", "read_missing"),
        (("P", "-"), "UNKNOWN", "single_read"),
        ("O", "UNKNOWN", "oversize"),
        (("NU", "N"), "UNKNOWN", "unresolved_items"),
        (("PU", "P"), "P_ONLY", ""),
    ],
)
def test_decision_table(study: Any, reads: Any, word: str, reason: str) -> None:
    study.run("1", "P", final=reads)
    row = label(study).iloc[0]
    assert (row["word"], row["reason"]) == (word, reason)


@pytest.mark.parametrize(
    ("policy", "none", "own"),
    [
        ("block_none", "unresolved_items", ""),
        ("ignore", "", ""),
        ("block_all", "unresolved_items", "unresolved_items"),
    ],
)
def test_policies_on_unresolved_items(study: Any, policy: Policy, none: str, own: str) -> None:
    study.run("1", "P", final=("NU", "N"))
    study.run("2", "P", final=("PU", "P"))
    table = label(study, policy).sort_values("text_sha256")
    assert table["reason"].tolist() == [none, own]


def test_state_is_relative_to_the_runs_endpoint() -> None:
    bits = np.array([2, 1, 3, 0, -1], dtype=np.int8)
    own = relative_state(bits, pd.Series(["P"] * 5)).tolist()
    assert own == ["OWN_ONLY", "OTHER_ONLY", "BOTH", "NONE", "UNKNOWN"]
    other = relative_state(bits, pd.Series(["Q"] * 5)).tolist()
    assert other == ["OTHER_ONLY", "OWN_ONLY", "BOTH", "NONE", "UNKNOWN"]


def test_a_text_is_labelled_once_however_often_it_occurs(study: Any) -> None:
    study.run("1", "P", final="P", drafts=["N", "P"])
    study.run("1", "Q", final="P")
    assert len(label(study)) == 2


def test_mean_over_items_is_averaged_over_the_two_reads(study: Any) -> None:
    study.run("1", "P", final=("PPNN", "PNN"))
    assert label(study)["x_items"].tolist() == [pytest.approx((2 / 4 + 1 / 3) / 2)]
