"""Every read on disk, its labels and items made anew from the raw reply and compared."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from draligned.verify.answers import answer_of
from draligned.verify.design import DesignFacts
from draligned.verify.files import Files, strict
from draligned.verify.found import Part, going_on
from draligned.verify.ids import hash_of
from draligned.verify.judged import judge_cells, judge_items
from draligned.verify.looks import Look, look
from draligned.verify.packets import (
    Asked,
    Unit,
    alpha_of,
    asked_of,
    body_of,
    paragraph_fault,
    too_large,
    user_text,
)

READS, PACKETS, LABELS, ITEMS = "reads", "packets", "labels from replies", "items from replies"
ABSTAINED, VOID = -1, -2
SLOTS = {"NEITHER": 0, "BETA_ONLY": 1, "ALPHA_ONLY": 2, "BOTH": 3, "UNKNOWN": ABSTAINED,
         "SLOT2": 1, "SLOT1": 2}  # fmt: skip
ADVICE = ("RECOMMEND", "CONDITION")
_MIRRORED = {0: 0, 1: 2, 2: 1, 3: 3, ABSTAINED: ABSTAINED, VOID: VOID}


@dataclass(frozen=True, slots=True)
class Advice:
    """Main advice of one read of a text: how many items, how many resolved, their bits and x."""

    n_main: int
    n_resolved: int
    bits: int
    x_sum: int


@dataclass(frozen=True, slots=True)
class Read:
    """One read in terms of P and Q, from the raw reply."""

    status: str
    """ok, void or oversize."""
    reason: str | None
    cells: tuple[int, ...] = ()
    """Bits (P, Q) of each labelled request, −1 abstained, −2 void."""
    advice: Advice | None = None
    cap_hit: bool = False
    n_items: int = 0
    n_dropped: int = 0
    outside: int = 0
    """Bits of the items that are no main advice."""


@dataclass
class Protocols:
    """Locked protocols by evaluator id, with their hashes."""

    texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)


def read_protocols(files: Files, evaluators: list[str]) -> Protocols:
    """The protocols; tables may stand on one alone."""
    out, part = Protocols(), files.found.part("protocol locks")
    for evaluator in evaluators:
        key = f"reads/{evaluator}/protocol.lock"
        if files.store.exists(key):
            with going_on():
                raw = files.record(key, part.name)
                out.texts[evaluator], out.hashes[evaluator] = raw, hash_of(raw)
    for evaluator, sha256 in out.hashes.items():
        first = next(iter(out.hashes.values()))
        part.same(f"reads/{evaluator}/protocol.lock", "sha256", sha256, first)
    return out


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Checks the reads of a study one by one."""

    files: Files
    design: DesignFacts
    protocols: Protocols
    on_trust: list[str] = field(default_factory=list)
    looks: dict[str, Look] = field(default_factory=dict)

    def guarded(self, key: str, unit: Unit, evaluator: str, role: str) -> Read:
        """As `read`; a record or packet of another shape is named too. Raises `Unreadable`."""
        try:
            return self.read(key, unit, evaluator, role)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            self.files.refuse(READS, key, f"not a read ({type(error).__name__}: {error})", "a read")

    def read(self, key: str, unit: Unit, evaluator: str, role: str) -> Read:
        """The read stored under `key`. Raises `Unreadable` where nothing can be made of it."""
        files, part = self.files, self.files.found.part(READS)
        record = files.record(key, READS)
        alpha = alpha_of(unit.packet_id, self.design.seed, role)
        own = {
            "packet_id": unit.packet_id, "kind": unit.kind, "factor_id": unit.factor_id,
            "evaluator_id": evaluator, "role": role, "alpha": alpha,
            "protocol_sha256": self.protocols.hashes.get(evaluator),
        }  # fmt: skip
        part.each(key, ((name, record.get(name), value) for name, value in own.items()))
        asked = self._packet(key, unit, evaluator, record, alpha)
        answer = self._answer(key, record, unit)
        return self._compared(key, record, unit, answer, asked, alpha)

    def _packet(
        self, key: str, unit: Unit, evaluator: str, record: dict[str, Any], alpha: str
    ) -> Asked:
        """Compare the archived packet with what it must have been, byte for byte."""
        files, part = self.files, self.files.found.part(PACKETS)
        data = files.text(record["packet_sha256"], PACKETS, key, "packet_sha256")
        messages = strict(data)
        user = messages[-1]["text"]
        body = strict(user.partition("\n")[2])
        paragraphs = body.get("paragraphs", [])
        if record.get("role") == "first" and not unit.masked and unit.packet_id not in self.looks:
            card = self.design.cards[unit.factor_id]
            self.looks[unit.packet_id] = look(unit.packet_id, messages, card, alpha)
        fault = None
        if unit.text_sha256 is not None:
            text = files.text(unit.text_sha256, PACKETS, key, "text")
            fault = paragraph_fault(paragraphs, text, masked=unit.masked)
        part.same(key, "paragraphs", fault, None)
        prompts = self.protocols.texts.get(evaluator, {}).get(unit.kind, {})
        card = self.design.cards[unit.factor_id]
        expected = [
            {"role": "system", "text": prompts.get("system")},
            {"role": "user", "text": user_text(prompts.get("instruction", ""),
                                               body_of(unit, card, alpha, paragraphs))},
        ]  # fmt: skip
        if messages == expected:
            part.right()
        else:
            part.wrong(key, "packet", *_difference(messages, expected))
        return asked_of(unit, paragraphs)

    def _answer(self, key: str, record: dict[str, Any], unit: Unit) -> dict[str, Any] | str:
        """The answer in the raw reply, or the reason why there is none."""
        said = record.get("void")
        if unit.text_sha256 is not None:
            text = self.files.text(unit.text_sha256, READS, key, "text")
            if too_large(text):
                return "oversize"
        if record["reply_sha256"] is None:
            self.on_trust.append(key)
            return "request_refused"
        reply = self.files.text(record["reply_sha256"], READS, key, "reply_sha256")
        if said == "length_cut":
            self.on_trust.append(key)
            return "length_cut"
        return answer_of(reply)

    def _compared(
        self, key: str, record: dict[str, Any], unit: Unit, answer: dict[str, Any] | str,
        asked: Asked, alpha: str,
    ) -> Read:  # fmt: skip
        """Compare the record with the reply; what is returned is what the reply says."""
        void = answer if isinstance(answer, str) else None
        name = LABELS if unit.kind == "requests" else ITEMS
        part = self.files.found.part(name)
        part.same(key, "void", record.get("void"), void)
        if unit.kind == "requests":
            cells, dropped = judge_cells(answer, asked.requests, asked.shown)
            compare_lists(part, key, "cells", record.get("cells"), cells)
            compare_lists(part, key, "dropped", record.get("dropped"), dropped)
            bits = tuple(_bits(c["label"], alpha) for c in cells)
            return Read("void" if void else "ok", void, cells=bits)
        own = _no_items() if isinstance(answer, str) else judge_items(answer, asked.paragraphs)
        compare_lists(part, key, "items", record.get("items"), own["items"])
        compare_lists(part, key, "dropped", record.get("dropped"), own["dropped"])
        for flag in ("cap_hit", "has_items_list"):
            part.same(key, flag, record.get(flag), own[flag])
        status = "ok" if void is None else "oversize" if void == "oversize" else "void"
        return Read(status, void, advice=_advice(own["items"], alpha), cap_hit=own["cap_hit"],
                    n_items=len(own["items"]), n_dropped=len(own["dropped"]),
                    outside=_outside(own["items"], alpha))  # fmt: skip


