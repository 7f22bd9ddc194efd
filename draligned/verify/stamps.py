"""What each table's file says stands behind it, against what is on disk today."""

import io
from typing import Any

import pyarrow.parquet as pq

from draligned.verify.compare import file_of
from draligned.verify.corrections import KEY as CORRECTIONS
from draligned.verify.files import Files, strict
from draligned.verify.ids import hash_of, sha256_bytes
from draligned.verify.study import Study

PART = "stamps of tables"
_DESCRIPTION = b"draligned"


_WHOLE = {
    "design": "tables are of another design: run `draligned evaluate`, then `draligned measure`",
    "measure": "tables are by other settings of [measure] in study.toml: run `draligned measure`",
    "corrections": "tables are by other corrections: run `draligned measure`",
    "labels by people": "tables are by other labels of people: run `draligned measure`",
}
"""What makes all tables others: not one cell of them has to be looked at to say so."""


def check_stamps(files: Files, study: Study, names: list[str]) -> tuple[str, ...]:
    """Name and hashes of every table that describes itself. Where all of them are of another
    design or other settings, one mismatch says so, what it is is returned, and none is compared."""
    own, part = _own(files, study), files.found.part(PART)
    said = {
        name: found for name in names if (found := _said(files.store.get(file_of(name)) or b""))
    }
    stale = [what for what in _WHOLE if _all_of_another(said, what, own.get(what))]
    for what in stale:
        then = next(iter(said.values())).get("hashes", {}).get(what)
        part.wrong("tables", f"hash of {what}", then, own.get(what))
    for name, found in said.items():
        key, hashes = file_of(name), found.get("hashes", {})
        part.same(key, "table", found.get("table"), name)
        for what in sorted({*own, *hashes} - set(stale)):
            part.same(key, f"hash of {what}", hashes.get(what), own.get(what))
    return tuple(_WHOLE[what] for what in stale)


def _all_of_another(said: dict[str, dict[str, Any]], what: str, own: str | None) -> bool:
    """Whether all tables name one hash, or none, and it is not that of today."""
    then = {found.get("hashes", {}).get(what) for found in said.values()}
    return len(then) == 1 and then != {own}


def _own(files: Files, study: Study) -> dict[str, str]:
    measure = study.settings.measure.model_dump(mode="json")
    found = {"design": study.design.sha256, "measure": hash_of(measure)}
    for evaluator in study.plan.evaluators:
        locked = files.store.get(f"reads/{evaluator.evaluator_id}/protocol.lock")
        if locked is not None:
            found[f"protocol of {evaluator.name}"] = sha256_bytes(locked)
    if corrections := files.store.get(CORRECTIONS):
        found["corrections"] = sha256_bytes(corrections)
    if study.samples:
        found["labels by people"] = hash_of(sorted(s.sha256 for s in study.samples))
    return found


def _said(data: bytes) -> dict[str, Any] | None:
    """The description in a parquet file; none where there is none, or no such file."""
    try:
        metadata = pq.read_metadata(io.BytesIO(data)).metadata or {}
        said = strict(metadata[_DESCRIPTION]) if _DESCRIPTION in metadata else None
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None
