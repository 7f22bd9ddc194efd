"""Reading results files of tau2-bench, without tau2-bench.

What is wrong with a file is said in one line by place and kind; nothing of its content is
repeated, since it may hold keys.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from draligned.schema.errors import InputError
from draligned.schema.tau2 import DutyRun, TauResults

RESULTS, SIDECAR = "results.json", "duty.json"


@dataclass(frozen=True, kw_only=True)
class ResultsFile:
    """One file, what is in it, and how it came about if `progress tau2 run` made it."""

    name: str
    sha256: str
    results: TauResults
    duty: DutyRun | None


def read_results(path: Path) -> ResultsFile:
    """Read a results file, or the one in a folder. Raises `InputError`."""
    file = path / RESULTS if path.is_dir() else path
    data = _bytes(file)
    raw = _parsed(file, data)
    whole = file.name == RESULTS  # what else lies in the folder belongs to it
    if whole and not raw.get("simulations"):
        raw["simulations"] = [_parsed(f, _bytes(f)) for f in _parts(file)]
    try:
        found = TauResults.model_validate(raw)
    except ValidationError as error:
        raise InputError(f"{file}: {_place(error)}") from error
    return ResultsFile(
        name=file.name,
        sha256=hashlib.sha256(data).hexdigest(),
        results=found,
        duty=_duty(file.parent) if whole else None,
    )


def _parts(file: Path) -> list[Path]:
    """One file a simulation, as voice runs are stored."""
    return sorted((file.parent / "simulations").glob("*.json"))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error


def _parsed(file: Path, data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data, parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        what = "is cut off" if cut else "is not JSON"
        raise InputError(f"{file} {what} (line {error.lineno}, column {error.colno})") from error
    except ValueError as error:
        raise InputError(f"{file} holds a number too long to be read") from error
    except RecursionError as error:
        raise InputError(f"{file} is nested too deeply to be a results file") from error
    if not isinstance(raw, dict):
        raise InputError(f"{file} is no results file of tau2-bench: it holds no object")
    return raw


def _place(error: ValidationError) -> str:
    """The first problem, by place and kind alone."""
    first, *more = error.errors(include_input=False, include_url=False, include_context=False)
    place = ".".join(str(part) for part in first["loc"])
    rest = f", and {len(more)} more" if more else ""
    return f"no results file of tau2-bench: {place}: {first['type'].replace('_', ' ')}{rest}"


def _duty(folder: Path) -> DutyRun | None:
    file = folder / SIDECAR
    if not file.is_file():
        return None
    try:
        return DutyRun.from_json(_bytes(file))
    except ValueError as error:
        raise InputError(f"{file} is not what `progress tau2 run` writes there") from error
