"""Records read back from files: whatever is not one is damage, named by its key."""

from typing import TypeVar

from draligned.schema.base import Record
from draligned.schema.errors import DamageError

R = TypeVar("R", bound=Record)


def stored(kind: type[R], data: bytes, key: str) -> R:
    """The record in `data`. Raises `DamageError`, naming `key`, for anything else."""
    try:
        return kind.from_json(data)
    except ValueError as error:
        raise DamageError(f"{key}: not a {kind.__name__} ({type(error).__name__})") from error
