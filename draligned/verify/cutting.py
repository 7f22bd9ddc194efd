"""A document without markup, and cut into content tokens and sentences, by docs/definitions.md.

Characters are walked one by one; no pattern of the first path is used.
"""

import html
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from draligned.verify.instrument import stop_words
from draligned.verify.markup import without_markup

_CJK = (
    (0x3005, 0x3005), (0x3007, 0x3007), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x30FC, 0x30FC),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
_STOPS = "。!?;"


@dataclass(frozen=True, slots=True)
class Cut:
    """A document as it is compared."""

    tokens: tuple[str, ...]
    """Content tokens."""
    sentences: tuple[tuple[str, ...], ...]
    """Sentences as all their words."""


def cut(text: str, how: str) -> Cut:
    """Cut a document; `how`: characters or words."""
    dropped = stop_words(how)
    tokens: list[str] = []
    sentences: list[tuple[str, ...]] = []
    for line in _folded(html.unescape(without_markup(text))).split("\n"):
        heading = is_heading(line)
        for piece in (line,) if heading else pieces(line):
            words = tuple(words_of(piece))
            if words:
                tokens += words if how == "characters" else _in_words(words, piece)
                sentences += () if heading else (words,)
    return Cut(tuple(t for t in tokens if t not in dropped), tuple(sentences))


def _folded(text: str) -> str:
    """Compatible characters, letters in one case, one apostrophe."""
    once = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", once).replace("\u2019", "'")


def is_heading(line: str) -> bool:
    """Up to three blanks, one to six number signs, then a blank or nothing."""
    bare = line.lstrip(" ")
    signs = len(bare) - len(bare.lstrip("#"))
    return (
        len(line) - len(bare) <= 3
        and 1 <= signs <= 6
        and bare[signs : signs + 1] in ("", " ", "\t")
    )


def pieces(line: str) -> Iterator[str]:
    """A line cut where sentences end: 。 ! ? ; and . before a blank, another or the end."""
    start = at = 0
    while at < len(line):
        end = _stop(line, at)
        if end > at:
            yield line[start:at]
            start = end
        at = max(end, at + 1)
    yield line[start:]


def _stop(line: str, at: int) -> int:
    """Where the stop that begins at a place ends; the place itself where none does."""
    if line[at] in _STOPS:
        return _while(line, at, lambda c: c in _STOPS)
    if line[at] == ".":
        end = _while(line, at, lambda c: c == ".")
        if end - at > 1 or end == len(line) or line[end].isspace():
            return end
    return at


def _while(text: str, at: int, holds: Callable[[str], bool]) -> int:
    while at < len(text) and holds(text[at]):
        at += 1
    return at


def is_cjk(char: str) -> bool:
    """Whether a character is a token by itself."""
    code = ord(char)
    return code >= 0x3005 and any(low <= code <= high for low, high in _CJK)


def _of_word(char: str) -> bool:
    return char.isalnum() and not is_cjk(char)


def words_of(piece: str) -> Iterator[str]:
    """Tokens: a Chinese, Japanese or Korean character, or a run of other letters and digits."""
    at = 0
    while at < len(piece):
        if is_cjk(piece[at]):
            yield piece[at]
            at += 1
        elif _of_word(piece[at]):
            end = _end_of_word(piece, at)
            yield piece[at:end]
            at = end
        else:
            at += 1


def _end_of_word(piece: str, at: int) -> int:
    """Letters and digits; inside also accents, . and , between digits, ' before a letter."""
    while at < len(piece):
        char, after = piece[at], piece[at + 1 : at + 2]
        between = char in ".," and piece[at - 1].isdecimal() and after.isdecimal()
        apostrophe = char == "'" and after != "" and _of_word(after)
        if not (_of_word(char) or "\u0300" <= char <= "\u036f" or between or apostrophe):
            break
        at += 1
    return at


def _in_words(words: tuple[str, ...], piece: str) -> Iterator[str]:
    """The same with runs of Chinese characters cut by a dictionary (rjieba)."""
    import rjieba

    at, run = 0, ""
    for word in words:
        found = piece.index(word, at)
        if run and (found > at or not is_cjk(word[0])):
            yield from rjieba.cut(run)
            run = ""
        if is_cjk(word[0]):
            run += word
        else:
            yield word
        at = found + len(word)
    if run:
        yield from rjieba.cut(run)
