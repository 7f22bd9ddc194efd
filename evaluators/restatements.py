"""Stretches of a document that restate what the user said of themselves, and their masking.

A label may come from a sentence that repeats the endpoint instead of one that applies it
(DR-64). Such clauses are found by their wording, for both endpoints alike, so that a masked
packet tells no more of the arm than the document does; everything else stays byte for byte.
"""

import re
from collections.abc import Collection, Iterator

from rapidfuzz import fuzz

from draligned.evaluators.paragraphs import segment
from draligned.schema.design import Endpoint, FactorCard
from draligned.schema.packets import Paragraph

MASKING = "1"
"""Version of the rule below; another rule makes other packets."""
MASK = "[…]"
LIKENESS = 80.0
"""Least `rapidfuzz.fuzz.partial_ratio`, in percent, of two frames: clause and endpoint sentence
without the endpoint's words, pronouns and adverbs of time."""

_SENTENCE = re.compile(r"[^。！？!?\r\n]+")
_CLAUSE = re.compile(r"[^，,；;：:。.！!？?、\r\n“”\"「」『』()（）]+")
_CUE = re.compile(
    r"我|你|您|用户|自己|\b(?:i|me|my|you|your|yourself|user|user's)\b", re.IGNORECASE
)
_TOKEN = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")
_LEFT_OUT = re.compile(
    r"用户|自己|目前|现在|平时|主要|通常|一般|[我你您的]|\b(?:i|me|my|you|your|yourself|users?|user's"
    r"|the|an?|am|are|is|mostly|most|rather|currently|usually|now)\b"
)
_ADVICE = re.compile(
    r"建议|推荐|可以|可选|应当|应该|不妨|优先|请|每[天周日晚月]|第[一二三四五六七八九十0-9]"
    r"|\b(?:should|could|can|may|might|must|recommend\w*|suggest\w*|consider|try|please|every|each"
    r"|twice|once)\b"
)
"""A clause with such a word advises, whatever else it repeats."""
_LEAST = 2
"""Chinese characters of a frame that says something; Latin letters: twice as many."""


def restatements(text: str, card: FactorCard) -> tuple[tuple[int, int], ...]:
    """Where `text` restates an endpoint of `card`: (start, end) of each clause, in order.

    A clause counts when its sentence speaks of the user, it has a word of the endpoint and none
    of advice, and the rest of it is like the rest of the endpoint's sentence. Free paraphrases
    are not found.
    """
    return tuple(
        (start, end)
        for start, end, clause in _clauses(text)
        if any(_restates(clause, endpoint) for endpoint in (card.p, card.q))
    )


def masked_paragraphs(text: str, card: FactorCard) -> tuple[Paragraph, ...]:
    """The document's paragraphs with restatements replaced by `MASK`, cut as without them."""
    return tuple(
        Paragraph(no=p.no, text=_masked(p.text, restatements(p.text, card))) for p in segment(text)
    )


def restates(text: str, card: FactorCard) -> bool:
    """Whether any paragraph of a document restates an endpoint."""
    return any(restatements(p.text, card) for p in segment(text))


def _masked(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    out, done = [], 0
    for start, end in spans:
        out += [text[done:start], MASK]
        done = end
    return "".join([*out, text[done:]])


def _clauses(text: str) -> Iterator[tuple[int, int, str]]:
    """Clauses of the sentences that speak of the user, without blanks at their ends."""
    for sentence in _SENTENCE.finditer(text):
        if not _CUE.search(sentence[0]):
            continue
        for clause in _CLAUSE.finditer(sentence[0]):
            bare = clause[0].strip(" \t*_#>-")
            if bare:
                start = sentence.start() + clause.start() + clause[0].index(bare)
                yield start, start + len(bare), bare


def _restates(clause: str, endpoint: Endpoint) -> bool:
    known = {w.casefold() for w in (*endpoint.words, endpoint.value) if w.strip()}
    said = clause.casefold()
    # The pattern below goes over a run of letters again and again: only where a word is there.
    if not any(word in said for word in known) or _ADVICE.search(said):
        return False
    words = _words(known)
    frame, wanted = (_frame(words.sub(" ", s)) for s in (said, endpoint.sentence.casefold()))
    if min(_weight(frame), _weight(wanted)) < _LEAST:
        return False
    return fuzz.partial_ratio(frame, wanted) >= LIKENESS


def _words(known: Collection[str]) -> re.Pattern[str]:
    """The endpoint's public words, inflected forms of Latin ones included."""
    ordered = sorted(known, key=lambda w: (-len(w), w))
    return re.compile("|".join(rf"[a-z]*{re.escape(w)}[a-z]*" for w in ordered))


def _frame(text: str) -> str:
    tokens = _TOKEN.findall(_LEFT_OUT.sub(" ", text))
    return "".join(t if t >= "\u3400" else f" {t}" for t in tokens).strip()


def _weight(frame: str) -> float:
    return sum(1.0 if c >= "\u3400" else 0.5 for c in frame if not c.isspace())
