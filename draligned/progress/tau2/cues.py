"""Whether the customer has said that the problem is gone: a keyword proxy (SI-80, Q33).

The list is frozen and stored by its hash with every table made by it. It reads words, not
meanings; a cue right after a negation is none.
"""

import re
from collections.abc import Iterable

from draligned.schema.base import sha256_of

CUES = (
    "works now", "working now", "it works", "it's working", "is working", "works again",
    "working again", "works perfectly", "working perfectly", "that worked", "that did it",
    "fixed", "resolved", "solved", "all set", "back to normal", "thank you", "thanks",
)  # fmt: skip
NEGATIONS = (
    "not", "no", "never", "isn't", "doesn't", "hasn't", "wasn't", "didn't", "won't", "can't",
    "until", "once", "unless", "if",
)  # fmt: skip
REACH = 3
"""A negation counts among so many words before the cue."""
WINDOW = 200
"""Characters before a cue that are looked at: more than so many words take."""
CUES_SHA256 = sha256_of([CUES, NEGATIONS, REACH])

_CUE = re.compile(r"\b(" + "|".join(re.escape(cue) for cue in CUES) + r")\b")
_WORD = re.compile(r"[a-z']+")


def has_cue(text: str) -> bool:
    """Whether a text of the customer holds a cue."""
    plain = text.casefold().replace("’", "'")
    for found in _CUE.finditer(plain):
        before = re.split(r"[.!?;\n]", plain[max(0, found.start() - WINDOW) : found.start()])[-1]
        if not set(_WORD.findall(before)[-REACH:]) & set(NEGATIONS):
            return True
    return False


def first_cue(texts: Iterable[tuple[int, str]]) -> int | None:
    """Place of the first text with a cue."""
    return next((place for place, text in texts if has_cue(text)), None)
