"""Reading a study's files through the storage seam, strictly; blobs are unpacked here anew."""

import json
import zlib
from collections.abc import Iterable
from typing import Any, NoReturn

from draligned.store.protocol import Store
from draligned.verify.found import Found, Unreadable
from draligned.verify.ids import sha256_bytes


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice")
        found[name] = value
    return found


def strict(text: str | bytes) -> Any:
    """Parse JSON; NaN, Infinity, double keys and endless nesting raise `ValueError`."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def quick(line: bytes) -> Any:
    """Parse a line whose bytes a chain of hashes vouches for."""
    return json.loads(line, parse_constant=_no_constant)


class Files:
    """A study's files. What cannot be read is named in the part given, then `Unreadable`."""

    def __init__(self, store: Store, found: Found) -> None:
        self.store = store
        self.found = found
        self._known: dict[str, bool] = {}

    def record(self, key: str, part: str) -> dict[str, Any]:
        """The JSON object in a file."""
        data = self.store.get(key)
        if data is None:
            self.refuse(part, key, "no file", "a file")
        return self.parsed(data, key, part)

    def parsed(self, data: bytes, key: str, part: str, where: str = "") -> dict[str, Any]:
        """The JSON object in some bytes."""
        try:
            value = strict(data)
        except ValueError as error:
            self.refuse(part, key, f"not JSON ({error})", "a JSON object", where)
        if not isinstance(value, dict):
            self.refuse(part, key, f"a {type(value).__name__}", "a JSON object", where)
        return value

    def lines(self, key: str) -> list[bytes]:
        """Whole lines of a file; a torn last one is left aside."""
        return (self.store.get(key) or b"").split(b"\n")[:-1]

    def refuse(self, part: str, key: str, stored: str, own: str, where: str = "") -> NoReturn:
        """Name a file that cannot be gone on with. Raises `Unreadable`."""
        self.found.part(part).wrong(key, where, stored, own)
        raise Unreadable(key)

    def blob(self, sha256: str) -> bytes | None:
        """The bytes of a blob; none where they are absent or altered."""
        packed = self.store.get(blob_key(sha256))
        data = None if packed is None else _unpacked(packed)
        good = data is not None and sha256_bytes(data) == sha256
        self._known[sha256] = good
        return data if good else None

    def text(self, sha256: str, part: str, key: str, where: str) -> str:
        """The text of a blob that `key` names at `where`."""
        data = self.blob(sha256)
        if data is None:
            self.refuse(part, key, f"blob {sha256[:16]}… absent or altered", "its bytes", where)
        return data.decode("utf-8", "replace")

    def holds(self, sha256: str) -> bool:
        """Whether a blob is there and is what its name says; each is unpacked once."""
        if sha256 not in self._known:
            self.blob(sha256)
        return self._known[sha256]

    def check_blobs(self, keys: Iterable[str]) -> None:
        """Every stored blob against its name."""
        part = self.found.part("blobs")
        for key in keys:
            name = key.rsplit("/", 1)[-1].removesuffix(".z")
            if self.holds(name) and key == blob_key(name):
                part.right()
            else:
                part.wrong(key, "", "other bytes, or none that can be unpacked", f"sha256 {name}")


def blob_key(sha256: str) -> str:
    """Where the bytes of a hash stand."""
    return f"blobs/{sha256[:2]}/{sha256}.z"


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None
