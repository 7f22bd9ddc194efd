"""Whether a document restates what its user said, by the rule of the masked reads, written anew.

A clause restates an endpoint when its sentence speaks of the user, it has one of the endpoint's
words and none of advice, and what is left of it is like what is left of the endpoint's sentence.
"""

import re

from rapidfuzz import fuzz

from draligned.verify.design import Card, Slot

_SENTENCE_ENDS = re.compile(r"[。！？!?\r\n]+")
_CLAUSE_ENDS = re.compile(r"[，,；;：:。.！!？?、\r\n“”\"「」『』()（）]+")
_I = re.I
_USER = re.compile(r"我|你|您|用户|自己|\b(?:i|me|my|you|your|yourself|user|user's)\b", _I)
_DROPPED = re.compile(
    "|".join(
        [
            "用户", "自己", "目前", "现在", "平时", "主要", "通常", "一般", "[我你您的]",
            r"\b(?:i|me|my|you|your|yourself|users?|user's|the|an?|am|are|is|mostly|most|rather"
            r"|currently|usually|now)\b",
        ]
    )
)  # fmt: skip
_ADVISES = re.compile(
    "|".join(
        [
            "建议", "推荐", "可以", "可选", "应当", "应该", "不妨", "优先", "请", "每[天周日晚月]",
            "第[一二三四五六七八九十0-9]",
            r"\b(?:should|could|can|may|might|must|recommend\w*|suggest\w*|consider|try|please"
            r"|every|each|twice|once)\b",
        ]
    )
)  # fmt: skip
_PIECE = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")
_LIKE, _LEAST = 80.0, 2.0


def restates(paragraphs: list[str], card: Card) -> bool:
    """Whether any paragraph has a clause that restates an endpoint."""
    return any(
        _clause_restates(clause.strip(" \t*_#>-"), end)
        for text in paragraphs
        for sentence in _SENTENCE_ENDS.split(text)
        if _USER.search(sentence)
        for clause in _CLAUSE_ENDS.split(sentence)
        if clause.strip(" \t*_#>-")
        for end in card.ends.values()
    )


def _clause_restates(clause: str, end: Slot) -> bool:
    said, words = clause.casefold(), _words(end)
    if not words.search(said) or _ADVISES.search(said):
        return False
    rests = [_rest(words.sub(" ", text)) for text in (said, end.sentence.casefold())]
    if any(_size(rest) < _LEAST for rest in rests):
        return False
    return fuzz.partial_ratio(*rests) >= _LIKE


def _words(end: Slot) -> re.Pattern[str]:
    known = {word.casefold() for word in (*end.words, end.value) if word.strip()}
    longest_first = sorted(known, key=lambda word: (-len(word), word))
    # A run of letters is gone through once, from its start, however long it is.
    inside = (f"(?:(?<![a-z])[a-z]*)?{re.escape(word)}[a-z]*" for word in longest_first)
    return re.compile("|".join(inside))


def _rest(text: str) -> str:
    pieces = _PIECE.findall(_DROPPED.sub(" ", text))
    return "".join(p if p >= "\u3400" else f" {p}" for p in pieces).strip()


def _size(text: str) -> float:
    """Chinese characters, and Latin ones counted half."""
    return sum(1.0 if c >= "\u3400" else 0.5 for c in text if not c.isspace())
