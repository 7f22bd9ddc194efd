"""Token counts where a provider gives none: an estimate that says so."""

from typing import NamedTuple

from draligned.schema.chat import Usage

_ASCII_CHARS_PER_TOKEN = 4.0
_OTHER_TOKENS_PER_CHAR = 0.75


class CharCount(NamedTuple):
    """Characters of a text by what they weigh; counts of parts add up."""

    ascii: int
    other: int

    @property
    def tokens(self) -> int:
        """Tokens, estimated: four ASCII characters a token, 0.75 tokens any other."""
        return round(self.ascii / _ASCII_CHARS_PER_TOKEN + self.other * _OTHER_TOKENS_PER_CHAR)


def count_chars(text: str) -> CharCount:
    """The characters of `text`."""
    if text.isascii():
        return CharCount(len(text), 0)
    n_ascii = len(text.encode("ascii", "ignore"))
    return CharCount(n_ascii, len(text) - n_ascii)


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated."""
    return count_chars(text).tokens


def estimated_usage(input_tokens: int, output_text: str) -> Usage:
    """Usage of a call whose provider did not report any, from the estimate for its body."""
    return Usage(
        input_tokens=input_tokens, output_tokens=estimate_tokens(output_text), estimated=True
    )
