"""The JSON object inside a user message: how every role but the agent gets its material."""

import json
from typing import Any

from draligned.rehearsal.wire import Asked
from draligned.schema.errors import InputError

_DECODER = json.JSONDecoder()


def object_in(asked: Asked) -> dict[str, Any]:
    """The first JSON object of the last user message. Raises `InputError` without one."""
    texts = asked.texts("user")
    text = texts[-1] if texts else ""
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = text.find("{", start + 1)
    raise InputError("the user message holds no JSON object")


def strings(value: Any) -> tuple[str, ...]:
    """The strings of a JSON list; nothing of anything else."""
    return tuple(v for v in value if isinstance(v, str) and v) if isinstance(value, list) else ()


def as_json(value: dict[str, Any]) -> str:
    """A reply object as text."""
    return json.dumps(value, ensure_ascii=False)
