"""The part of a `Study` that qualifies evaluators."""

from typing import TYPE_CHECKING

from draligned.api.context import Context
from draligned.models.spend import SpendGuard
from draligned.schema.config import ModelsMode
from draligned.study.forecast import Forecast
from draligned.study.work import Progress

if TYPE_CHECKING:
    from draligned.api.candidates import Qualification, Qualified


def _silent(label: str, done: int, total: int) -> None:
    """Progress that nobody asked for."""


class Qualifying:
    """Evaluators before the gold set."""

    _context: Context

    def qualify(
        self,
        name: str,
        *,
        lang: str | None = None,
        limit: int | None = None,
        concurrency: int | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        models: ModelsMode = "live",
        progress: Progress = _silent,
    ) -> "Qualified":
        """Have the evaluator `name` read the gold set in `lang`, or in both languages (DR-107).

        Reads that are stored are not made again. Raises `ConfigError` for unknown names.
        """
        from draligned.api import candidates

        return candidates.qualify(
            self._context,
            name,
            lang,
            limit=limit,
            concurrency=concurrency,
            spend=SpendGuard(max_cost=max_cost, max_tokens=max_tokens),
            models=models,
            progress=progress,
        )

    def forecast_qualification(self, name: str, *, lang: str | None = None) -> Forecast:
        """What `qualify` would do, and its projected use; nothing is called."""
        from draligned.api import candidates

        return candidates.forecast_of(self._context, name, lang)

    def qualifications(self) -> "tuple[Qualification, ...]":
        """Verdicts that were reached in this study's folder."""
        from draligned.api import candidates

        return candidates.verdicts(self._context)
