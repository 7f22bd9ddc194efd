"""The part of a `Study` that holds its progress reports."""

from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.context import Context

if TYPE_CHECKING:
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

    def progress_report(self, *, lang: str | None = None) -> Path:
        """Write one page over every design begun; where it is. Raises `InputError`, `ConfigError`.

        Tables are made first. `lang` is zh or en, by default that of `[construction]`.
        """
        from draligned.api.stage_reporting import write_stage_report

        return write_stage_report(self.progress, lang=lang)
