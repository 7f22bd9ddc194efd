"""What the project asks of storage. Keys are relative, `/`-separated ASCII names."""

from typing import Protocol


class Store(Protocol):
    """A small object store with append and first-writer-wins."""

    def get(self, key: str) -> bytes | None:
        """Content of `key`, or none."""
        ...

    def exists(self, key: str) -> bool:
        """Whether `key` holds anything."""
        ...

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Write whole or not at all; false, and nothing written, if `key` exists."""
        ...

    def replace(self, key: str, data: bytes) -> None:
        """Write whole over what was there: derived files and drafts only."""
        ...

    def append(self, key: str, data: bytes) -> None:
        """Add to the end of `key` in one write, whole or not at all short of a kill.

        One writer a key: what an error leaves behind is taken back.
        """
        ...

    def cut(self, key: str, size: int) -> str:
        """Keep the first `size` bytes; set the rest aside and return its key."""
        ...

    def discard(self, prefix: str) -> None:
        """Remove what stands under the folder `prefix`: claims of finished work only."""
        ...

    def list(self, prefix: str) -> tuple[str, ...]:
        """Keys under the folder `prefix`, sorted."""
        ...

    def folders(self, prefix: str) -> tuple[str, ...]:
        """Names of the folders directly under `prefix`, sorted."""
        ...
