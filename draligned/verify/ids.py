"""Identities and draws by hash, written out anew: canonical JSON, SHA-256, 16 hex digits."""

import hashlib
import json
from typing import Any

_ENCODE = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode
_ESCAPED = str.maketrans({0x2028: "\\u2028", 0x2029: "\\u2029", 0x85: "\\u0085"})


def sha256_bytes(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def canonical(value: Any) -> str:
    """JSON with sorted keys on one line."""
    return _ENCODE(value).translate(_ESCAPED)


def hash_of(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    return sha256_bytes(canonical(value).encode())


def id_of(*parts: Any) -> str:
    """The first 16 hex digits of the hash of a list of values."""
    return hash_of(list(parts))[:16]


def draw_of(*parts: Any) -> float:
    """A number in [0, 1): 52 bits of the hash."""
    return int(hash_of(list(parts))[:13], 16) / 2.0**52
