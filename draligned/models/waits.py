"""`Retry-After` as seconds (HARD_CASES 5)."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def told_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the provider asks us to wait, from a number or an HTTP date.

    None where it does not say, or says something that is not a wait: zero, a
    negative number, a date gone by, no number at all. The caller then backs off.
    """
    raw = headers.get("retry-after")
    if raw is None:
        return None
    seconds = _as_seconds(raw.strip())
    if seconds is None:
        seconds = _as_date(raw.strip(), now)
    return seconds if seconds is not None and seconds > 0 else None


def _as_seconds(raw: str) -> float | None:
    if not raw.isascii():
        return None
    try:
        seconds = float(raw)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) else None


def _as_date(raw: str, now: datetime) -> float | None:
    try:
        when = parsedate_to_datetime(raw)
    except (ValueError, TypeError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (when - now).total_seconds()
