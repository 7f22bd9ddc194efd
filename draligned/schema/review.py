"""Blind reviews by people: what is asked, what was served, what was answered (DR-101 … DR-104)."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from draligned.schema.base import Record
from draligned.schema.labels import ItemDirection, Presence, Problem, Side

NOTE_CHARS = 2_000
"""Characters of a note."""
NAME_CHARS = 200
"""Characters of a reviewer's name."""


class ReviewKind(StrEnum):
    """What is reviewed."""

    CARDS = "cards"
    """Construction cards against the five fatal problems."""
    ITEMS = "items"
    """Directions of main-advice items."""
    DECISIONS = "decisions"
    """Directions of those items on which reviewers do not agree, by one more person."""


class Found(StrEnum):
    """Whether a problem is there."""

    YES = "yes"
    NO = "no"
    CANNOT_TELL = "cannot_tell"


class ProblemAnswer(Record):
    """What a reviewer says of one problem of a card."""

    problem: Problem
    found: Found
    note: str = Field(default="", max_length=NOTE_CHARS)


class DirectionItem(Record):
    """One main-advice item of a final, as the primary evaluator's first read names it.

    `pre_check` and `accepted` are the evaluator's and stand on no page.
    """

    item_id: str
    factor_id: str
    text_sha256: str
    entity_key: str
    paragraph_ids: tuple[int, ...]
    pre_check: Presence
    """Direction by the first read alone, before it is checked against the mirrored one."""
    accepted: bool
    """Whether the document's label stood the check (DR-70)."""


class ItemSample(Record):
    """Items drawn for review, once for all reviewers, before any of them began."""

    seed: int
    evaluator: str
    population: tuple[str, ...]
    """Ids of all items that could have been drawn."""
    items: tuple[DirectionItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _drawn_from_it(self) -> Self:
        if not {i.item_id for i in self.items} <= set(self.population):
            raise ValueError("items were drawn that are not in the population")
        return self


class ReviewKey(Record):
    """By what one reviewer's order of units and of endpoints is drawn; it stands on no page."""

    kind: ReviewKind
    reviewer: str
    secret: str


class ReviewAnswer(Record):
    """One answer to one unit. A change of mind is one more, with the next number."""

    kind: ReviewKind
    reviewer: str
    unit_id: str
    number: int = Field(ge=1)
    page_sha256: str
    """The page as it was served, byte for byte, archived in blobs (DR-104)."""
    first: Side
    """Which endpoint stood first on it."""
    problems: tuple[ProblemAnswer, ...] = ()
    """Of a card: all five, in the order of `Problem`."""
    direction: ItemDirection | None = None
    """Of an item; UNKNOWN: looked at, cannot be decided."""
    note: str = Field(default="", max_length=NOTE_CHARS)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        card = self.kind is ReviewKind.CARDS
        asked = list(Problem) if card else []
        if [p.problem for p in self.problems] != asked or (self.direction is None) is not card:
            raise ValueError("an answer is to all five problems, or to one direction")
        return self

    def same_as(self, other: "ReviewAnswer") -> bool:
        """Whether both say the same, notes included, whatever the page was."""
        return (
            self.model_copy(update={"number": other.number, "page_sha256": other.page_sha256})
            == other
        )
