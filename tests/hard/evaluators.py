"""Hostile evaluators by name: what each makes of a sound reply, and what its reads must be."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from draligned.schema.labels import VoidReason

from .loopback import Answer, Asked, Said, call, says

Packet = dict[str, Any]
WIDE = {ord(c): ord(c) + 0xFEE0 for c in map(chr, range(0x21, 0x7F))}
DEEP = '{"cells":' * 10_000 + "[]" + "}" * 10_000


class Case(NamedTuple):
    """An evaluator: the reason for which all its reads are void, or what its cells say."""

    answer: Answer
    void: VoidReason | None = None
    cells: frozenset[VoidReason | None] = frozenset({None})
    """Reasons of its cells; None is a valid cell."""
    items: bool = True
    """Whether its documents have items."""
    calls: int = 1
    """HTTP requests a read."""


def packet_of(asked: Asked) -> Packet:
    """The packet of a request."""
    found: Packet = json.loads(asked.body["messages"][-1]["content"].partition("\n")[2])
    return found


def sound(packet: Packet) -> Packet:
    """A reply by the endpoints' words."""
    if packet["kind"] == "document":
        return {"items": [_item(packet, p) for p in packet["paragraphs"]]}
    return {"cells": [_cell(packet, r) for r in packet["requests"]]}


def _sides(packet: Packet, text: str) -> tuple[list[str], list[str]]:
    alpha, beta = ([w for w in packet[s]["words"] if w in text] for s in ("alpha", "beta"))
    return alpha, beta


def _cell(packet: Packet, request: Packet) -> Packet:
    alpha, beta = _sides(packet, request["request"])
    label = {(True, True): "BOTH", (True, False): "ALPHA_ONLY", (False, True): "BETA_ONLY"}.get(
        (bool(alpha), bool(beta)), "NEITHER"
    )
    return {"no": request["no"], "label": label, "quote": [*alpha, *beta, ""][0]}


def _item(packet: Packet, paragraph: Packet) -> Packet:
    alpha, beta = _sides(packet, paragraph["text"])
    direction = {(True, True): "BOTH", (True, False): "SLOT1", (False, True): "SLOT2"}.get(
        (bool(alpha), bool(beta)), "NEITHER"
    )
    return {
        "factor": "F", "entity_key": "俱乐部", "actor": "AGENT", "role": "MAIN",
        "action": "RECOMMEND", "strength": "FIRM", "direction": direction,
        "paragraph_ids": [paragraph["no"]],
    }  # fmt: skip


def text(change: Callable[[str], Any], **fields: Any) -> Answer:
    """The sound reply as text, changed."""

    def answer(asked: Asked) -> Said:
        reply = json.dumps(sound(packet_of(asked)), ensure_ascii=False)
        return says(change(reply), **fields)

    return answer


def each(change: Callable[[Packet], Any]) -> Answer:
    """The sound reply with every cell and every item changed."""

    def answer(asked: Asked) -> Said:
        ((key, entries),) = sound(packet_of(asked)).items()
        return says(json.dumps({key: [change(e) for e in entries]}))

    return answer


def whole(change: Callable[[list[Packet]], Any]) -> Answer:
    """The sound reply with its list changed."""

    def answer(asked: Asked) -> Said:
        ((key, entries),) = sound(packet_of(asked)).items()
        return says(json.dumps({key: change(entries)}))

    return answer


def said(reply: Said) -> Answer:
    return lambda _asked: reply


def first(bad: Said) -> Answer:
    """`bad` to the first try of each read, then sound."""
    tries: set[str] = set()
    good = text(str)

    def answer(asked: Asked) -> Said | None:
        key = json.dumps([asked.body["messages"], asked.body.get("seed")])
        if key not in tries:
            tries.add(key)
            return bad
        tries.remove(key)
        return good(asked)

    return answer


def quoted(change: Callable[[str], str]) -> Callable[[Packet], Packet]:
    return lambda e: {**e, "quote": change(e["quote"])} if e.get("quote") else e


def relabelled(words: dict[str, str]) -> Callable[[Packet], Packet]:
    return lambda e: {k: words.get(v, v) if isinstance(v, str) else v for k, v in e.items()}


def renumbered(change: Callable[[int], Any]) -> Callable[[Packet], Packet]:
    def changed(entry: Packet) -> Packet:
        if "no" in entry:
            return {**entry, "no": change(entry["no"])}
        return {**entry, "paragraph_ids": [change(i) for i in entry["paragraph_ids"]]}

    return changed


def void(reason: VoidReason, answer: Answer) -> Case:
    return Case(answer, reason, frozenset({reason}), items=False)


def cells(answer: Answer, *reasons: VoidReason | None, items: bool = False) -> Case:
    return Case(answer, None, frozenset(reasons), items)


