"""The part of a `Study` that counts and moves what was recorded of the world."""

from pathlib import Path
from typing import TYPE_CHECKING

from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    from draligned.api.recorded import EnvironmentStats
    from draligned.retrieval.bundle import Taken


class Recordings:
    """Recorded answers and replies of a study folder."""

    folder: StudyFolder

    def retrieval_stats(self) -> "tuple[EnvironmentStats, ...]":
        """Requests, hits, misses, failures and what is recorded, by environment."""
        from draligned.api import recorded

        return recorded.retrieval_stats(self.folder.store)

    def export_retrieval(self, path: str | Path, *, replies: bool = False) -> tuple[int, int]:
        """Write recorded answers, and `replies` of models, to a file: its members and bytes."""
        from draligned.api import recorded

        return recorded.export_recordings(self.folder.store, Path(path), replies=replies)

    def import_retrieval(self, path: str | Path) -> "Taken":
        """Take what a file of `export_retrieval` holds and this study lacks.

        Raises `InputError`, and takes nothing, where any of it is not as it should be.
        """
        from draligned.api import recorded

        return recorded.import_recordings(self.folder.store, Path(path))
