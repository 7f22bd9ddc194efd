"""Labels by people: what was drawn for them, and what they said (DR-101 … DR-104)."""

from collections.abc import Iterable

from pydantic import model_validator

from draligned.schema.base import Record, short_id
from draligned.schema.labels import ItemDirection, Presence, Side, SlotLabel


def drawn_first(units: Iterable[str], n: int, *parts: object) -> list[str]:
    """`n` of `units`, every set of so many as likely as any other, by hash of `parts`."""
    return sorted(units, key=lambda unit: short_id(*parts, unit))[:n]


def presence_of(said: SlotLabel | ItemDirection, first: Side) -> Presence:
    """What was said of two anonymous endpoints, of which `first` stood first, about P and Q."""
    ends = {"ALPHA_ONLY": first, "SLOT1": first, "BETA_ONLY": first.other, "SLOT2": first.other}
    end = ends.get(said.value)
    return Presence(said.value) if end is None else Presence(f"{end.value}_ONLY")


def opposite(one: Presence, other: Presence) -> bool:
    """Whether one says P alone and the other Q alone."""
    return {one, other} == {Presence.P_ONLY, Presence.Q_ONLY}


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