V = VoidReason
CHINESE = {
    "ALPHA_ONLY": "仅甲", "BETA_ONLY": "仅乙", "BOTH": "两者", "NEITHER": "皆无",
    "SLOT1": "甲", "SLOT2": "乙",
}  # fmt: skip
READERS: dict[str, Case] = {
    "plain": Case(text(str)),
    "fenced": Case(text(lambda t: f"好的：\n```json\n{t}\n```\n参见 [docs] 与 [1]。")),
    "tilde": Case(text(lambda t: f"~~~json\n{t}\n~~~")),
    "thought": Case(text(lambda t: f'<think>{{"cells": [], "items": []}}</think>\n{t}')),
    "half_thought": Case(text(lambda t: f'draft {{"cells": []}}</think>{t}')),
    "prose": Case(text(lambda t: f"Here it is: {t}\nDone [1], see (2).")),
    "marked": Case(text(lambda t: f"\ufeff{t}")),
    "in_parts": Case(text(lambda t: [{"type": "text", "text": x} for x in (t[:9], t[9:])])),
    "apart": Case(
        text(lambda t: [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": t}])
    ),
    "same_twice": Case(text(lambda t: f"{t}\n{t}")),
    "extra_keys": cells(each(lambda e: {**e, "confidence": 0.5}), None),
    "mends": Case(first(Said(502, b"<html>")), calls=2),
    "mends_html": Case(first(Said(200, b"<html>challenge</html>")), calls=2),
    "two_answers": void(V.AMBIGUOUS, text(lambda t: f'{t}\n{{"cells": [], "items": []}}')),
    "two_fences": void(V.AMBIGUOUS, text(lambda t: f"```\n{t}\n```\n```\n{{}}\n```")),
    "a_list": void(V.UNDECODABLE, text(lambda t: f"[{t}]")),
    "open_fence": void(V.FENCE_OPEN, text(lambda t: f"```json\n{t}")),
    "open_thought": void(V.UNDECODABLE, text(lambda t: f"<think>{t}")),
    "empty": void(V.EMPTY_REPLY, said(says(""))),
    "null": void(V.EMPTY_REPLY, said(says(None))),
    "thinking": void(V.EMPTY_REPLY, text(lambda t: [{"type": "thinking", "thinking": t}])),
    "filtered": void(V.EMPTY_REPLY, said(says("", finish="content_filter"))),
    "a_call": void(V.EMPTY_REPLY, said(says(None, call("label", '{"cells": []}')))),
    "refusing": void(V.UNDECODABLE, said(says("I cannot label this."))),
    "cut": void(V.LENGTH_CUT, text(str, finish="length")),
    "torn": void(V.UNDECODABLE, text(lambda t: t[:-2])),
    "nan": void(V.UNDECODABLE, text(lambda t: t[:-1] + ', "confidence": NaN}')),
    "infinity": void(V.UNDECODABLE, text(lambda t: t[:-1] + ', "x": -Infinity}')),
    "twice": void(V.UNDECODABLE, text(lambda t: t[:-1] + ', "cells": [], "items": []' * 2 + "}")),
    "deep": void(V.UNDECODABLE, said(says(DEEP))),
    "python": void(V.UNDECODABLE, text(lambda t: str(json.loads(t)))),
    "comma": void(V.UNDECODABLE, text(lambda t: t[:-2] + ",]}")),
    "commented": void(V.UNDECODABLE, text(lambda t: "{ // note\n" + t[1:])),
    "long_number": void(V.UNDECODABLE, text(lambda t: t[:-1] + ', "n": ' + "9" * 5000 + "}")),
    "refused": void(V.REFUSED, said(Said(451, b'{"error": {"message": "filtered"}}'))),
    "lower": cells(
        each(lambda e: {k: v.lower() if isinstance(v, str) else v for k, v in e.items()}),
        V.INVALID_LABEL,
    ),
    "chinese": cells(each(relabelled(CHINESE)), V.INVALID_LABEL),
    "labels_null": cells(each(lambda e: {**e, "label": None, "role": None}), V.INVALID_LABEL),
    "labels_listed": cells(
        each(lambda e: {**e, "label": ["BOTH"], "role": ["MAIN"]}), V.INVALID_LABEL
    ),
    "numbers_as_text": cells(each(renumbered(str)), V.MISSING_CELL),
    "numbers_as_bools": cells(each(renumbered(lambda n: n == 1)), V.MISSING_CELL),
    "numbers_as_floats": cells(each(renumbered(float)), V.MISSING_CELL),
    "numbers_shifted": cells(each(renumbered(lambda n: n + 1000)), V.MISSING_CELL),
    "wide_quotes": cells(each(quoted(lambda q: q + "　")), None, V.QUOTE_NOT_FOUND, items=True),
    "spaced_quotes": cells(
        each(quoted(lambda q: " ".join(q))), None, V.QUOTE_NOT_FOUND, items=True
    ),
    "curly_quotes": cells(each(quoted(lambda q: f"“{q}”")), None, V.QUOTE_NOT_FOUND, items=True),
    "half_quotes": cells(
        each(quoted(lambda q: q + "\ud835")), None, V.QUOTE_NOT_FOUND, items=True
    ),
    "no_quotes": cells(each(quoted(lambda q: "")), None, V.NO_QUOTE, items=True),
    "quotes_null": cells(
        each(lambda e: {**e, "quote": None} if "quote" in e else e), None, V.NO_QUOTE, items=True
    ),
    "object_for_list": cells(whole(lambda es: dict(enumerate(es))), V.BAD_SHAPE),
    "null_for_list": cells(whole(lambda es: None), V.BAD_SHAPE),
    "list_of_lists": cells(whole(lambda es: [es]), V.MISSING_CELL),
    "ten_thousand": cells(whole(lambda es: es * (10_000 // len(es))), V.DUPLICATE_CELL, items=True),
    "one_only": cells(whole(lambda es: es[:1]), None, V.MISSING_CELL, items=True),
    "entity_half": cells(
        each(lambda e: {**e, "entity_key": "a\ud835\x00"} if "role" in e else e), None, items=True
    ),
}  # fmt: skip
