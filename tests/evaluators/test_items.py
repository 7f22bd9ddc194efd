"""Item by item: invalid ones dropped with a reason, valid ones kept, nothing cut off."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.evaluators.items import ITEM_CAP, validate_items
from draligned.evaluators.packets import document_packet, document_units
from draligned.schema.labels import Action, Actor, ItemDirection, Role, Side, Strength
from draligned.schema.packets import DocumentPacket, ItemRead

from .scripted import card, draft, item, run
from .test_cells import JUNK

TEXT = "推荐参加演讲俱乐部。\n\n# 其他\n多练习。\n"


def packet() -> DocumentPacket:
    (unit,) = document_units(run(drafts=(draft(TEXT),)), card().factor_id)
    return document_packet(unit, card(), Side.Q, TEXT)


def reason(entry: Any) -> str | None:
    found = validate_items({"items": [entry]}, packet())
    assert len(found.items) + len(found.dropped) == 1
    return found.dropped[0].reason if found.dropped else None


def test_a_valid_item_is_kept_as_it_is() -> None:
    found = validate_items({"items": [item(paragraph_ids=[1, 3], direction="SLOT2")]}, packet())
    assert found.items == (
        ItemRead(
            entity_key="演讲俱乐部",
            actor=Actor.AGENT,
            role=Role.MAIN,
            action=Action.RECOMMEND,
            strength=Strength.FIRM,
            direction=ItemDirection.SLOT2,
            paragraph_ids=(1, 3),
        ),
    )
    assert (found.dropped, found.cap_hit, found.has_items_list) == ((), False, True)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"factor": "G"}, "wrong_factor"),
        ({"factor": None}, "wrong_factor"),
        ({"entity_key": ""}, "empty_entity_key"),
        ({"entity_key": " \n"}, "empty_entity_key"),
        ({"entity_key": 5}, "empty_entity_key"),
        ({"actor": "ASSISTANT"}, "bad_actor"),
        ({"actor": "agent"}, "bad_actor"),
        ({"role": None}, "bad_role"),
        ({"role": "UNKNOWN"}, "bad_role"),
        ({"action": ["RECOMMEND"]}, "bad_action"),
        ({"strength": True}, "bad_strength"),
        ({"direction": "ALPHA_ONLY"}, "bad_direction"),
        ({"paragraph_ids": []}, "no_paragraph_ids"),
        ({"paragraph_ids": 1}, "no_paragraph_ids"),
        ({"paragraph_ids": [True]}, "bad_paragraph_id"),
        ({"paragraph_ids": [1.0]}, "bad_paragraph_id"),
        ({"paragraph_ids": ["1"]}, "bad_paragraph_id"),
        ({"paragraph_ids": [[1]]}, "bad_paragraph_id"),
        ({"paragraph_ids": [1, 4]}, "unknown_paragraph"),
        ({"paragraph_ids": [0]}, "unknown_paragraph"),
        ({"note": "more"}, "wrong_keys"),
    ],
)
def test_what_is_dropped(changes: dict[str, Any], expected: str) -> None:
    assert reason(item(**changes)) == expected


def test_every_key_is_needed() -> None:
    for key in item():
        assert reason({k: v for k, v in item().items() if k != key}) == "wrong_keys"


@pytest.mark.parametrize("entry", [None, [], "item", 3, True])
def test_what_is_no_object_is_no_item(entry: object) -> None:
    assert reason(entry) == "not_an_object"


def test_valid_items_survive_their_neighbours() -> None:
    found = validate_items({"items": [item(), item(role="TOP"), item(entity_key="乙")]}, packet())
    assert [i.entity_key for i in found.items] == ["演讲俱乐部", "乙"]
    assert [d.index for d in found.dropped] == [1]


@pytest.mark.parametrize("n", [ITEM_CAP - 1, ITEM_CAP, ITEM_CAP + 70])
def test_the_cap_is_counted_and_nothing_is_cut(n: int) -> None:
    found = validate_items({"items": [item()] * n}, packet())
    assert len(found.items) == n
    assert found.cap_hit is (n >= ITEM_CAP)


@pytest.mark.parametrize("answer", [{}, {"items": None}, {"items": {}}, {"result": {"items": []}}])
def test_no_list_is_told_from_an_empty_list(answer: dict[str, Any]) -> None:
    assert validate_items(answer, packet()) == ((), (), False, False)
    assert validate_items({"items": []}, packet()) == ((), (), False, True)


@given(st.lists(st.tuples(st.sampled_from(sorted(item())), JUNK) | JUNK, max_size=5))
def test_any_items_are_kept_or_dropped_with_a_reason(parts: list[Any]) -> None:
    entries = [item(**{p[0]: p[1]}) if isinstance(p, tuple) else p for p in parts]
    found = validate_items({"items": entries}, packet())
    assert len(found.items) + len(found.dropped) == len(entries)
    assert all(d.reason for d in found.dropped)
    assert all(ItemRead.from_json(i.to_json()) == i for i in found.items)
