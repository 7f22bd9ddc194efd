"""JSON bodies of a 2xx, and how they are shown where they are not understood."""

import json
from typing import Any

from draligned.schema.errors import BadResponse
from draligned.schema.strictjson import visible

Payload = dict[str, Any]


def load_payload(raw: bytes) -> Payload:
    """The JSON object of a 2xx. Raises `BadResponse`, with what came made visible.

    NaN becomes null here: it can only stand in fields that nobody reads.
    """
    if not raw.strip():
        raise BadResponse("the provider answered with an empty body", status=200)
    payload = load_json(raw)
    if not isinstance(payload, dict):
        raise BadResponse(f"the answer is not a JSON object: {shown(raw)}", status=200)
    return payload


def load_json(raw: bytes) -> Any:
    """Any JSON value. Raises `BadResponse`."""
    try:
        return json.loads(raw, parse_constant=lambda _: None, object_pairs_hook=_one_of_each)
    except (ValueError, RecursionError):
        raise BadResponse(f"the answer is not JSON: {shown(raw)}", status=200) from None


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of a key that stands twice with two values, neither is taken."""
    out = dict(pairs)
    if len(out) != len(pairs) and any(out[key] != value for key, value in pairs):
        raise ValueError("a key stands twice")
    return out


def shown(raw: bytes) -> str:
    """The first 200 characters of a body on one safe line."""
    return visible(raw[:1200].decode("utf-8", "replace"), 200)


def unexpected(what: str, value: Any) -> BadResponse:
    """A `BadResponse` that says what is wrong and shows with what."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except RecursionError:
        text = "nested too deeply"
    return BadResponse(f"{what}: {visible(text, 200)}", status=200)


_TOLD = {
    "billing_hard_limit_reached": 402,
    "insufficient_balance": 402,
    "insufficient_quota": 402,
    "rate_limit_exceeded": 429,
}


def told_status(payload: Payload) -> int | None:
    """The HTTP status that an error inside a 2xx stands for, where it names one."""
    error = payload.get("error")
    if not isinstance(error, dict) or payload.get("choices"):
        return None
    for field in ("code", "status", "type"):
        value = error.get(field)
        if isinstance(value, str) and value.isascii():
            value = int(value) if value.isdigit() and len(value) == 3 else _TOLD.get(value)
        if type(value) is int and 400 <= value < 600:
            return value
    return None
