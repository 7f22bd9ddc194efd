"""Ids of tool calls: the model's own where one can be used, else ours (HARD_CASES 1)."""

from collections.abc import Collection

MAX_ID_CHARS = 32_768
"""Longer ids are replaced: they go back with every later request. Some gateways pack a
provider's own state into ids of several thousand characters, and want them back."""


def is_usable(call_id: str) -> bool:
    """Whether an id can go back as it came: visible text of a sensible length."""
    return 0 < len(call_id) <= MAX_ID_CHARS and call_id.isprintable()


def fresh_id(sequence: int, index: int, seen: Collection[str]) -> str:
    """An id that is not in `seen`; nine letters and digits, since some providers take no other."""
    number = 0
    while (made := f"{'cdefgh'[number % 6]}{sequence:04d}{index + number:04d}") in seen:
        number += 1
    return made