def _no_items() -> dict[str, Any]:
    return {"items": [], "dropped": [], "cap_hit": False, "has_items_list": False}


def _bits(label: str | None, alpha: str) -> int:
    """A slot label as bits (P, Q)."""
    bits = VOID if label is None else SLOTS[label]
    return bits if alpha == "P" else _MIRRORED[bits]


def is_main(item: dict[str, Any]) -> bool:
    """Whether an item is the author's own main advice."""
    return (item["actor"], item["role"]) == ("AGENT", "MAIN") and item["action"] in ADVICE


def _outside(items: list[dict[str, Any]], alpha: str) -> int:
    """OR of the items that are no main advice."""
    union = 0
    for item in items:
        if not is_main(item):
            union |= max(0, _bits(item["direction"], alpha))
    return union


def _advice(items: list[dict[str, Any]], alpha: str) -> Advice:
    """OR of the resolved main items; REJECT gives neither basis nor bits (DESIGN §7)."""
    main = [_bits(i["direction"], alpha) for i in items if is_main(i)]
    resolved = [bits for bits in main if bits >= 0]
    union = 0
    for bits in resolved:
        union |= bits
    return Advice(len(main), len(resolved), union, resolved.count(2) - resolved.count(1))


def compare_lists(part: Part, key: str, name: str, stored: Any, own: list[Any]) -> None:
    """Entry by entry; a missing or superfluous one is named too."""
    listed = stored if isinstance(stored, list) else []
    if listed == own:
        part.right(len(own))
        return
    for place in range(max(len(listed), len(own))):
        a = listed[place] if place < len(listed) else None
        b = own[place] if place < len(own) else None
        if a == b:
            part.right()
        else:
            part.wrong(key, f"{name}[{place}]", *map(_dumped, _unlike(a, b)))


def _unlike(a: Any, b: Any) -> tuple[Any, Any]:
    """Of two records, the fields that differ."""
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return a, b
    names = [n for n in {**a, **b} if a.get(n) != b.get(n)]
    context = ["request_no"] if "request_no" in b else []
    return tuple({n: r.get(n) for n in [*context, *names]} for r in (a, b))  # type: ignore[return-value]


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _difference(messages: Any, expected: list[dict[str, Any]]) -> tuple[str, str]:
    """Where two packets first differ."""
    for said, own in zip(messages, expected, strict=False):
        a, b = str(said.get("text")), str(own["text"])
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
        if a != b:
            at = min(len(a), len(b)) if at is None else at
            where = f"{own['role']} message, character {at}: "
            start = max(0, at - 12)
            return where + a[start : at + 60], b[start : at + 60]
    return f"{len(messages)} messages", f"{len(expected)} messages"


def keys_of(files: Files, evaluator: str, folder: str = "reads") -> Iterator[tuple[str, str, str]]:
    """Key, packet id and role of every file among the reads of an evaluator."""
    for key in files.store.list(f"{folder}/{evaluator}"):
        parts = key.split("/")
        if len(parts) == 4 and parts[3].endswith(".json"):
            yield key, parts[2], parts[3].removesuffix(".json")
        elif parts[2:] != ["protocol.lock"]:
            yield key, "", ""
