"""The part of a `Study` that holds its progress reports."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.context import Context

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.progress import StageStudies
    from draligned.api.rollouts import Rollouts


class Progressing:
    """Progress reports of a study folder."""

    _context: Context

    @property
    def progress(self) -> "StageStudies":
        """Designs, lanes and tables of progress reports."""
        from draligned.api.progress import StageStudies

        return StageStudies(context=self._context)

    @property
    def rollouts(self) -> "Rollouts":
        """Validating rollouts: live trajectories under termination gates, and their tables."""
        from draligned.api.rollouts import Rollouts

        return Rollouts(context=self._context)

    def regate(self, gates: Sequence[str] = ()) -> "tuple[pd.DataFrame, pd.DataFrame]":
        """Where other gates would have ended recorded rollouts and research episodes: a row a
        record and gate, and counts (`progress.regate`). Raises `ConfigError`, `InputError`."""
        from draligned.api.regating import regate_study

        return regate_study(self._context.folder.store, gates)

    @property
    def regated_rehearsal(self) -> bool:
        """Whether the stored counts of `regate` hold rehearsals."""
        from draligned.api.regating import of_rehearsals

        return of_rehearsals(self._context.folder.store)

    def progress_report(self, *, lang: str | None = None) -> Path:
        """Write one page over every design begun; where it is. Raises `InputError`, `ConfigError`.

        Tables are made first. `lang` is zh or en, by default that of `[construction]`.
        """
        from draligned.api.stage_reporting import write_stage_report

        return write_stage_report(self.progress, self.rollouts, lang=lang)
