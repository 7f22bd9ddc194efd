"""Damage to designs, logs, packets, replies and reads is found and named with its file."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.verify.damage import Damages, Named, must_be_named
from tests.verify.studies import Copy

DAMAGES = Damages()
damage = DAMAGES.kind


def directional(record: dict[str, Any]) -> bool:
    """A read of requests one of which points to ALPHA."""
    return any(c["label"] == "ALPHA_ONLY" for c in record["cells"])


def with_items(record: dict[str, Any]) -> bool:
    """A read of a document with an item that points to the first slot."""
    return any(i["direction"] == "SLOT1" for i in record["items"])


def _cell(record: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(c for c in record["cells"] if c["label"] == "ALPHA_ONLY")
    return found


@damage
def label(copy: Copy) -> Named:
    key = copy.read_where(directional)
    copy.change(key, lambda r: _cell(r).update(label="BETA_ONLY"))
    return "labels from replies", key, '"label": "BETA_ONLY"', '"label": "ALPHA_ONLY"'


@damage
def quote(copy: Copy) -> Named:
    key = copy.read_where(directional)
    copy.change(key, lambda r: _cell(r).update(quote="another"))
    return "labels from replies", key, '"quote": "another"'


@damage
def item(copy: Copy) -> Named:
    key = copy.read_where(with_items)
    copy.change(key, lambda r: r["items"][-1].update(direction="UNKNOWN", role="MAIN"))
    return "items from replies", key, '"direction": "UNKNOWN"'


@damage
def item_lost(copy: Copy) -> Named:
    key = copy.read_where(with_items)
    last = len(copy.json(key)["items"]) - 1
    copy.change(key, lambda r: r["items"].pop())
    return "items from replies", key, f"items[{last}]", "stored null"


@damage
def cap_hit(copy: Copy) -> Named:
    key = copy.read_where(with_items)
    copy.change(key, lambda r: r.update(cap_hit=True))
    return "items from replies", key, "cap_hit", "stored True, recomputed False"


@damage
def orientation(copy: Copy) -> Named:
    key = copy.read_where(directional)
    other = {"P": "Q", "Q": "P"}[copy.json(key)["alpha"]]
    copy.change(key, lambda r: r.update(alpha=other))
    return "reads |", key, "alpha", f"stored {other}"


@damage
def both_orientations(copy: Copy) -> Named:
    """The two reads of a packet take each other's place, names and all."""
    first = copy.read_where(lambda r: directional(r) and r["role"] == "first")
    mirror = first.replace("first.json", "mirror.json")
    a, b = copy.json(first), copy.json(mirror)
    copy.write(first, b | {"role": "first"})
    copy.write(mirror, a | {"role": "mirror"})
    return "reads |", first, "alpha"


@damage
def read_of_another_packet(copy: Copy) -> Named:
    one = copy.read_where(lambda r: r["kind"] == "document")
    other = copy.read_where(
        lambda r: r["kind"] == "document" and r["packet_id"] != one.split("/")[2]
    )
    copy.place(one, (copy.root / other).read_bytes())
    return "reads |", one, "packet_id", other.split("/")[2]


@damage
def dropped_read(copy: Copy) -> Named:
    key = copy.read_where(directional)
    (copy.root / key).unlink()
    return "inventory: reads", key, "no file"


@damage
def duplicate_read(copy: Copy) -> Named:
    key = copy.read_where(directional)
    again = key.replace(".json", "-2.json")
    shutil.copy(copy.root / key, copy.root / again)
    return "inventory: reads", again, "no such read was planned"


@damage
def swapped_evaluators(copy: Copy) -> Named:
    """One packet's reads by two evaluators are exchanged."""
    key = copy.read_where(directional)
    folders = sorted(p.name for p in (copy.root / "reads").iterdir() if p.is_dir())
    mine = key.split("/")[1]
    other = key.replace(mine, next(f for f in folders if f != mine and len(f) == 16))
    a, b = copy.json(key), copy.json(other)
    copy.write(key, b)
    copy.write(other, a)
    return "reads |", key, "evaluator_id", f"recomputed {mine}"


@damage
def reply(copy: Copy) -> Named:
    """A raw reply says something else, its name left as it was."""
    key = copy.read_where(directional)
    sha256 = copy.json(key)["reply_sha256"]
    text = copy.text(sha256).replace("ALPHA_ONLY", "NEITHER")
    shutil.move(copy.blob(copy.put(text)), copy.blob(sha256))
    return "reads |", key, "absent or altered"


@damage
def forged_reply(copy: Copy) -> Named:
    """A raw reply is replaced by another one, stored and named as it should be."""
    key = copy.read_where(directional)
    text = copy.text(copy.json(key)["reply_sha256"]).replace("ALPHA_ONLY", "BOTH")
    sha256 = copy.put(text)
    copy.change(key, lambda r: r.update(reply_sha256=sha256))
    return "labels from replies", key, '"label": "ALPHA_ONLY"', '"label": "BOTH"'


@damage
def packet(copy: Copy) -> Named:
    """An evaluator was told the arm."""
    key = copy.read_where(directional)
    messages = json.loads(copy.text(copy.json(key)["packet_sha256"]))
    messages[-1]["text"] = messages[-1]["text"].replace('"question"', '"arm": "P",\n  "question"')
    sha256 = copy.put(json.dumps(messages, ensure_ascii=False, separators=(",", ":")))
    copy.change(key, lambda r: r.update(packet_sha256=sha256))
    return "packets |", key, '"arm": "P"'


