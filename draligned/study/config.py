"""Reading study.toml, and the commented one that `construct` writes in an empty folder."""

import difflib
import tomllib
from importlib import resources
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from draligned.schema.config import StudyConfig
from draligned.schema.errors import ConfigError
from draligned.store.protocol import Store

KEY = "study.toml"


def read_config(store: Store) -> StudyConfig:
    """The study's settings; the defaults where there is no study.toml.

    Raises `ConfigError`, naming the key and what was probably meant.
    """
    data = store.get(KEY)
    return StudyConfig() if data is None else parse_config(data)


def parse_config(data: bytes) -> StudyConfig:
    """Parse the bytes of a study.toml."""
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"study.toml cannot be read: {error}") from error
    try:
        return StudyConfig.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"study.toml: {_explain(error)}") from error


def write_default(store: Store) -> bool:
    """Write the commented default if there is none; true if it was written."""
    text = resources.files("draligned.study").joinpath("default.toml").read_bytes()
    return store.put_if_absent(KEY, text)


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return f"`{place}`: {first['msg']}"
    known = _keys_beside(first["loc"])
    close = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(known)}"
    return f"unknown key `{place}`; {hint}"


def _keys_beside(place: tuple[int | str, ...]) -> list[str]:
    model: Any = StudyConfig
    for part in place[:-1]:
        if isinstance(model, type) and issubclass(model, BaseModel):
            model = model.model_fields[str(part)].annotation
        else:
            model = get_args(model)[-1]
    if isinstance(model, type) and issubclass(model, BaseModel):
        return list(model.model_fields)
    return []
