"""Reading results files of tau2-bench, without tau2-bench.

What is wrong with a file is said in one line by place and kind; nothing of its content is
repeated, since it may hold keys.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from draligned.schema.errors import InputError
from draligned.schema.tau2 import DutyRun, TauResults, TauRun, TauUnread

RESULTS, SIDECAR = "results.json", "duty.json"
UNKNOWN = "unknown"
NO_NUMBER = object()
"""Stands for a number that JSON has not, or that is too long to be read: no field takes it."""
MOST_DIGITS = 4_000
"""Python reads no longer whole numbers."""


@dataclass(frozen=True, kw_only=True)
class ResultsFile:
    """One file, what is in it, and how it came about if `progress tau2 run` made it."""

    name: str
    sha256: str
    results: TauResults
    duty: DutyRun | None


def read_results(path: Path) -> ResultsFile:
    """Read a results file, or the one in a folder.

    A simulation that cannot be read is one that is unknown (`TauUnread`), and the others are read.
    Raises `InputError` where the file is not JSON, or none of the benchmark's.
    """
    file = path / RESULTS if path.is_dir() else path
    data = _bytes(file, str(file))
    raw, parts = _parsed(data, str(file)), list[tuple[Any, bytes]]()
    whole = file.name == RESULTS  # what else lies in the folder belongs to it
    if whole and not raw.get("simulations"):
        parts = [_part(part) for part in _parts(file)]
        raw["simulations"] = [held for held, _ in parts]
    try:
        found = TauResults.model_validate({**raw, **_readable(raw)})
    except ValidationError as error:
        raise InputError(f"{file}: no results file of tau2-bench: {_place(error)}") from error
    return ResultsFile(
        name=file.name,
        sha256=_hash(data, [own for _, own in parts]),
        results=found,
        duty=_duty(file.parent) if whole else None,
    )


def _readable(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Tasks and simulations one by one, where there are lists of them; a task that is no object is
    one that the file does not hold."""
    found: dict[str, Any] = {}
    if isinstance(raw.get("tasks"), list):
        found["tasks"] = [task for task in raw["tasks"] if isinstance(task, dict)]
    if isinstance(raw.get("simulations"), list):
        found["simulations"] = [_run(held) for held in raw["simulations"]]
    return found


def _run(held: Any) -> TauRun:
    """A simulation, or what can be told of one that cannot be read."""
    try:
        return TauRun.model_validate(held)
    except ValidationError as error:
        why = _place(error)
    told = held if isinstance(held, dict) else {}
    names = {key: told[key] for key in ("id", "task_id") if type(told.get(key)) in (str, int)}
    rest = {key: told.get(key) for key in ("trial", "termination_reason", "reward_info")}
    return TauUnread.model_validate({"task_id": UNKNOWN, **names, **rest, "why": why})


def _parts(file: Path) -> list[Path]:
    """One file a simulation, as voice runs are stored."""
    return sorted((file.parent / "simulations").glob("*.json"))


def _part(file: Path) -> tuple[Any, bytes]:
    """What one of them holds, and its bytes; an unknown simulation where it cannot be read."""
    name, data = f"{file.parent.name}/{file.name}", b""
    try:
        data = _bytes(file, name)
        return _parsed(data, name), data
    except InputError as error:
        return TauUnread(id=file.stem, task_id=UNKNOWN, why=str(error)), data


def _hash(data: bytes, parts: Sequence[bytes]) -> str:
    """Of a file, and of the files that belong to it."""
    found = hashlib.sha256(data)
    for part in parts:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()


def _bytes(file: Path, name: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    try:
        raw = json.loads(data, parse_constant=lambda _: NO_NUMBER, parse_int=_whole)
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is no UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        what = "is cut off" if cut else "is not JSON"
        raise InputError(f"{name} {what} (line {error.lineno}, column {error.colno})") from error
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply to be a results file") from error
    if not isinstance(raw, dict):
        raise InputError(f"{name} is no results file of tau2-bench: it holds no object")
    return raw


def _whole(digits: str) -> Any:
    return int(digits) if len(digits) <= MOST_DIGITS else NO_NUMBER


def _place(error: ValidationError) -> str:
    """The first problem, by place and kind alone."""
    first, *more = error.errors(include_input=False, include_url=False, include_context=False)
    place = ".".join(str(part) for part in first["loc"])
    rest = f", and {len(more)} more" if more else ""
    return f"{place or 'it'}: {first['type'].replace('_', ' ')}{rest}"


def _duty(folder: Path) -> DutyRun | None:
    file = folder / SIDECAR
    if not file.is_file():
        return None
    try:
        return DutyRun.from_json(_bytes(file, str(file)))
    except ValueError as error:
        raise InputError(f"{file} is not what `progress tau2 run` writes there") from error
