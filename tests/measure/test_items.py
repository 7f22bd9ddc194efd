from typing import Any

import pytest

from draligned.measure.checks import checked
from draligned.measure.items import summarise_reads
from draligned.schema.errors import InventoryError


def summary(study: Any) -> Any:
    inputs = checked(study.inputs())
    return summarise_reads(inputs.document_reads, inputs.items).sort_values("read")


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({}, (1, 1, 2)),
        ({"action": "CONDITION"}, (1, 1, 2)),
        ({"strength": "OPTION"}, (1, 1, 2)),
        ({"action": "REJECT"}, (0, 0, 0)),
        ({"action": "MENTION"}, (0, 0, 0)),
        ({"role": "SECONDARY"}, (0, 0, 0)),
        ({"role": "BACKGROUND"}, (0, 0, 0)),
        ({"actor": "USER_RESTATEMENT"}, (0, 0, 0)),
        ({"actor": "THIRD_PARTY"}, (0, 0, 0)),
        ({"direction": "UNKNOWN"}, (1, 0, 0)),
    ],
)
def test_what_counts_as_main_advice(
    study: Any, changes: dict[str, str], counts: tuple[int, int, int]
) -> None:
    study.run("1", "P", final="P")
    for row in study.items:
        row.update(changes)
    table = summary(study)
    for _, row in table.iterrows():
        assert (row["n_main"], row["n_resolved"], row["bits"]) == counts


@pytest.mark.parametrize(
    ("letters", "bits", "x_sum"),
    [
        ("P", 2, 1),
        ("QQ", 1, -2),
        ("PQ", 3, 0),
        ("B", 3, 0),
        ("N", 0, 0),
        ("PPNQ", 3, 1),
        (".", 0, 0),
    ],
)
def test_presence_is_the_or_of_items(study: Any, letters: str, bits: int, x_sum: int) -> None:
    study.run("1", "P", final=letters)
    table = summary(study)
    assert table["bits"].tolist() == [bits, bits]
    assert table["x_sum"].tolist() == [x_sum, x_sum]


def test_items_of_a_void_read_count_for_nothing(study: Any) -> None:
    study.run("1", "P", final="P")
    next(iter(study.document_reads.values()))["status"] = "void"
    assert summary(study)["n_main"].tolist() == [0, 1]


def test_items_without_a_read_are_refused(study: Any) -> None:
    study.run("1", "P", final="P")
    study.document_reads.popitem()
    with pytest.raises(InventoryError, match="items of a read that is not listed"):
        summary(study)


def test_an_item_in_another_orientation_than_its_read_is_refused(study: Any) -> None:
    study.run("1", "P", final="P")
    study.items[0]["alpha"] = "Q"
    with pytest.raises(InventoryError, match="orientation"):
        summary(study)
