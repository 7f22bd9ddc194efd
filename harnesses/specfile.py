"""A user's `HarnessSpec` as a TOML file: read strictly, one clear line for every fault."""

import difflib
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from draligned.harnesses.conformance.spec_rules import require_sound
from draligned.harnesses.duty import split_duty, with_duty
from draligned.harnesses.fixed import with_texts
from draligned.harnesses.registry import HARNESSES, get_harness
from draligned.schema.errors import ConfigError
from draligned.schema.harness import EpisodeBudget, HarnessSpec
from draligned.schema.strictjson import dumps, visible

MAX_BYTES = 100_000
"""A larger file is no harness."""
_OURS = ("texts", "instrumentation")
"""Fields that the program fills in; a file may not set them."""


class SpecFile(NamedTuple):
    """What a file says: a spec, or one line for every fault."""

    spec: HarnessSpec | None
    faults: tuple[str, ...]


def load_spec(name_or_path: str, folder: Path = Path()) -> HarnessSpec:
    """A harness by its name, or from the TOML file of that path; sound by every rule.

    Whatever ends in `.toml` or holds a path separator is a file, looked for from `folder`;
    `+duty` behind either asks for the harness with the progress duty. Raises `ConfigError`.
    """
    plain, duty = split_duty(name_or_path)
    spec = _plain_spec(plain, folder)
    return with_duty(spec) if duty else spec


def _plain_spec(name_or_path: str, folder: Path) -> HarnessSpec:
    if not is_file_name(name_or_path):
        return get_harness(name_or_path)
    spec, faults = read_spec_file(folder / name_or_path)
    if spec is None:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(f"{visible(name_or_path)}: {faults[0]}{more}")
    return require_sound(spec)


def is_file_name(name_or_path: str) -> bool:
    """Whether a file is meant, not a built-in harness."""
    return name_or_path.endswith(".toml") or "/" in name_or_path or "\\" in name_or_path


def read_spec_file(path: Path) -> SpecFile:
    """Read one file. Raises `ConfigError` where there is none to be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        said = visible(str(path), 200)
        raise ConfigError(f"the harness file {said} cannot be read: {reason}") from error
    return parse_spec(data)


def parse_spec(data: bytes) -> SpecFile:
    """The spec that the bytes of a TOML file say, or every fault of theirs."""
    if len(data) > MAX_BYTES:
        return SpecFile(None, ("the file is too long for a harness",))
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return SpecFile(None, (f"the file is not UTF-8 (byte {error.start}); save it so",))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return SpecFile(None, (f"this is no TOML: {visible(str(error))}",))
    return _checked(raw)


def template() -> str:
    """A commented spec file to begin from."""
    return resources.files("draligned.harnesses").joinpath("template.toml").read_text("utf-8")


def _checked(raw: Mapping[str, Any]) -> SpecFile:
    ours = tuple(f"`{key}` is set by the program; leave it out" for key in _OURS if key in raw)
    try:
        spec = HarnessSpec.model_validate_json(dumps(dict(raw)), strict=True)
    except ValidationError as error:
        lines = tuple(_explain(e) for e in error.errors(include_url=False))
        return SpecFile(None, (*ours, *lines))
    except (TypeError, ValueError):
        return SpecFile(None, (*ours, "use texts, whole numbers, true, false, lists and tables"))
    spec = with_texts(spec)
    taken = HARNESSES.get(spec.name)
    if taken is not None and taken.key != spec.key:
        ours = (*ours, f"the name {spec.name!r} is that of a built-in harness; take another")
    return SpecFile(None, ours) if ours else SpecFile(taken or spec, ())


_SAID = {
    "tuple_type": 'must be a list, e.g. ["search", "read"]',
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "string_type": "must be a text in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "missing": "is missing",
}
"""pydantic's errors in the words of TOML."""


def _explain(error: ErrorDetails) -> str:
    place = ".".join(visible(str(part), 60) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return _unknown(place, error["loc"])
    if error["type"] == "literal_error":
        said = f"must be {error['ctx']['expected']}"
    else:
        said = _SAID.get(error["type"], error["msg"])
    given = error["input"]
    plain = isinstance(given, str | int | float)
    return f"`{place}` {said}{f', not {visible(repr(given), 60)}' if plain else ''}"


def _unknown(place: str, loc: tuple[int | str, ...]) -> str:
    fields = EpisodeBudget.model_fields if loc[0] == "budget" else HarnessSpec.model_fields
    known = [name for name in fields if name not in _OURS]
    close = difflib.get_close_matches(str(loc[-1]), known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(known)}"
    return f"unknown key `{place}`; {hint}"
