"""What one raw reply says, cell by cell and item by item, in the form of a stored read.

The rules are those of DR-48 … DR-50 and DR-65 … DR-67 and of Q9.
"""

from collections.abc import Collection, Sequence
from typing import Any

from draligned.verify.answers import Answer, cleaned, entries_of

Cell = dict[str, Any]
LABELS = ("ALPHA_ONLY", "BETA_ONLY", "BOTH", "NEITHER", "UNKNOWN")
_POINTING = ("ALPHA_ONLY", "BETA_ONLY", "BOTH")
_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("actor", ("AGENT", "USER_RESTATEMENT", "THIRD_PARTY", "UNKNOWN")),
    ("role", ("MAIN", "SECONDARY", "BACKGROUND", "UNRESOLVED")),
    ("action", ("RECOMMEND", "REJECT", "CONDITION", "MENTION", "UNKNOWN")),
    ("strength", ("FIRM", "HEDGED", "OPTION", "UNKNOWN")),
    ("direction", ("SLOT1", "SLOT2", "BOTH", "NEITHER", "UNKNOWN")),
)
_ITEM_KEYS = {"factor", "entity_key", "paragraph_ids", *(name for name, _ in _WORDS)}
_CAP = 30


def judge_cells(
    answer: Answer | str, asked: Sequence[tuple[int, int, str]], shown: Collection[int]
) -> tuple[list[Cell], list[Cell]]:
    """Cells and dropped entries of a reply on requests.

    `asked`: number in the packet, number in the run and text of each request to be labelled;
    `shown`: all numbers in the packet. A word for an answer makes all cells VOID for it.
    """
    entries = None if isinstance(answer, str) else entries_of(answer, "cells")
    if entries is None:
        reason = answer if isinstance(answer, str) else "bad_shape"
        return [_void(number, reason) for _, number, _ in asked], []
    wanted: dict[int, list[dict[str, Any]]] = {place: [] for place, _, _ in asked}
    dropped = []
    for index, entry in entries:
        place = entry.get("no") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and type(place) is int and place in wanted:
            wanted[place].append(entry)
        else:
            dropped.append({"index": index, "reason": _misplaced(entry, place, shown)})
    return [_cell(number, text, wanted[place]) for place, number, text in asked], dropped


def _misplaced(entry: Any, place: Any, shown: Collection[int]) -> str:
    if not isinstance(entry, dict):
        return "not_an_object"
    if type(place) is not int:
        return "no_number"
    return "context_only" if place in shown else "unknown_number"


def _void(number: int, reason: str, quote: str = "") -> Cell:
    return {
        "request_no": number, "status": "void", "label": None, "quote": quote, "reason": reason,
    }  # fmt: skip


def _cell(number: int, text: str, entries: list[dict[str, Any]]) -> Cell:
    if len(entries) != 1:
        return _void(number, "duplicate_cell" if entries else "missing_cell")
    label, quote = entries[0].get("label"), entries[0].get("quote")
    raw = quote if isinstance(quote, str) else ""
    kept = cleaned(raw)
    if not isinstance(label, str) or label not in LABELS:
        return _void(number, "invalid_label", kept)
    if label in _POINTING and (not kept.strip() or raw not in text):
        return _void(number, "quote_not_found" if kept.strip() else "no_quote", kept)
    return {"request_no": number, "status": "valid", "label": label, "quote": kept, "reason": None}


def judge_items(answer: Answer, paragraphs: Collection[int]) -> dict[str, Any]:
    """Items, dropped entries and flags of a reply on a document."""
    entries = entries_of(answer, "items")
    listed = list(entries) if entries is not None else []
    verdicts = [(index, entry, _fault(entry, paragraphs)) for index, entry in listed]
    return {
        "items": [_item(entry) for _, entry, fault in verdicts if not fault],
        "dropped": [{"index": i, "reason": fault} for i, _, fault in verdicts if fault],
        "cap_hit": len(listed) >= _CAP,
        "has_items_list": entries is not None,
    }


def _fault(entry: Any, paragraphs: Collection[int]) -> str:
    """Why an entry is no item; blank if it is one."""
    if not isinstance(entry, dict):
        return "not_an_object"
    if set(entry) != _ITEM_KEYS:
        return "wrong_keys"
    if entry["factor"] != "F":
        return "wrong_factor"
    name = entry["entity_key"]
    if not isinstance(name, str) or not name.strip():
        return "empty_entity_key"
    for key, words in _WORDS:
        if not isinstance(entry[key], str) or entry[key] not in words:
            return f"bad_{key}"
    return _bad_links(entry["paragraph_ids"], paragraphs)


def _bad_links(links: Any, paragraphs: Collection[int]) -> str:
    if not isinstance(links, list) or not links:
        return "no_paragraph_ids"
    if not all(type(link) is int for link in links):
        return "bad_paragraph_id"
    return "" if all(link in paragraphs for link in links) else "unknown_paragraph"


def _item(entry: dict[str, Any]) -> dict[str, Any]:
    words = {key: entry[key] for key, _ in _WORDS}
    name = cleaned(entry["entity_key"])
    return {"entity_key": name, **words, "paragraph_ids": list(entry["paragraph_ids"])}
