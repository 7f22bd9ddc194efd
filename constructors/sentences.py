"""Comparing two endpoint sentences, without knowing who wrote them."""

import re
import unicodedata

from draligned.bench_data.kinds import Kind
from draligned.constructors.values import BLANK, compiled, stated
from draligned.schema.design import Lang

_CLAUSE = re.compile(r"[，。；！？、,.;!?]+")
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[A-Za-z0-9'’-]+")
MAX_CHARS = 300
"""Of an endpoint sentence, which states one fact."""


def clauses(sentence: str) -> tuple[str, ...]:
    """The clauses of a sentence."""
    return tuple(c.strip() for c in _CLAUSE.split(sentence) if c.strip())


def not_one_line(sentence: str) -> str | None:
    """Why `sentence` cannot be the last line of a message, or none.

    A line break would let an endpoint open a section of its own, or be cut in two where
    a condition is split in two turns.
    """
    if not sentence.strip():
        return "the sentence is empty"
    if len(sentence) > MAX_CHARS:
        return f"the sentence is longer than {MAX_CHARS} characters"
    if sentence != sentence.strip():
        return "the sentence begins or ends with a blank"
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in sentence):
        return "the sentence holds a line break or a control character"
    return None


def tokens(text: str) -> tuple[str, ...]:
    """Han characters and lower-cased Latin or number runs."""
    return tuple(t.lower() for t in _TOKEN.findall(text))


def differing(a: str, b: str) -> tuple[str, str]:
    """The stretches in which two sentences differ, between their common head and tail."""
    if a == b:
        return "", ""
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    while head and a[head - 1].isascii() and a[head - 1].isalnum():
        head -= 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    while tail and a[len(a) - tail].isascii() and a[len(a) - tail].isalnum():
        tail -= 1
    return a[head : len(a) - tail].strip(), b[head : len(b) - tail].strip()


def frame(kind: Kind, sentence: str) -> str:
    """The sentence with every value of the kind blanked: what is left should not change."""
    out = re.sub(r"\ban\b", "a", sentence)
    for pattern in compiled((*(re.escape(v.name) for v in kind.values), *_patterns(kind))):
        out = pattern.sub(BLANK, out)
    return re.sub(f"{BLANK}+", BLANK, out)


def shared_run(sentence: str, option: str, lang: Lang) -> str:
    """The longest run of tokens that a sentence shares with an option."""
    a, b = tokens(sentence), tokens(option)
    best, before = (0, 0), [0] * (len(b) + 1)
    for i, token in enumerate(a, start=1):
        # By the length of the run that ends at this token of `a` and at each one of `b`.
        here = [0] * (len(b) + 1)
        for j, other in enumerate(b, start=1):
            if token == other:
                here[j] = before[j - 1] + 1
        best = max(best, (max(here), -i))
        before = here
    length, end = best[0], -best[1]
    return ("" if lang == "zh" else " ").join(a[end - length : end])


def value_names(kind: Kind, sentence: str) -> tuple[str, ...]:
    """Values of the kind that the sentence states, in order of appearance."""
    return tuple(sorted(stated(kind, sentence), key=lambda n: sentence.find(n)))


def _patterns(kind: Kind) -> tuple[str, ...]:
    return tuple(p for v in kind.values for p in v.patterns)
