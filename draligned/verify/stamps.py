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


def check_stamps(files: Files, study: Study, names: list[str]) -> None:
    """Name and hashes of every table that describes itself."""
    own = _own(files, study)
    for name in names:
        said = _said(files.store.get(file_of(name)) or b"")
        if said is not None:
            part, key = files.found.part(PART), file_of(name)
            part.same(key, "table", said.get("table"), name)
            hashes = said.get("hashes", {})
            for what in sorted({*own, *hashes}):
                part.same(key, f"hash of {what}", hashes.get(what), own.get(what))


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
