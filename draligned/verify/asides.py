"""Reads that are no data, of sentinels and of the gold set: what their replies say, made anew.

Their packets stand in no design, so they are taken as archived; the answers that are known to be
right belong to the instrument and are not judged here.
"""

from typing import Any

from draligned.verify.answers import answer_of
from draligned.verify.compare import Stored
from draligned.verify.files import Files, strict
from draligned.verify.found import going_on
from draligned.verify.judged import judge_cells, judge_items
from draligned.verify.packets import too_large
from draligned.verify.reads import Protocols, compare_lists, keys_of

FOLDERS = ("sentinels", "qualification")


def check_asides(files: Files, protocols: Protocols) -> None:
    """Every such read against its reply."""
    for folder in FOLDERS:
        for evaluator in files.store.folders(folder):
            for key, packet, role in keys_of(files, evaluator, folder):
                with going_on():
                    _guarded(files, key, (packet, evaluator, role), protocols)


def count_sentinels(files: Files, table: Stored) -> None:
    """As many reads of sentinels are stored as the table says were read (its rows are units)."""
    names = ("evaluator", "wave", "sentinel_id", "read", "status")
    rows = set(zip(*(table.columns[n] for n in names), strict=True))
    told = sum(row[-1] != "missing" for row in rows)
    there = sum(key.endswith(".json") for key in files.store.list("sentinels"))
    files.found.part("sentinels").same("sentinels", "reads stored", there, told)


def _guarded(files: Files, key: str, names: tuple[str, str, str], protocols: Protocols) -> None:
    part = key.split("/")[0]
    try:
        _check(files, part, key, names, protocols)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        files.refuse(part, key, f"not a read ({type(error).__name__}: {error})", "a read")


def _check(
    files: Files, name: str, key: str, names: tuple[str, str, str], protocols: Protocols
) -> None:
    record, part = files.record(key, name), files.found.part(name)
    own = dict(zip(("packet_id", "evaluator_id", "role"), names, strict=True))
    part.each(key, ((field, record.get(field), value) for field, value in own.items()))
    if name == "sentinels":
        wanted = protocols.hashes.get(names[1])
        part.same(key, "protocol_sha256", record["protocol_sha256"], wanted)
    said = strict(files.text(record["packet_sha256"], name, key, "packet_sha256"))
    body = strict(said[-1]["text"].partition("\n")[2])
    answer = _answer(files, name, key, record, body)
    part.same(key, "void", record.get("void"), answer if isinstance(answer, str) else None)
    if body["kind"] == "requests":
        asked = [(r["no"], r["no"], r["request"]) for r in body["requests"]
                 if not r["context_only"]]  # fmt: skip
        cells, _ = judge_cells(answer, asked, {r["no"] for r in body["requests"]})
        compare_lists(part, key, "cells", record.get("cells"), cells)
    elif isinstance(answer, dict):
        judged = judge_items(answer, {p["no"] for p in body["paragraphs"]})
        compare_lists(part, key, "items", record.get("items"), judged["items"])


def _answer(
    files: Files, name: str, key: str, record: dict[str, Any], body: dict[str, Any]
) -> dict[str, Any] | str:
    if record["void"] in ("length_cut", "request_refused"):
        return str(record["void"])
    if too_large("".join(p["text"] for p in body.get("paragraphs", ()))):
        return "oversize"
    return answer_of(files.text(record["reply_sha256"], name, key, "reply_sha256"))
