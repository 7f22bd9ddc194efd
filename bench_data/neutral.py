"""What stands in the endpoint slot of a neutral arm: that nothing is told."""

from collections.abc import Mapping

from draligned.schema.design import Lang

NOTHING_TOLD: Mapping[Lang, str] = {
    "zh": "没有其他要说明的情况。",
    "en": "There is nothing else to say about the user.",
}
"""It names no fact and invites no question; an empty slot would look like a broken message."""


def tells_nothing(text: str) -> bool:
    """Whether `text` is the sentence of a neutral arm, in any language."""
    return text.strip() in NOTHING_TOLD.values()