@damage
def protocol(copy: Copy) -> Named:
    key = copy.read_where(directional)
    lock = f"reads/{key.split('/')[1]}/protocol.lock"
    copy.change(lock, lambda r: r["requests"].update(system="Say NEITHER."))
    return "reads |", key, "protocol_sha256"


@damage
def event(copy: Copy) -> Named:
    folder = copy.run()
    events = copy.events(folder)
    at = _first(events, "request_executed")
    events[at]["body"]["request"] = "something else"
    copy.write_events(folder, events)
    return "logs (chains)", f"{folder}/events.jsonl [line {at + 2}]"


@damage
def event_lost(copy: Copy) -> Named:
    folder = copy.run()
    events = copy.events(folder)
    at = _first(events, "request_executed")
    del events[at]
    copy.write_events(folder, events)
    return "logs (chains)", f"{folder}/events.jsonl [line {at + 1}]"


@damage
def forged_log(copy: Copy) -> Named:
    """A request is rewritten, and the whole chain and the seal with it."""
    folder = copy.run()
    events = copy.events(folder)
    at = _first(events, "request_executed")
    events[at]["body"]["request"] = "something else"
    copy.reseal(folder, events)
    return "events |", f"{folder}/events.jsonl", f"seq {at}", "something else"


@damage
def torn_log(copy: Copy) -> Named:
    key = f"{copy.run()}/events.jsonl"
    copy.place(key, (copy.root / key).read_bytes()[:-20])
    return "logs (chains)", key, "a torn line"


@damage
def seal(copy: Copy) -> Named:
    key = f"{copy.run()}/seal.json"
    copy.change(key, lambda r: r["end"].update(outcome="censored"))
    return "seals |", key, "censored"


@damage
def seal_lost(copy: Copy) -> Named:
    key = f"{copy.run()}/seal.json"
    (copy.root / key).unlink()
    return "seals |", key, "no file"


@damage
def swapped_arms(copy: Copy) -> Named:
    """A run's header says the condition of its twin."""
    key = f"{copy.run()}/header.json"
    own = copy.json(key)["condition_id"]
    headers = [copy.json(str(p.relative_to(copy.root)))
               for p in (copy.root / "runs").glob("*/a1/header.json")]  # fmt: skip
    other = next(h["condition_id"] for h in headers if h["condition_id"] != own)
    copy.change(key, lambda r: r.update(condition_id=other))
    return "headers |", key, "condition_id", f"stored {other}, recomputed {own}"


@damage
def dropped_run(copy: Copy) -> Named:
    folder = copy.run().removesuffix("/a1")
    shutil.rmtree(copy.root / folder)
    return "inventory: runs", folder, "no file"


@damage
def strange_run(copy: Copy) -> Named:
    folder = copy.run().removesuffix("/a1")
    shutil.copytree(copy.root / folder, copy.root / "runs/0123456789abcdef")
    return "inventory: runs", "runs/0123456789abcdef", "no such run was planned"


@damage
def text_lost(copy: Copy) -> Named:
    folder = copy.run()
    events = copy.events(folder)
    saved = events[_first(events, "draft_saved")]
    copy.blob(saved["body"]["text_sha256"]).unlink()
    return "events |", f"{folder}/events.jsonl", f"seq {saved['seq']}, draft_saved", "absent"


@damage
def sentinel(copy: Copy) -> Named:
    """A sentinel's label is changed."""
    found = sorted((copy.root / "sentinels").rglob("first.json"))
    keys = [str(path.relative_to(copy.root)) for path in found]
    key = next(k for k in keys if copy.json(k)["cells"] or copy.json(k)["items"])
    kind = "cells" if copy.json(key)["cells"] else "items"
    copy.change(key, lambda r: r.update({kind: r[kind][1:]}))
    return "sentinels |", key, f"{kind}[0]"


@damage
def correction(copy: Copy) -> Named:
    """A correction is slipped in without the line before it."""
    excluded = {"kind": "run", "id": copy.run().split("/")[1]}
    line = {"seq": 2, "parent": None, "entry": {"excludes": [excluded]}}
    copy.place("corrections.jsonl", json.dumps(line).encode() + b"\n")
    return "corrections |", "corrections.jsonl", "seq"


@damage
def design(copy: Copy) -> Named:
    copy.change("design/design.json", lambda r: r["cards"][0]["axis"].update(question="Which?"))
    return "design and lock", "design/design.json [sha256]"


@damage
def told(copy: Copy) -> Named:
    """A condition says more than its twin."""

    def more(record: dict[str, Any]) -> None:
        record["conditions"][0]["turns"][0] = "!" + record["conditions"][0]["turns"][0]

    copy.change("design/design.json", more)
    return "design and lock", "design/design.json", "turns of its twin"


@damage
def lock(copy: Copy) -> Named:
    copy.change("design/design.lock", lambda r: r.update(parent="0" * 64))
    copy.place("design/design.lock", (copy.root / "design/design.lock").read_bytes() + b"\n")
    return "design and lock", "design/design.lock", "parent"


@damage
def plan(copy: Copy) -> Named:
    copy.change("plan.json", lambda r: r["blocks"][0].update(replicates=2))
    return "table inventory", "planned"


@damage
def record_unreadable(copy: Copy) -> Named:
    key = copy.read_where(directional)
    copy.place(key, b'{"packet_id": NaN}')
    return "reads |", key, "not JSON"


def _first(events: list[dict[str, Any]], kind: str) -> int:
    return next(n for n, e in enumerate(events) if e["body"]["kind"] == kind)


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_damage_is_named(kind: str, whole: Path, tmp_path: Path) -> None:
    must_be_named(DAMAGES[kind], whole, tmp_path / "study")


def test_there_are_many_kinds() -> None:
    assert len(DAMAGES) >= 20
