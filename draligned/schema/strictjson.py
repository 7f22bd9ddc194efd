"""Strict JSON and the one boundary where text from outside is cleaned.

No NaN or Infinity is ever written or accepted, a record stays on one line
whatever separators its texts hold, and no lone surrogate reaches a file.
"""

import json
from typing import Any, NamedTuple

_ENCODERS = {
    sort_keys: json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, separators=(",", ":")
    )
    for sort_keys in (False, True)
}
_LINE_BREAKS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}


def dumps(value: Any, *, sort_keys: bool = False) -> str:
    """Serialise on one line. Raises `ValueError` for NaN and Infinity."""
    return one_line(_ENCODERS[sort_keys].encode(value))


def one_line(text: str) -> str:
    """Escape the separators that some readers take for line ends."""
    for char, escaped in _LINE_BREAKS.items():
        if char in text:
            text = text.replace(char, escaped)
    return text


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("duplicate key in a JSON object")
    return out


def loads(text: str | bytes) -> Any:
    """Parse strictly: NaN, Infinity and duplicate keys raise `ValueError`."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_no_duplicates)
    except RecursionError as error:
        raise ValueError("JSON is nested too deeply") from error


class CleanText(NamedTuple):
    """Text that can be stored, and whether anything had to be changed."""

    text: str
    sanitised: bool


def clean_text(raw: str) -> CleanText:
    """Combine surrogate pairs, replace lone halves and NUL by U+FFFD."""
    text = raw
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        text = raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = text.replace("\x00", "\ufffd")
    return CleanText(text, text != raw)


def visible(text: str, limit: int = 200) -> str:
    """One safe line for terminals and errors: control and bidi characters escaped, cut."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
