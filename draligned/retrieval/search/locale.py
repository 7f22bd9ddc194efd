"""Country and language of a search: the source's settings or the study's language, no more.

What a run is about cannot reach this file: it knows a `SourceConfig` and a language (DESIGN §6).
"""

import re
from typing import NamedTuple

from draligned.schema.config import SourceConfig
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError

_DEFAULT_COUNTRY: dict[Lang, str] = {"zh": "CN", "en": "US"}
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}))?")


class Locale(NamedTuple):
    """Where and in which language is searched."""

    country: str
    """Two capital letters (ISO 3166)."""
    language: str
    """Two or three small letters."""
    script: str | None = None
    """Four small letters, such as `hant`."""
    region: str | None = None
    """Of the language: two capital letters, where it was given with one."""


def locale_of(name: str, config: SourceConfig, lang: Lang) -> Locale:
    """The locale of source `name`. Raises `ConfigError` for a code that is none."""
    country = (config.country or _DEFAULT_COUNTRY[lang]).strip()
    if not re.fullmatch(r"[A-Za-z]{2}", country):
        raise ConfigError(
            f'study.toml: `retrieval.{name}.country` must be two letters, e.g. "CN" or "US"'
        )
    found = _LANGUAGE.fullmatch((config.language or lang).strip())
    if found is None:
        raise ConfigError(
            f'study.toml: `retrieval.{name}.language` must be a code, e.g. "zh", "zh-TW" or "en"'
        )
    language, script, region = found.groups()
    return Locale(
        country.upper(),
        language.lower(),
        script.lower() if script else None,
        region.upper() if region else None,
    )


def is_traditional(locale: Locale) -> bool:
    """Whether Chinese is meant in its traditional script."""
    return locale.script == "hant" or (not locale.script and locale.region in ("TW", "HK", "MO"))


def refuse_language(name: str, config: SourceConfig) -> None:
    """Raise `ConfigError` where a language is set that the provider cannot be told."""
    if config.language is not None:
        raise ConfigError(
            f"study.toml: `retrieval.{name}.language`: {config.kind} takes no language, only a "
            "country; leave it out"
        )
