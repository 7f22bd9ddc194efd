"""Reads that are no data, of sentinels and of the gold set: what their replies say, made anew.

Their packets stand in no design, so they are taken as archived. What sentinels say is set beside
the answers that are known to be right in their tables.
"""

from dataclasses import dataclass
from typing import Any

from draligned.verify.answers import answer_of
from draligned.verify.compare import Stored
from draligned.verify.files import Files, strict
from draligned.verify.found import going_on
from draligned.verify.ids import id_of
from draligned.verify.judged import judge_cells, judge_items
from draligned.verify.packets import too_large
from draligned.verify.reads import Protocols, compare_lists, keys_of

FOLDERS = ("sentinels", "qualification")
VERDICTS = "verdicts"
"""Stands beside evaluators' folders in `qualification`; what it holds are no reads."""


@dataclass(frozen=True, slots=True)
class Aside:
    """What one reply says: why nothing, or cells of requests, or items of a document."""

    void: str | None
    cells: tuple[dict[str, Any], ...] = ()
    items: tuple[dict[str, Any], ...] = ()


Asides = dict[tuple[str, str], Aside]
"""Reads of sentinels by evaluator's id and packet."""


def check_asides(files: Files, protocols: Protocols) -> Asides:
    """Every such read against its reply; those of sentinels are returned."""
    found: Asides = {}
    for folder in FOLDERS:
        for evaluator in sorted(set(files.store.folders(folder)) - {VERDICTS}):
            for key, packet, role in keys_of(files, evaluator, folder):
                with going_on():
                    aside = _guarded(files, key, (packet, evaluator, role), protocols)
                    if folder == "sentinels":
                        found[evaluator, packet] = aside
    return found


def name_lost(files: Files, ids: dict[str, str], table: Stored) -> None:
    """Name each sentinel's read that was there when its table was made; `ids`: of evaluators."""
    part = files.found.part("sentinels")
    names = ("evaluator", "wave", "sentinel_id", "read", "status")
    rows = set(zip(*(table.column(n) for n in names), strict=True))
    for name, wave, sentinel_id, read, status in sorted(rows, key=str):
        if status != "missing" and name in ids:
            packet = id_of("gold", sentinel_id, "sentinel", wave)
            key = f"sentinels/{ids[name]}/{packet}/{read}.json"
            if not files.store.exists(key):
                part.wrong(key, "", "no file", "it was there when the tables were made")


def _guarded(files: Files, key: str, names: tuple[str, str, str], protocols: Protocols) -> Aside:
    part = key.split("/")[0]
    try:
        return _check(files, part, key, names, protocols)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        files.refuse(part, key, f"not a read ({type(error).__name__}: {error})", "a read")


def _check(
    files: Files, name: str, key: str, names: tuple[str, str, str], protocols: Protocols
) -> Aside:
    record, part = files.record(key, name), files.found.part(name)
    own = dict(zip(("packet_id", "evaluator_id", "role"), names, strict=True))
    part.each(key, ((field, record.get(field), value) for field, value in own.items()))
    if name == "sentinels":
        wanted = protocols.hashes.get(names[1])
        part.same(key, "protocol_sha256", record["protocol_sha256"], wanted)
    said = strict(files.text(record["packet_sha256"], name, key, "packet_sha256"))
    body = strict(said[-1]["text"].partition("\n")[2])
    answer = _answer(files, name, key, record, body)
    void = answer if isinstance(answer, str) else None
    part.same(key, "void", record.get("void"), void)
    if body["kind"] == "requests":
        asked = [(r["no"], r["no"], r["request"]) for r in body["requests"]
                 if not r["context_only"]]  # fmt: skip
        cells, _ = judge_cells(answer, asked, {r["no"] for r in body["requests"]})
        compare_lists(part, key, "cells", record.get("cells"), cells)
        return Aside(void, cells=tuple(cells))
    if isinstance(answer, dict):
        judged = judge_items(answer, {p["no"] for p in body["paragraphs"]})
        compare_lists(part, key, "items", record.get("items"), judged["items"])
        return Aside(void, items=tuple(judged["items"]))
    return Aside(void)


def _answer(
    files: Files, name: str, key: str, record: dict[str, Any], body: dict[str, Any]
) -> dict[str, Any] | str:
    if record["void"] in ("length_cut", "request_refused"):
        return str(record["void"])
    if too_large("".join(p["text"] for p in body.get("paragraphs", ()))):
        return "oversize"
    return answer_of(files.text(record["reply_sha256"], name, key, "reply_sha256"))
