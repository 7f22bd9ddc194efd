"""The part of a `Study` that has people label."""

from pathlib import Path
from typing import TYPE_CHECKING

from draligned.schema.errors import DesignError
from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings
    from draligned.api.labelling import Drawn
    from draligned.api.reviewing import Reviews
    from draligned.schema.design import Design, SetAside
    from draligned.schema.human import HumanLabels
    from draligned.view.guard import Guard


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

    def review_app(
        self,
        reviewer: str,
        *,
        kind: str = "cards",
        items: int | None = None,
        seed: int = 1,
        lang: str | None = None,
    ) -> "Guard":
        """The pages of one blind reviewer, to be served; see `draligned.view.review`.

        The first reviewer of items has them drawn (`items` of them, all by default). Raises
        `DesignError` where nothing is to be reviewed, `ConfigError` for a name that is none.
        """
        from draligned.api import reviewing
        from draligned.api.reporting import page_language
        from draligned.schema.review import ReviewKind
        from draligned.study.reviews import named
        from draligned.view.review import make_review

        name, asked = named(reviewer), ReviewKind(kind)
        if asked is ReviewKind.ITEMS:
            reviewing.draw_items(self.readings(), items, seed)
        return make_review(
            self.folder.root,
            reviewer=name,
            kind=asked,
            lang=page_language(lang, self.design()),
            rehearsal=self.plays_rehearsal(),
        )

    def reviews(self) -> "Reviews":
        """How reviewers agree, as far as they have come (DR-101, DR-102)."""
        from draligned.api import reviewing
        from draligned.constructors.review_units import card_units

        return reviewing.reviews(self.folder.store, card_units(self.design(), self.set_aside()))

    def plays_rehearsal(self) -> bool:
        """Whether any model that is analysed, or that read, is a rehearsal model."""
        from draligned.api.reporting import rehearsal

        return rehearsal(self.readings())

    if TYPE_CHECKING:

        def design(self) -> "Design":
            """Of the study."""
            ...

        def set_aside(self) -> "list[SetAside]":
            """Of the study."""
            ...

        def readings(self) -> "Readings":
            """Of the study."""
            ...

        def table(self, name: str) -> "pd.DataFrame":
            """Of the study."""
            ...
