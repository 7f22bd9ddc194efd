"""A store that only reads: whatever a page asks for, nothing in the study changes."""

from pathlib import Path
from typing import NoReturn

from draligned.schema.errors import DralignedError
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore
from draligned.study.folder import StudyFolder


class ReadOnly(LocalStore):
    """Files under one root, to be looked at."""

    def _refuse(self, key: str, *_: object) -> NoReturn:
        raise DralignedError(
            f"{key} waits to be finished by a command of this study, such as `draligned status`; "
            "the viewer changes nothing"
        )

    put_if_absent = replace = append = cut = discard = _refuse  # type: ignore[assignment]


def looked_at(root: Path) -> StudyFolder:
    """The study at `root`, read only. Raises `ConfigError` for a file."""
    folder = StudyFolder.at(root)
    store = ReadOnly(folder.root)
    return StudyFolder(root=folder.root, store=store, blobs=Blobs(store))
