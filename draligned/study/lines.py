"""Files of one record a line that grow at the end: a line that a kill cut short was never added."""

from collections.abc import Iterator

from draligned.store.protocol import Store
from draligned.study.stored import R, stored


def whole_lines(store: Store, key: str) -> list[bytes]:
    """The lines of `key` that were written whole, without their ends; no file has none."""
    return (store.get(key) or b"").split(b"\n")[:-1]


def iter_lines(store: Store, key: str, kind: type[R]) -> Iterator[R]:
    """The records of `key`. Raises `DamageError` for a whole line that is none."""
    for line in whole_lines(store, key):
        yield stored(kind, line, key)


def mend_lines(store: Store, key: str) -> str | None:
    """Cut off what a kill left of a last line; the key under which it is kept, if there was any.

    Only for the one who writes `key`: another's line may be under way.
    """
    data = store.get(key) or b""
    whole = data.rfind(b"\n") + 1
    return None if whole == len(data) else store.cut(key, whole)
