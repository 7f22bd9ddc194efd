from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from draligned.measure.checks import checked
from draligned.schema.errors import InventoryError
from draligned.schema.labels import Side


@pytest.fixture
def filled(study: Any) -> Any:
    study.run("1", "P", ["P"], "P", drafts=["N"])
    study.run("1", "Q", ["N"], "N")
    return study


@pytest.mark.parametrize("name", ["runs", "request_reads", "documents", "items"])
def test_a_row_that_occurs_twice_is_refused(filled: Any, name: str) -> None:
    rows = getattr(filled, name)
    rows.append(dict(rows[0]))
    with pytest.raises(InventoryError, match=f"{name}: two rows for .*each may occur once"):
        checked(filled.inputs())


def test_a_read_of_a_text_that_occurs_twice_is_refused(filled: Any) -> None:
    row = next(iter(filled.document_reads.values()))
    filled.document_reads["again",] = dict(row)
    with pytest.raises(InventoryError, match="document_reads: two rows"):
        checked(filled.inputs())


def test_two_runs_of_one_cell_and_replicate_are_refused(filled: Any) -> None:
    filled.runs.append(filled.runs[0] | {"run_id": "another"})
    with pytest.raises(InventoryError, match="runs: two rows for task_id 1"):
        checked(filled.inputs())


def test_two_finals_of_a_run_are_refused(filled: Any) -> None:
    final = next(row for row in filled.documents if row["role"] == "final")
    filled.documents.append(final | {"seq": 200})
    with pytest.raises(InventoryError, match="finals"):
        checked(filled.inputs())


def test_a_run_that_was_not_planned_is_refused(filled: Any) -> None:
    filled.request_reads[0]["run_id"] = "stranger"
    with pytest.raises(InventoryError, match="run stranger was not planned"):
        checked(filled.inputs())


def test_a_mirrored_read_must_swap_the_endpoints(filled: Any) -> None:
    mirror = next(row for row in filled.request_reads if row["read"] == "mirror")
    mirror["alpha"] = "P"
    with pytest.raises(InventoryError, match=r"mirror read of .* has the wrong orientation"):
        checked(filled.inputs())


def test_a_retest_must_not_swap_them(filled: Any) -> None:
    first = filled.request_reads[0]
    filled.request_reads.append(first | {"read": "retest", "alpha": "Q"})
    with pytest.raises(InventoryError, match=r"retest read of .* has the wrong orientation"):
        checked(filled.inputs())


@pytest.mark.parametrize(
    ("name", "column", "word"),
    [
        ("runs", "state", "finished"),
        ("runs", "state", None),
        ("runs", "arm", "R"),
        ("runs", "observes_f", "yes"),
        ("runs", "observes_w", "yes"),
        ("request_reads", "read", "second"),
        ("documents", "role", "notes"),
    ],
)
def test_a_word_outside_its_set_is_named(
    filled: Any, name: str, column: str, word: str | None
) -> None:
    getattr(filled, name)[-1][column] = word
    with pytest.raises(InventoryError, match=rf"{name}\.{column}: .* is not one of"):
        checked(filled.inputs())


def test_a_missing_column_is_named(filled: Any) -> None:
    inputs = filled.inputs()
    inputs = replace(inputs, items=inputs.items.drop(columns="direction"))
    with pytest.raises(InventoryError, match="items: column 'direction' is missing"):
        checked(inputs)


def test_words_may_come_as_enums_and_nulls(filled: Any) -> None:
    for row in filled.request_reads:
        row["alpha"] = Side(row["alpha"])
    known = checked(filled.inputs())
    assert known.request_reads["alpha"].tolist()[:2] == ["P", "Q"]
    assert known.request_reads["reason"].isna().all()
    assert isinstance(known.runs, pd.DataFrame)


@pytest.mark.parametrize("flag", ["development", "submits_saved", "delegation_offered"])
@pytest.mark.parametrize("said", [None, True])
def test_a_fact_of_a_harness_is_known_and_one_for_all_its_runs(
    filled: Any, flag: str, said: bool | None
) -> None:
    filled.runs[0][flag] = said
    with pytest.raises(InventoryError, match=rf"runs\.{flag}: .* for all runs of harness coupled"):
        checked(filled.inputs())
