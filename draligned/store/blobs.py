"""Large texts and bytes, stored once by SHA-256 and compressed."""

import hashlib
import zlib

from draligned.schema.errors import DamageError
from draligned.store.protocol import Store

_LEVEL = 4
"""For prose a third of the time of the usual level, and 3% more bytes (measured)."""
_MOST = 256_000_000
"""Bytes of a blob unpacked: a folder from elsewhere may hold a small file that fills the memory."""


class Blobs:
    """Texts and bytes under `blobs/`; a text is its UTF-8 bytes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: set[str] = set()

    def put(self, text: str) -> str:
        """Store `text`; the SHA-256 of its UTF-8 bytes is the name."""
        return self.put_bytes(text.encode("utf-8"))

    def put_bytes(self, data: bytes) -> str:
        """Store `data`; its SHA-256 is the name."""
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 not in self._known:
            self._store.put_if_absent(blob_key(sha256), zlib.compress(data, _LEVEL))
            self._known.add(sha256)
        return sha256

    def get(self, sha256: str) -> str:
        """The text of that hash. Raises `DamageError` if it is absent or altered."""
        try:
            return self.get_bytes(sha256).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DamageError(f"blob {sha256} cannot be unpacked: {error}") from error

    def get_bytes(self, sha256: str) -> bytes:
        """The bytes of that hash. Raises `DamageError` if they are absent or altered."""
        packed = self._store.get(blob_key(sha256))
        if packed is None:
            raise DamageError(f"blob {sha256} is missing")
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(packed, _MOST)
        except zlib.error as error:
            raise DamageError(f"blob {sha256} cannot be unpacked: {error}") from error
        if not unpacking.eof:
            raise DamageError(f"blob {sha256} cannot be unpacked: cut short, or too large")
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DamageError(f"blob {sha256} holds another text")
        return data


def blob_key(sha256: str) -> str:
    """Where a blob stands."""
    return f"blobs/{sha256[:2]}/{sha256}.z"
