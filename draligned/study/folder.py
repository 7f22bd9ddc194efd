"""The study folder: one root, one store."""

from dataclasses import dataclass
from pathlib import Path

from draligned.schema.errors import ConfigError
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore
from draligned.store.protocol import Store


@dataclass(frozen=True, kw_only=True)
class StudyFolder:
    """Where a study lives. `store` and `blobs` are the only ways to its data."""

    root: Path
    store: Store
    blobs: Blobs

    @classmethod
    def at(cls, root: Path) -> "StudyFolder":
        """The folder at `root`, which need not exist yet."""
        if root.exists() and not root.is_dir():
            raise ConfigError(f"{root} is a file; give the folder of a study")
        store = LocalStore(root)
        return cls(root=root, store=store, blobs=Blobs(store))
