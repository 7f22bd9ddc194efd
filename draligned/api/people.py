"""The part of a `Study` that has people label."""

from pathlib import Path
from typing import TYPE_CHECKING

from draligned.schema.errors import DesignError
from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings
    from draligned.api.labelling import Drawn
    from draligned.schema.human import HumanLabels


class People:
    """Labels by people."""

    folder: StudyFolder

    def sample_labels(self, path: str | Path, *, n: int, seed: int = 1) -> "Drawn":
        """Draw `n` planned pairs at random and write the blinded sheet of their finals.

        Raises `DesignError` where fewer pairs have both finals, or pairs are crossed.
        """
        from draligned.api import labelling

        readings = self.readings()
        primary = readings.plan.primary_evaluator
        if readings.context.config.measure.pairing != "first":
            raise DesignError("labels of people go with pairing = 'first' in study.toml")
        pairs = self.table("pairs")
        pairs = pairs[pairs["evaluator"] == primary]
        return labelling.draw(self.folder, readings, pairs, n, seed, Path(path))

    def import_labels(self, path: str | Path, *, who: str) -> "HumanLabels":
        """Take one person's labels of a drawn sample from the filled sheet (DR-103)."""
        from draligned.api import labelling

        return labelling.take(self.folder, Path(path), who)

    if TYPE_CHECKING:

        def readings(self) -> "Readings":
            """Of the study."""
            ...

        def table(self, name: str) -> "pd.DataFrame":
            """Of the study."""
            ...
