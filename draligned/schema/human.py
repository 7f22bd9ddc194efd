"""Labels by people: what was drawn for them, and what they said (DR-101 … DR-104)."""

from pydantic import model_validator

from draligned.schema.base import Record, short_id
from draligned.schema.labels import Side, SlotLabel


class SampledText(Record):
    """One final to be labelled: `item` is its number on the sheet, which says no more of it."""

    item: int
    pair_id: str
    arm: Side
    run_id: str
    factor_id: str
    text_sha256: str
    alpha: Side
    """Which endpoint stands first on the sheet, drawn by hash."""


class LabelSample(Record):
    """Pairs drawn at random, without replacement and with equal chances, for people to label.

    `population` is all that could have been drawn: planned pairs with both finals. An estimate
    corrected by these labels is about that population.
    """

    seed: int
    population: tuple[str, ...]
    drawn: tuple[str, ...]
    texts: tuple[SampledText, ...]
    sheet_sha256: str
    """The sheet as it was handed out, archived in blobs (DR-104)."""

    @property
    def sample_id(self) -> str:
        """Identity by content."""
        return short_id("labels", self.model_dump(mode="json"))

    @model_validator(mode="after")
    def _drawn_from_it(self) -> "LabelSample":
        if not set(self.drawn) <= set(self.population) or not self.drawn:
            raise ValueError("pairs were drawn that are not in the population")
        return self


class HumanLabel(Record):
    """What a person said of one item, in the sheet's own terms."""

    item: int
    label: SlotLabel | None
    """None: left blank. UNKNOWN: looked at, cannot be decided."""


class HumanLabels(Record):
    """One person's labels of a whole sample, each item once."""

    sample_id: str
    labeller: str
    labels: tuple[HumanLabel, ...]
    sheet_sha256: str
    """The sheet as it came back, archived in blobs."""
