"""The part of a `Study` that holds its progress reports."""

from typing import TYPE_CHECKING

from draligned.api.context import Context

if TYPE_CHECKING:
    from draligned.api.progress import StageStudies


class Progressing:
    """Progress reports of a study folder."""

    _context: Context

    @property
    def progress(self) -> "StageStudies":
        """Designs, lanes and tables of progress reports."""
        from draligned.api.progress import StageStudies

        return StageStudies(context=self._context)
