"""Settings that are called like a key: keys come from the environment and reach no file."""

from collections.abc import Iterator
from typing import Any

_NAMES = {
    "access_token", "api_key", "apikey", "auth_token", "authorization", "bearer", "key",
    "password", "secret", "token", "x_api_key",
}  # fmt: skip


def secret_places(held: Any, place: str = "") -> Iterator[str]:
    """Where in `held`, at any depth, a text stands under such a name; keys joined by dots."""
    if isinstance(held, dict):
        for name, value in held.items():
            at = f"{place}.{name}" if place else str(name)
            if isinstance(value, str) and str(name).lower().replace("-", "_") in _NAMES:
                yield at
            yield from secret_places(value, at)
    elif isinstance(held, list | tuple):
        for value in held:
            yield from secret_places(value, place)
