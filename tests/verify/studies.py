"""Small studies made by the first path, and ways to look into and to damage their folders."""

import csv
import hashlib
import io
import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import draligned
from draligned.api import Study
from draligned.store.local import LocalStore
from draligned.verify.check import Verification, verify

SETTINGS = """\
[construction]
tasks = {tasks}
two_factor = {two_factor}
lang = "{lang}"

[run]
harnesses = {harnesses}
models = {models}
replicates = {replicates}

[controls]
masked_share = {masked}
aa_share = {controls}
neutral_share = {controls}
placebo_share = {controls}

[evaluate]
request_mode = "{mode}"
retest_share = 0.3

[measure]
draws = 100
unresolved_items = "{policy}"
pairing = "{pairing}"
"""
_PLAIN: dict[str, Any] = {
    "tasks": 3, "lang": "zh", "harnesses": ["coupled"], "replicates": 1, "mode": "whole_run",
    "policy": "block_none", "pairing": "first",
    "models": ["rehearsal-a", "rehearsal-b"], "two_factor": 0, "controls": 0.1, "masked": 0.1,
}  # fmt: skip


def begun(root: Path, **settings: Any) -> Study:
    """A study that is constructed, and no more."""
    root.mkdir(parents=True, exist_ok=True)
    text = SETTINGS.format(**(_PLAIN | settings)).replace("'", '"')
    (root / "study.toml").write_text(text, encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    return study


def made(root: Path, **settings: Any) -> Study:
    """A study that is run, read with mirrors and measured."""
    study = begun(root, **settings)
    study.run()
    study.evaluate()
    study.measure()
    return study


def labelled(study: Study, sheet: Path, n: int = 2, who: str = "Ann") -> None:
    """Finals of `n` pairs labelled by a person, who goes through the labels in turn."""
    study.sample_labels(sheet, n=n)
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        words = ("ALPHA_ONLY", "BOTH", "BETA_ONLY", "NEITHER")
        writer.writerows(r | {"label": words[n % 4]} for n, r in enumerate(rows))
    study.import_labels(sheet, who=who)


def checked(root: Path) -> Verification:
    """What the second path finds."""
    return verify(LocalStore(root))


def named(found: Verification) -> list[str]:
    """Every mismatch, with its part."""
    return [f"{m.part} | {m.line()}" for part in found.parts for m in part.mismatches]


class Copy:
    """A copy of a study, to be damaged."""

    def __init__(self, source: Path, root: Path) -> None:
        shutil.copytree(source, root, copy_function=os.link)
        self.root = root

    def place(self, key: str | Path, data: bytes) -> None:
        """Write a file anew: what is linked to the source stays as it is."""
        path = self.root / key
        path.unlink(missing_ok=True)
        path.write_bytes(data)

    def json(self, key: str) -> dict[str, Any]:
        """The record in a file."""
        found: dict[str, Any] = json.loads((self.root / key).read_text("utf-8"))
        return found

    def write(self, key: str, record: Any) -> None:
        """Write a record."""
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self.place(key, text.encode())

    def change(self, key: str, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the record in a file."""
        record = self.json(key)
        change(record)
        self.write(key, record)

    def read_where(self, holds: Callable[[dict[str, Any]], bool]) -> str:
        """Key of the first read whose record `holds`."""
        for path in sorted((self.root / "reads").rglob("*.json")):
            key = str(path.relative_to(self.root))
            if len(key.split("/")) == 4 and holds(self.json(key)):
                return key
        raise AssertionError("no such read")

    def text(self, sha256: str) -> str:
        """The text of a blob."""
        return zlib.decompress(self.blob(sha256).read_bytes()).decode()

    def blob(self, sha256: str) -> Path:
        """Where a blob stands."""
        return self.root / "blobs" / sha256[:2] / f"{sha256}.z"

    def put(self, text: str) -> str:
        """Store a text as a blob of its own hash."""
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        self.blob(sha256).parent.mkdir(exist_ok=True)
        self.place(self.blob(sha256), zlib.compress(text.encode()))
        return sha256

    def run(self) -> str:
        """Folder of the attempt of the first run that has a request and a draft."""
        for path in sorted((self.root / "runs").glob("*/a1")):
            text = (path / "events.jsonl").read_text("utf-8")
            if '"kind":"request_executed"' in text and '"kind":"draft_saved"' in text:
                return str(path.relative_to(self.root))
        raise AssertionError("no such run")

    def events(self, folder: str) -> list[dict[str, Any]]:
        """Events of an attempt."""
        lines = (self.root / folder / "events.jsonl").read_text("utf-8").split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def write_events(self, folder: str, events: list[dict[str, Any]]) -> None:
        """Write events as they are."""
        lines = [json.dumps(e, ensure_ascii=False, separators=(",", ":")) + "\n" for e in events]
        self.place(f"{folder}/events.jsonl", "".join(lines).encode())

    def reseal(self, folder: str, events: list[dict[str, Any]]) -> None:
        """Write events with a chain and a seal that fit them."""
        prev = "0" * 64
        for seq, event in enumerate(events):
            event |= {"seq": seq, "prev": prev}
            line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            prev = hashlib.sha256(line.encode()).hexdigest()
        self.write_events(folder, events)
        self.change(
            f"{folder}/seal.json", lambda s: s.update(n_events=len(events), last_sha256=prev)
        )

    def table(self, name: str) -> pa.Table:
        """A table."""
        return pq.read_table(io.BytesIO((self.root / f"tables/{name}.parquet").read_bytes()))

    def write_table(self, name: str, table: pa.Table) -> None:
        """Write a table."""
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        self.place(f"tables/{name}.parquet", buffer.getvalue())

    def cell(self, name: str, column: str, change: Callable[[Any], Any], row: int = 0) -> None:
        """Change one cell: that of the `row`-th row where it is not null."""
        table = self.table(name)
        at = table.column_names.index(column)
        values = table.column(column).to_pylist()
        place = [n for n, v in enumerate(values) if v is not None][row]
        values[place] = change(values[place])
        field = table.schema.field(column)
        self.write_table(name, table.set_column(at, field, pa.array(values, field.type)))
