"""The rehearsal reader: labels requests and documents by the public words and cue words.

It reads the packet and nothing else; planted read errors come from a hash of the packet's
content, whatever way round its endpoints stand, and the declared seed.
"""

from typing import Any

from draligned.rehearsal.draws import Draws
from draligned.rehearsal.extract import Item, items_of
from draligned.rehearsal.packets import as_json, object_in, strings
from draligned.rehearsal.reader_profile import ReaderProfile, misread, reader_profile
from draligned.rehearsal.sections import sentences
from draligned.rehearsal.wire import Answer, Asked
from draligned.rehearsal.words import Slots, find_words
from draligned.schema.errors import InputError

_CAP = 30
_UNITS = {"requests": ("requests", "request"), "document": ("paragraphs", "text")}
"""Where the units of a packet stand, and the text of each."""
_LABELS = {"SLOT1": "ALPHA_ONLY", "SLOT2": "BETA_ONLY"}


def answer_as_reader(asked: Asked) -> Answer:
    """The labels of a packet, as its protocol wants them. Raises `InputError`."""
    packet = object_in(asked)
    if str(packet.get("kind")) not in _UNITS or not _is_sound(packet):
        raise InputError("the packet is neither requests nor a document, each of them numbered")
    profile = reader_profile(asked.model, asked.overrides)
    draws = Draws("read", asked.seed, asked.model, *_content(packet))
    if packet.get("kind") == "requests":
        return Answer(text=as_json({"cells": read_requests(packet, profile, draws)}))
    return Answer(text=as_json({"items": read_document(packet, profile, draws)}))


def _is_sound(packet: dict[str, Any]) -> bool:
    """Whether the packet's units are a list of numbered texts."""
    listed, text = _UNITS[packet["kind"]]
    units = packet.get(listed, [])
    return isinstance(units, list) and all(
        isinstance(u, dict) and type(u.get("no")) is int and isinstance(u.get(text), str)
        for u in units
    )


def _slots(packet: dict[str, Any]) -> Slots:
    return Slots(*(strings(_slot(packet, name).get("words")) for name in ("alpha", "beta")))


def _slot(packet: dict[str, Any], name: str) -> dict[str, Any]:
    slot = packet.get(name)
    return slot if isinstance(slot, dict) else {}


def _stated(packet: dict[str, Any]) -> tuple[str, ...]:
    """The endpoint sentences without their full stops, for spotting a restatement."""
    texts = (str(_slot(packet, name).get("sentence", "")) for name in ("alpha", "beta"))
    return tuple(bare for t in texts if (bare := t.strip().rstrip("。.!！")))


def _content(packet: dict[str, Any]) -> list[str]:
    """The packet's content, the same whichever endpoint is ALPHA."""
    units = packet.get("requests") or packet.get("paragraphs") or []
    texts = [str(u.get("request", u.get("text"))) for u in units if isinstance(u, dict)]
    return [*sorted(_stated(packet)), *texts]


def read_requests(
    packet: dict[str, Any], profile: ReaderProfile, draws: Draws
) -> list[dict[str, Any]]:
    """One cell for every request that is not there for context only."""
    slots = _slots(packet)
    cells = []
    for request in packet.get("requests", ()):
        if request.get("context_only"):
            continue
        label, quote = label_request(str(request["request"]), str(request.get("tool")), slots)
        label = misread(label, profile, draws, request["no"])
        directional = label in ("SLOT1", "SLOT2", "BOTH")
        cells.append(
            {
                "no": request["no"],
                "label": _LABELS.get(label, label),
                "quote": quote if directional else "",
            }
        )
    return cells


def label_request(text: str, tool: str, slots: Slots) -> tuple[str, str]:
    """Label in slot terms and a verbatim quote.

    An address without readable words of an endpoint does not show its content: UNKNOWN.
    """
    found = find_words(text, slots)
    if found.alpha and found.beta:
        return "BOTH", found.quote
    if found.alpha or found.beta:
        return ("SLOT1" if found.alpha else "SLOT2"), found.quote
    is_address = tool == "read" or text.lstrip().startswith(("http://", "https://"))
    readable = any(c.isalnum() for c in text)
    return ("UNKNOWN" if is_address or not readable else "NEITHER"), ""


def read_document(
    packet: dict[str, Any], profile: ReaderProfile, draws: Draws
) -> list[dict[str, Any]]:
    """The items of a document, main advice first where there are more than the cap."""
    slots, stated = _slots(packet), _stated(packet)
    found = [
        item
        for sentence in sentences(packet.get("paragraphs", ()))
        for item in items_of(sentence, slots, stated)
    ]
    merged = _merge(found)
    if len(merged) > _CAP:
        merged = sorted(merged, key=lambda pair: pair[0].role != "MAIN")[:_CAP]
    factor = str(packet.get("factor", "F"))
    return [
        {
            "factor": factor,
            "entity_key": item.key,
            "actor": item.actor,
            "role": item.role,
            "action": item.action,
            "strength": item.strength,
            "direction": misread(item.direction, profile, draws, "document")
            if item.actor == "AGENT"
            else item.direction,
            "paragraph_ids": paragraphs,
        }
        for item, paragraphs in merged
    ]


def _merge(found: list[Item]) -> list[tuple[Item, list[int]]]:
    """The same attitude to the same thing in several paragraphs is one item."""
    merged: dict[tuple[str, ...], tuple[Item, list[int]]] = {}
    for item in found:
        same = (item.key, item.actor, item.role, item.action, item.strength, item.direction)
        _, paragraphs = merged.setdefault(same, (item, []))
        if item.paragraph not in paragraphs:
            paragraphs.append(item.paragraph)
    return list(merged.values())
