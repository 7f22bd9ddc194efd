"""Content tokens and sentences of a document, zh, en or mixed (DR-97, Q14)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal

from draligned.bench_data.stoplist import stop_list
from draligned.measure.prose import prose

Cut = Literal["characters", "words"]
"""Whether each Chinese character is a token, or each Chinese word (rjieba)."""

_CJK = (
    r"\u3005\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = rf"[^\W_{_CJK}]"
_INSIDE = rf"[\u0300-\u036f]++|(?<=\d)[.,](?=\d)|'(?={_RUN})"
_WORD = rf"{_RUN}++(?:(?=[\u0300-\u036f.,'])(?:{_INSIDE}){_RUN}*+)*+"
"""The look ahead says nothing new: it spares most words the alternatives."""
_TOKEN = re.compile(rf"[{_CJK}]|{_WORD}")
_PIECE = re.compile(rf"[{_CJK}]+|{_WORD}")
_IS_CJK = re.compile(f"[{_CJK}]")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_STOP = re.compile(r"[。!?;]+|\.(?:\.+|(?!\S))")


@dataclass(frozen=True, kw_only=True)
class Content:
    """A document as it is compared: content tokens, and sentences word for word."""

    tokens: tuple[str, ...]
    sentences: tuple[str, ...]


def content(text: str, cut: Cut = "characters") -> Content:
    """Tokens and sentences of `text`; a text of markup and punctuation has neither.

    A sentence is its words, stop words included: punctuation and blanks do not tell sentences
    apart. It ends at a full stop, a question or exclamation mark, a semicolon or the end of the
    line. Headings have tokens but are no sentences.
    """
    return Cutter(cut).content(text)


class Cutter:
    """Cuts texts that have lines in common, as versions of one report do: a line is cut once, as
    long as not too many others came between."""

    def __init__(self, cut: Cut = "characters") -> None:
        self._line = lru_cache(maxsize=_LINES)(partial(_line, cut, _DROPPED[cut]()))

    def content(self, text: str) -> Content:
        """As the function `content`."""
        tokens: list[str] = []
        sentences: list[str] = []
        for own_tokens, own_sentences in map(self._line, prose(text).split("\n")):
            tokens += own_tokens
            sentences += own_sentences
        return Content(tokens=tuple(tokens), sentences=tuple(sentences))


_LINES = 4096
"""How many different lines are kept: those of some reports."""


def _line(cut: Cut, dropped: frozenset[str], line: str) -> tuple[list[str], list[str]]:
    """Content tokens and sentences of a line without markup."""
    tokens: list[str] = []
    sentences: list[str] = []
    heading = _HEADING.match(line)
    for piece in (line,) if heading else _STOP.split(line):
        if words := _TOKEN.findall(piece):
            tokens += words if cut == "characters" else _words(piece)
            if not heading:
                sentences.append(" ".join(words))
    return [token for token in tokens if token not in dropped], sentences


def _words(piece: str) -> list[str]:
    import rjieba  # loads a dictionary, which characters do without

    found: list[str] = []
    for run in _PIECE.findall(piece):
        found += rjieba.cut(run) if _IS_CJK.match(run) else [run]
    return found


_DROPPED: Mapping[Cut, Callable[[], frozenset[str]]] = {
    "characters": lambda: stop_list().of_characters,
    "words": lambda: stop_list().of_words,
}
