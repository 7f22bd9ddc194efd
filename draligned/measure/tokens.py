"""Content tokens and sentences of a document, zh, en or mixed (DR-97, Q14)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
_WORD = rf"{_RUN}+(?:(?:[\u0300-\u036f]+|(?<=\d)[.,](?=\d)|'(?={_RUN})){_RUN}*)*"
_TOKEN = re.compile(rf"[{_CJK}]|{_WORD}")
_PIECE = re.compile(rf"[{_CJK}]+|{_WORD}")
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}(?:[ \t][^\n]*)?$")
_STOP = re.compile(r"[。!?;\n]+|\.{2,}|\.(?=\s|$)")


@dataclass(frozen=True, kw_only=True)
class Content:
    """A document as it is compared: content tokens, and sentences word for word."""

    tokens: tuple[str, ...]
    sentences: tuple[str, ...]


def content(text: str, cut: Cut = "characters") -> Content:
    """Tokens and sentences of `text`; a text of markup and punctuation has neither."""
    plain = prose(text)
    return Content(tokens=tuple(_CUTS[cut](plain)), sentences=tuple(_sentences(plain)))


def _characters(plain: str) -> list[str]:
    dropped = stop_list().of_characters
    return [token for token in _TOKEN.findall(plain) if token not in dropped]


def _words(plain: str) -> list[str]:
    import rjieba  # loads a dictionary, which characters do without

    dropped = stop_list().of_words
    found: list[str] = []
    for piece in _PIECE.findall(plain):
        found += rjieba.cut(piece) if re.match(f"[{_CJK}]", piece) else [piece]
    return [token for token in found if token not in dropped]


_CUTS: Mapping[Cut, Callable[[str], list[str]]] = {"characters": _characters, "words": _words}


def _sentences(plain: str) -> list[str]:
    """Sentences as their words, stop words kept: punctuation and blanks do not tell them apart.

    A sentence ends at a full stop, a question or exclamation mark, a semicolon or the end of the
    line. Headings are none, nor is a line without a word.
    """
    pieces = _STOP.split(_HEADING.sub("", plain))
    words = (" ".join(_TOKEN.findall(piece)) for piece in pieces)
    return [sentence for sentence in words if sentence]
