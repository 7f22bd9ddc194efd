"""Reading study.toml, and the commented one that `construct` writes in an empty folder."""

import difflib
import re
import tomllib
from importlib import resources
from typing import Any, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ValidationError

from draligned.schema.config import StudyConfig
from draligned.schema.errors import ConfigError
from draligned.schema.secretnames import secret_places
from draligned.schema.strictjson import dumps, visible
from draligned.schema.tomltext import explained
from draligned.store.protocol import Store

KEY = "study.toml"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ENDPOINTS = ("/chat/completions", "/responses")


def read_config(store: Store) -> StudyConfig:
    """The study's settings; the defaults where there is no study.toml.

    Raises `ConfigError`, naming the key and what was probably meant.
    """
    data = store.get(KEY)
    return StudyConfig() if data is None else parse_config(data)


def parse_config(data: bytes) -> StudyConfig:
    """Parse the bytes of a study.toml."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"study.toml is not UTF-8 (byte {error.start}); save it so") from error
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"study.toml cannot be read: {explained(text, error)}") from error
    try:
        config = StudyConfig.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"study.toml: {_explain(error)}") from error
    _check_params(config)
    _check_key_names(config)
    _check_addresses(config)
    return config


def _check_key_names(config: StudyConfig) -> None:
    """A key pasted where its variable's name belongs is refused, and not repeated."""
    named = {f"providers.{n}": p.api_key_env for n, p in config.providers.items()}
    named |= {f"retrieval.{n}": s.api_key_env for n, s in config.retrieval.items()}
    for place, variable in named.items():
        if variable and not _VARIABLE.fullmatch(variable):
            raise ConfigError(
                f"study.toml: `{place}.api_key_env` is the name of an environment "
                "variable, e.g. MY_PROVIDER_KEY; the key itself must not stand in this file"
            )


def _check_addresses(config: StudyConfig) -> None:
    """A provider's address is a whole one, without the path that is added for each call."""
    for name, provider in config.providers.items():
        address, place = provider.base_url, f"study.toml: `providers.{name}.base_url`"
        if address is None:
            continue
        if not _is_address(address):
            raise ConfigError(f"{place} must begin with http:// or https:// and name a host")
        parts = urlsplit(address)
        if "@" in parts.netloc or parts.query:
            raise ConfigError(
                f"{place}: a name, password or key must not stand in it; use api_key_env"
            )
        for end in _ENDPOINTS:
            if address.rstrip("/").endswith(end):
                raise ConfigError(f"{place} must end before {end}, which is added for each call")


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _check_params(config: StudyConfig) -> None:
    """What is sent with requests must be JSON (no dates, no NaN) and hold no keys."""
    named = {f"models.{n}.params": m.params for n, m in config.models.items()}
    named |= {
        f"models.{n}.thinking.{way}": params
        for n, m in config.models.items()
        for way, params in m.thinking.items()
    }
    named |= {f"retrieval.{n}.params": s.params for n, s in config.retrieval.items()}
    for place, params in named.items():
        if (secret := next(secret_places(params), None)) is not None:
            raise ConfigError(
                f"study.toml: `{place}.{secret}` would be stored with the study; "
                "keys come from api_key_env alone"
            )
        for key, value in params.items():
            try:
                dumps(value)
            except (TypeError, ValueError) as error:
                raise ConfigError(
                    f"study.toml: `{place}.{key}` cannot be sent as JSON; "
                    "use numbers, texts, true, false, lists and tables"
                ) from error


def write_default(store: Store, name: str = "study") -> bool:
    """Write the commented default if there is none; true if it was written.

    `name` is what the report calls the study.
    """
    text = resources.files("draligned.study").joinpath("default.toml").read_text("utf-8")
    named = text.replace('name = "study"', f"name = {dumps(visible(name, 80))}", 1)
    return store.put_if_absent(KEY, named.encode())


_SAID = {
    "tuple_type": 'must be a list, e.g. ["a", "b"]',
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_type": "must be a text in quotes",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "missing": "is missing",
}
"""pydantic's errors in the words of TOML."""


def _given(value: Any) -> str:
    """The value found, where it is plain, and no more than the beginning of a long one."""
    return f", not {visible(repr(value), 60)}" if isinstance(value, str | int | float) else ""


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] != "extra_forbidden":
        return f"`{place}`: {_SAID.get(first['type'], first['msg'])}{_given(first['input'])}"
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
