"""The bar that an evaluator must reach on the gold set, and why it stands where it stands.

The bar is a record, written whole into every qualification: a verdict under another bar is
another verdict. `docs/qualification.md` says how often a good and a bad reader pass it.
"""

from typing import Literal

from pydantic import Field

from draligned.schema.base import Record


class Bar(Record):
    """Shares that must be reached, or must not be passed."""

    version: Literal[1] = 1
    unreadable: float = Field(default=0.05, ge=0, le=1)
    """Units with an unreadable read, at most. A pair needs four units at the least (two finals,
    two requests): at 5 % a unit, one pair in five is lost before anything else is."""
    requests: float = Field(default=0.85, ge=0, le=1)
    """Requests with the right label of both reads, at least. Wrong and missing labels both cost;
    what is merely missing also costs coverage (DR-74), which the report prints apart."""
    documents: float = Field(default=0.85, ge=0, le=1)
    """The same of documents (DR-70)."""
    opposite: float = Field(default=0.02, ge=0, le=1)
    """Units of one end that are labelled with the other, at most. A share e of such labels
    shrinks a contrast to 1 − 2e of itself; 2 % costs 4 %, less than any interval here."""
    flips: float = Field(default=0.1, ge=0, le=1)
    """Units whose two decided reads disagree once P and Q are restored, at most. They lose the
    label; a tenth of the units is about a fifth of the pairs."""
    separation: float = Field(default=0.1, ge=0, le=1)
    """Restatements and third-party material read as the author's main advice, at most: this is
    the error that would make a mere repetition of the user look like its application (DR-62)."""
    fields: float = Field(default=0.85, ge=0, le=1)
    """Fields of marked items that are right, at least."""
    conflict: float = Field(default=0.8, ge=0, le=1)
    """Reads of conflict documents that follow the action, at least, in each order of the text and
    each order of the endpoints by itself: an evaluator was seen to follow the restatement in one
    order and the action in the other, where the mean over orders looks tolerable (DR-107)."""
    trap: float = Field(default=0.5, ge=0, le=1)
    """Single reads that are right within each trap, at least: no trap may be failed as a rule.
    Every trap has six reads or more."""


BAR = Bar()
