"""The base of every persisted record, and canonical identifiers."""

import hashlib
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from draligned.schema.strictjson import dumps, loads, one_line


class Record(BaseModel):
    """A frozen record: unknown keys are refused, floats must be finite."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null"
    )

    def to_json(self) -> str:
        """One line of strict JSON, keys in field order."""
        return one_line(self.model_dump_json())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote. Raises `ValueError` on anything else."""
        return cls.model_validate(loads(text))

    def sha256(self) -> str:
        """Hash of the canonical form (sorted keys)."""
        return sha256_of(self.model_dump(mode="json"))


def sha256_text(text: str) -> str:
    """SHA-256 of the UTF-8 bytes of `text`, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sha256_of(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`."""
    return sha256_text(dumps(value, sort_keys=True))


def short_id(*parts: Any) -> str:
    """16 hex digits that identify `parts` (DESIGN §4); parts are JSON values."""
    return sha256_of(list(parts))[:16]


def unit_draw(*parts: Any) -> float:
    """A number in [0, 1) drawn by hash from `parts`: the same parts, the same draw."""
    return int(sha256_of(list(parts))[:13], 16) / float(1 << 52)
