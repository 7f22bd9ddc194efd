"""Token counts as providers report them, under the names of both interfaces."""

from typing import Any

from draligned.models.content import as_int
from draligned.schema.chat import Usage


def parse_usage(raw: Any) -> Usage | None:
    """Usage as reported; none where a count is missing or senseless.

    No request is empty, so a count of nothing read is none: some servers write zeros
    where they have not counted, or where the prompt was cached.
    """
    if not isinstance(raw, dict):
        return None
    given = _first(raw, "prompt_tokens", "input_tokens")
    written = _first(raw, "completion_tokens", "output_tokens")
    if not given or written is None:
        return None
    return Usage(
        input_tokens=given,
        output_tokens=written,
        reasoning_tokens=_detail(
            raw, "reasoning_tokens", "completion_tokens_details", "output_tokens_details"
        ),
        cached_tokens=_cached(raw),
    )


def _first(raw: dict[str, Any], *fields: str) -> int | None:
    found = (as_int(raw.get(field)) for field in fields)
    return next((count for count in found if count is not None), None)


def _detail(raw: dict[str, Any], field: str, *groups: str) -> int | None:
    details = (raw.get(group) for group in groups)
    counts = (as_int(d.get(field)) for d in details if isinstance(d, dict))
    return next((count for count in counts if count is not None), None)


def _cached(raw: dict[str, Any]) -> int | None:
    found = _detail(raw, "cached_tokens", "prompt_tokens_details", "input_tokens_details")
    return found if found is not None else as_int(raw.get("prompt_cache_hit_tokens"))
