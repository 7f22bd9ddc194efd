"""The part of a `Study` that is looked at in the browser."""

from typing import TYPE_CHECKING

from draligned.schema.design import Design
from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    from draligned.view.serve import Viewer


class Viewing:
    """Pages of a study folder."""

    folder: StudyFolder

    def design(self) -> Design:
        """Tasks, cards and conditions."""
        raise NotImplementedError

    def view(self, *, port: int = 0, lang: str | None = None) -> "Viewer":
        """Serve the pages of `draligned view` from this process; open the `address` of what comes
        back, and `stop()` it in the end.

        `port` 0 takes a free one; `lang` is the design's by default. Raises `ConfigError` for a
        port that cannot be had and a language other than zh and en, `DesignError` without a design.
        """
        from draligned.api.reporting import page_language
        from draligned.view.app import make_app
        from draligned.view.serve import Viewer, listen

        app = make_app(self.folder.root, lang=page_language(lang, self.design()))
        return Viewer(app, listen(port))
