"""The key of a provider: read at use, shown nowhere."""

import json
import os
import re
from html import escape
from urllib.parse import quote

from draligned.retrieval.search.outcome import Outcome
from draligned.schema.config import SourceConfig
from draligned.schema.errors import ConfigError
from draligned.schema.retrieval import SearchHit

_REDACTED = "[key]"
_SHORTEST_BEGINNING = 6
_SHORTEST_SECRET = 16
"""A shorter key, such as a local server's placeholder, may be a word of a result."""


def read_key(name: str, config: SourceConfig) -> str:
    """The key of source `name`; empty where it needs none.

    Raises `ConfigError` that names the variable where it is not set, or holds no key.
    """
    if config.api_key_env is None:
        return ""
    key = os.environ.get(config.api_key_env, "").strip()
    where = f"the environment variable {config.api_key_env}"
    if not key:
        raise ConfigError(f"retrieval.{name} needs its key in {where}: set it and run again")
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{where} holds characters that no key has: set it again")
    return key


def redact(text: str, key: str) -> str:
    """`text` without the key, should a provider repeat it, nor its beginning at a cut."""
    if not key:
        return text
    forms = _forms(key)
    for form in forms:
        text = text.replace(form, _REDACTED)
    kept = text.removesuffix("…")
    for form in forms:
        for length in range(len(form) - 1, _SHORTEST_BEGINNING - 1, -1):
            if kept.endswith(form[:length]):
                return f"{kept[:-length]}{_REDACTED}"
    return text


def _forms(key: str) -> tuple[str, ...]:
    """The key as addresses, pages and JSON write it, longest first."""
    escaped = json.dumps(key)[1:-1]
    coded = [quote(key, safe=safe) for safe in ("", "/")]
    lower = [re.sub("%..", lambda found: found.group().lower(), form) for form in coded]
    paged = [escape(key, quote=quotes) for quotes in (True, False)]
    forms = {key, *coded, *lower, *paged, escaped, escaped.replace("/", "\\/")}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def redact_outcome(outcome: Outcome, key: str) -> Outcome:
    """`outcome` without the key, in results too."""
    hits = outcome.hits
    if len(key) >= _SHORTEST_SECRET:
        hits = tuple(
            SearchHit(
                title=redact(hit.title, key),
                url=redact(hit.url, key),
                snippet=redact(hit.snippet, key),
            )
            for hit in hits
        )
    return outcome._replace(hits=hits, detail=redact(outcome.detail, key))
