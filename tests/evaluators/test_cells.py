"""Cell by cell: VOID, UNKNOWN, NEITHER and BOTH are four different things."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.evaluators.cells import Cells, validate_cells, void_cells
from draligned.evaluators.packets import request_packet, request_units
from draligned.models.answers import answer_in
from draligned.schema.labels import CellStatus, Side, SlotLabel, VoidReason
from draligned.schema.packets import CellRead, RequestPacket

from .scripted import card, run

WIKI = "https://zh.wikipedia.org/wiki/%E8%A5%BF%E6%B9%96"
REQUESTS = ("西湖边的演讲俱乐部", WIKI, "提升领导力的方法")
VALID = {
    "cells": [
        {"no": 1, "label": "ALPHA_ONLY", "quote": "西湖"},
        {"no": 2, "label": "UNKNOWN", "quote": ""},
        {"no": 3, "label": "NEITHER", "quote": ""},
    ]
}


def packet(requests: tuple[str, ...] = REQUESTS) -> RequestPacket:
    observed = run(requests)
    (unit,) = request_units(observed, card().factor_id, "whole_run")
    return request_packet(unit, card(), Side.P, observed)


def validate(*cells: Any) -> Cells:
    return validate_cells({"cells": list(cells)}, packet(), (1, 2, 3))


def first(cell: dict[str, Any]) -> CellRead:
    return validate({"no": 1, **cell}).cells[0]


def test_a_valid_reply_has_no_void() -> None:
    cells, dropped = validate_cells(VALID, packet(), (1, 2, 3))
    assert [c.status for c in cells] == [CellStatus.VALID] * 3
    assert [c.label for c in cells] == [
        SlotLabel.ALPHA_ONLY,
        SlotLabel.UNKNOWN,
        SlotLabel.NEITHER,
    ]
    assert dropped == ()


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ({"label": "P_ONLY", "quote": "西湖"}, VoidReason.INVALID_LABEL),
        ({"label": "alpha_only", "quote": "西湖"}, VoidReason.INVALID_LABEL),
        ({"label": None, "quote": "西湖"}, VoidReason.INVALID_LABEL),
        ({"label": ["BOTH"], "quote": "西湖"}, VoidReason.INVALID_LABEL),
        ({"quote": "西湖"}, VoidReason.INVALID_LABEL),
        ({"label": "ALPHA_ONLY"}, VoidReason.NO_QUOTE),
        ({"label": "BETA_ONLY", "quote": ""}, VoidReason.NO_QUOTE),
        ({"label": "BOTH", "quote": " "}, VoidReason.NO_QUOTE),
        ({"label": "BOTH", "quote": ["西湖"]}, VoidReason.NO_QUOTE),
        ({"label": "BOTH", "quote": "西 湖"}, VoidReason.QUOTE_NOT_FOUND),
        ({"label": "BOTH", "quote": "提升领导力"}, VoidReason.QUOTE_NOT_FOUND),
        ({"label": "BOTH", "quote": "西湖\ud83c"}, VoidReason.QUOTE_NOT_FOUND),
    ],
)
def test_what_is_void(cell: dict[str, Any], reason: VoidReason) -> None:
    read = first(cell)
    assert (read.status, read.label, read.reason) == (CellStatus.VOID, None, reason)
    assert CellRead.from_json(read.to_json()) == read


@pytest.mark.parametrize("label", ["NEITHER", "UNKNOWN"])
@pytest.mark.parametrize("quote", [None, "", "not in the request", 3])
def test_no_quote_is_asked_of_the_other_labels(label: str, quote: object) -> None:
    assert first({"label": label, "quote": quote}).label is SlotLabel(label)


def test_a_decoded_title_is_no_quote_of_an_encoded_address() -> None:
    read = validate({"no": 2, "label": "ALPHA_ONLY", "quote": "西湖"}).cells[1]
    assert read.reason is VoidReason.QUOTE_NOT_FOUND
    read = validate({"no": 2, "label": "BOTH", "quote": "%E8%A5%BF%E6%B9%96"}).cells[1]
    assert read.label is SlotLabel.BOTH


def test_one_bad_cell_spoils_no_other() -> None:
    cells, _ = validate(
        VALID["cells"][0], {"no": 3, "label": "NEITHER"}, {"no": 3, "label": "BOTH"}
    )
    assert [c.reason for c in cells] == [
        None,
        VoidReason.MISSING_CELL,
        VoidReason.DUPLICATE_CELL,
    ]


def test_entries_for_other_numbers_are_counted_and_ignored() -> None:
    strays: list[Any] = [
        {"no": 4, "label": "BOTH"},
        {"no": True, "label": "BOTH"},
        {"no": 1.0, "label": "BOTH"},
        {"no": "1", "label": "BOTH"},
        {"label": "BOTH"},
        [1, "BOTH"],
        None,
    ]
    cells, dropped = validate(*VALID["cells"], *strays)
    assert all(c.status is CellStatus.VALID for c in cells)
    assert [d.index for d in dropped] == [3, 4, 5, 6, 7, 8, 9]
    assert [d.reason for d in dropped] == [
        "unknown_number",
        *["no_number"] * 4,
        *["not_an_object"] * 2,
    ]


def test_context_is_not_labelled() -> None:
    observed = run(tuple(f"问题{i}" for i in range(1, 13)))
    unit = request_units(observed, card().factor_id, "batch_prev3")[1]
    shown = request_packet(unit, card(), Side.P, observed)
    reply = {"cells": [{"no": n, "label": "NEITHER"} for n in range(8, 13)]}
    cells, dropped = validate_cells(reply, shown, unit.request_nos)
    assert [c.request_no for c in cells] == [11, 12]
    assert [d.reason for d in dropped] == ["context_only"] * 3


@pytest.mark.parametrize("answer", [{}, {"cells": None}, {"cells": {"1": "BOTH"}}, {"items": []}])
def test_an_answer_of_another_shape_voids_every_cell(answer: dict[str, Any]) -> None:
    cells, dropped = validate_cells(answer, packet(), (1, 2, 3))
    assert cells == void_cells((1, 2, 3), VoidReason.BAD_SHAPE)
    assert dropped == ()


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(exclude_categories=[]))
    | st.sampled_from([*(v.value for v in SlotLabel), "西湖", "no", "label", "quote"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def check(cells: tuple[CellRead, ...]) -> None:
    """Every request has exactly one cell, valid or VOID with a reason, and can be stored."""
    assert [c.request_no for c in cells] == [1, 2, 3]
    for cell, text in zip(cells, REQUESTS, strict=True):
        assert CellRead.from_json(cell.to_json()) == cell
        if cell.status is CellStatus.VOID:
            assert cell.reason is not None
            assert cell.label is None
        else:
            assert cell.status is CellStatus.VALID
            assert cell.reason is None
            assert cell.label in {SlotLabel.NEITHER, SlotLabel.UNKNOWN} or cell.quote in text


@given(
    st.lists(
        st.fixed_dictionaries(
            {}, optional={"no": st.integers(0, 4) | JUNK, "label": JUNK, "quote": JUNK}
        )
        | JUNK,
        max_size=6,
    )
)
def test_any_list_of_cells_gives_every_cell(entries: list[Any]) -> None:
    check(validate(*entries).cells)


@given(st.data())
def test_a_mutated_valid_reply_gives_every_cell(data: st.DataObject) -> None:
    answer = copy.deepcopy(VALID)
    entry = data.draw(st.sampled_from(answer["cells"]))
    entry[data.draw(st.sampled_from(["no", "label", "quote", "x"]))] = data.draw(JUNK)  # type: ignore[assignment]
    check(validate_cells(answer, packet(), (1, 2, 3)).cells)


@given(st.data())
def test_a_valid_reply_cut_or_changed_anywhere(data: st.DataObject) -> None:
    text = json.dumps(VALID, ensure_ascii=data.draw(st.booleans()))
    a, b = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    found = answer_in(text[:a] + data.draw(st.text(max_size=5)) + text[b:])
    if isinstance(found, dict):
        check(validate_cells(found, packet(), (1, 2, 3)).cells)
    else:
        check(void_cells((1, 2, 3), found))
