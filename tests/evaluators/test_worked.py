"""The worked cases of the paper, with requests of our own (DR-50, DR-54, DR-55)."""

import json
from pathlib import Path
from typing import Any

from draligned.evaluators.orientation import PlannedRead
from draligned.evaluators.packets import request_packet, request_units
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.read import read_packet
from draligned.schema.labels import CellStatus, ReadRole, Side, SlotLabel
from draligned.schema.packets import CellRead, ReadRecord

from .scripted import Scripted, card, run

CASES: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "golden" / "worked_requests.json").read_text(encoding="utf-8")
)
ABSOLUTE = {
    (SlotLabel.ALPHA_ONLY, Side.P): "P_ONLY",
    (SlotLabel.ALPHA_ONLY, Side.Q): "Q_ONLY",
    (SlotLabel.BETA_ONLY, Side.P): "Q_ONLY",
    (SlotLabel.BETA_ONLY, Side.Q): "P_ONLY",
}


async def read(case: dict[str, Any], role: ReadRole, alpha: Side) -> ReadRecord:
    """The case's read in which `alpha` stood in the ALPHA slot."""
    observed = run(tuple(case["requests"]), side=Side.Q)
    (unit,) = request_units(observed, card().factor_id, "whole_run")
    said = case[f"read_alpha_{alpha.value.lower()}"]
    cells = [{"no": no, "label": label, "quote": quote} for no, label, quote in said]
    result = await read_packet(
        Scripted(json.dumps({"cells": cells})),
        unit,
        request_packet(unit, card(), alpha, observed),
        PlannedRead(role, alpha),
        load_protocol("zh"),
        evaluator_id="e" * 16,
    )
    return result.record


def shown(cell: CellRead, alpha: Side) -> str:
    """A cell in absolute terms, written by hand here: restoration is the measures' business."""
    if cell.status is CellStatus.VOID:
        assert cell.reason is not None
        return f"VOID {cell.reason.value}"
    assert cell.label is not None
    return ABSOLUTE.get((cell.label, alpha), cell.label.value)


async def restored(case: dict[str, Any]) -> list[str]:
    first = await read(case, ReadRole.FIRST, Side.Q)
    mirror = await read(case, ReadRole.MIRROR, Side.P)
    pairs = [
        (shown(a, Side.Q), shown(b, Side.P)) for a, b in zip(first.cells, mirror.cells, strict=True)
    ]
    return [a if a == b else f"{a} / {b}" for a, b in pairs]


async def test_two_requests_flip_and_restore_to_q() -> None:
    case = CASES["two_of_twelve_towards_q"]
    first = await read(case, ReadRole.FIRST, Side.Q)
    mirror = await read(case, ReadRole.MIRROR, Side.P)
    assert [first.cells[i].label for i in (0, 5)] == [SlotLabel.ALPHA_ONLY] * 2
    assert [mirror.cells[i].label for i in (0, 5)] == [SlotLabel.BETA_ONLY] * 2
    assert first.cells[0].quote != mirror.cells[0].quote
    labels = await restored(case)
    assert labels == case["restored"]
    assert [labels.count(x) for x in ("Q_ONLY", "UNKNOWN", "NEITHER")] == [2, 2, 8]


async def test_a_decoded_title_voids_one_read_and_not_the_other() -> None:
    case = CASES["decoded_title_against_encoded_address"]
    assert await restored(case) == case["restored"]
