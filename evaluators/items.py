"""Strict validation of extracted items, one by one (DR-65 … DR-67, Q9)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from draligned.models.answers import Answer
from draligned.schema.labels import Action, Actor, ItemDirection, Role, Strength
from draligned.schema.packets import DocumentPacket, DroppedItem, ItemRead
from draligned.schema.strictjson import clean_text

ITEM_CAP = 30
"""This many items or more count as a cap hit; nothing is cut off (DR-66)."""

FACTOR_CODE = "F"
"""How a packet calls its one factor."""

VOCABULARIES: Mapping[str, type[StrEnum]] = {
    "actor": Actor,
    "role": Role,
    "action": Action,
    "strength": Strength,
    "direction": ItemDirection,
}
ITEM_KEYS = frozenset({"factor", "entity_key", "paragraph_ids", *VOCABULARIES})


class Items(NamedTuple):
    """The valid items of one read, and what was dropped."""

    items: tuple[ItemRead, ...]
    dropped: tuple[DroppedItem, ...]
    cap_hit: bool
    has_items_list: bool


def validate_items(answer: Answer, packet: DocumentPacket) -> Items:
    """Keep valid items, drop invalid ones with a reason; no `items` list gives no items."""
    entries = answer.get("items")
    if not isinstance(entries, list):
        return Items((), (), cap_hit=False, has_items_list=False)
    known = frozenset(p.no for p in packet.paragraphs)
    items: list[ItemRead] = []
    dropped: list[DroppedItem] = []
    for index, entry in enumerate(entries):
        problem = _problem(entry, known)
        if problem is None:
            items.append(_item(entry))
        else:
            dropped.append(DroppedItem(index=index, reason=problem))
    return Items(tuple(items), tuple(dropped), len(entries) >= ITEM_CAP, has_items_list=True)


def _problem(entry: Any, known: frozenset[int]) -> str | None:
    """Why an entry is not an item; links say that paragraphs exist, not that they support it."""
    if not isinstance(entry, dict):
        return "not_an_object"
    if entry.keys() != ITEM_KEYS:
        return "wrong_keys"
    if entry["factor"] != FACTOR_CODE:
        return "wrong_factor"
    if not isinstance(entry["entity_key"], str) or not entry["entity_key"].strip():
        return "empty_entity_key"
    for name, values in VOCABULARIES.items():
        if not isinstance(entry[name], str) or entry[name] not in list(values):
            return f"bad_{name}"
    return _link_problem(entry["paragraph_ids"], known)


def _link_problem(ids: Any, known: frozenset[int]) -> str | None:
    if not isinstance(ids, list) or not ids:
        return "no_paragraph_ids"
    # Python counts booleans as integers; a reply may not.
    if any(type(i) is not int for i in ids):
        return "bad_paragraph_id"
    return None if known.issuperset(ids) else "unknown_paragraph"


def _item(entry: dict[str, Any]) -> ItemRead:
    return ItemRead(
        entity_key=clean_text(entry["entity_key"]).text,
        actor=Actor(entry["actor"]),
        role=Role(entry["role"]),
        action=Action(entry["action"]),
        strength=Strength(entry["strength"]),
        direction=ItemDirection(entry["direction"]),
        paragraph_ids=tuple(entry["paragraph_ids"]),
    )
