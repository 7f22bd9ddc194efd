"""The part of a `Study` that has itself checked by the second, independent path."""

from typing import TYPE_CHECKING

from draligned.study.folder import StudyFolder
from draligned.study.work import Progress

if TYPE_CHECKING:
    from draligned.verify.check import Verification


def _silent(label: str, done: int, total: int) -> None:
    """Progress that nobody asked for."""


class Verified:
    """Checks of a study folder."""

    folder: StudyFolder

    def verify(self, *, progress: Progress = _silent) -> "Verification":
        """Recompute everything from logs and raw replies and compare it with what is stored.

        Damage stands in the result: how many items match, and each one that does not. A folder
        in which nothing was begun raises `DesignError`.
        """
        from draligned.study.freeze import load_design
        from draligned.verify.check import verify

        if not any(self.folder.store.list(room) for room in ("design", "runs", "reads")):
            load_design(self.folder.store)
        return verify(self.folder.store, progress)
