"""Large texts, stored once by SHA-256 and compressed."""

import zlib

from draligned.schema.base import sha256_text
from draligned.schema.errors import DamageError
from draligned.store.protocol import Store


class Blobs:
    """Texts under `blobs/`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: set[str] = set()

    def put(self, text: str) -> str:
        """Store `text`; its SHA-256 is the name."""
        sha256 = sha256_text(text)
        if sha256 not in self._known:
            self._store.put_if_absent(_key(sha256), zlib.compress(text.encode("utf-8"), 6))
            self._known.add(sha256)
        return sha256

    def get(self, sha256: str) -> str:
        """The text of that hash. Raises `DamageError` if it is absent or altered."""
        data = self._store.get(_key(sha256))
        if data is None:
            raise DamageError(f"blob {sha256} is missing")
        try:
            text = zlib.decompress(data).decode("utf-8")
        except (zlib.error, UnicodeDecodeError) as error:
            raise DamageError(f"blob {sha256} cannot be unpacked: {error}") from error
        if sha256_text(text) != sha256:
            raise DamageError(f"blob {sha256} holds another text")
        return text


def _key(sha256: str) -> str:
    return f"blobs/{sha256[:2]}/{sha256}.z"
