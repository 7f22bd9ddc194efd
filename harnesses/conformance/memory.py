"""A store in memory, so that a check leaves nothing on disk."""

from collections.abc import Mapping


class MemoryStore:
    """See `store.protocol.Store`."""

    def __init__(self, content: Mapping[str, bytes] | None = None) -> None:
        self._content = dict(content or {})

    def copy(self) -> "MemoryStore":
        """A store of its own with the same content."""
        return MemoryStore(self._content)

    def get(self, key: str) -> bytes | None:
        """Content of `key`, or none."""
        return self._content.get(key)

    def exists(self, key: str) -> bool:
        """Whether `key` holds anything."""
        return key in self._content

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """First writer wins."""
        if key in self._content:
            return False
        self._content[key] = data
        return True

    def replace(self, key: str, data: bytes) -> None:
        """Write over what was there."""
        self._content[key] = data

    def append(self, key: str, data: bytes) -> None:
        """Add to the end of `key`."""
        self._content[key] = self._content.get(key, b"") + data

    def cut(self, key: str, size: int) -> str:
        """Keep the first `size` bytes; set the rest aside."""
        whole, aside = self._content[key], f"{key}.torn-1"
        self._content[key], self._content[aside] = whole[:size], whole[size:]
        return aside

    def discard(self, prefix: str) -> None:
        """Remove what stands under `prefix`."""
        for key in self.list(prefix):
            del self._content[key]

    def list(self, prefix: str) -> tuple[str, ...]:
        """Keys under the folder `prefix`."""
        return tuple(sorted(k for k in self._content if k.startswith(f"{prefix.rstrip('/')}/")))

    def folders(self, prefix: str) -> tuple[str, ...]:
        """Folders directly under `prefix`."""
        start = f"{prefix.rstrip('/')}/"
        below = (k[len(start) :] for k in self._content if k.startswith(start))
        return tuple(sorted({k.partition("/")[0] for k in below if "/" in k}))
