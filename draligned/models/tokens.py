"""Token counts where a provider gives none: an estimate that says so."""

from draligned.schema.chat import Usage

_ASCII_CHARS_PER_TOKEN = 4.0
_OTHER_TOKENS_PER_CHAR = 0.75


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated: four ASCII characters a token, 0.75 tokens any other."""
    n_ascii = len(text.encode("ascii", "ignore"))
    other = len(text) - n_ascii
    return round(n_ascii / _ASCII_CHARS_PER_TOKEN + other * _OTHER_TOKENS_PER_CHAR)


def estimated_usage(input_text: str, output_text: str) -> Usage:
    """Usage of a call whose provider did not report any."""
    return Usage(
        input_tokens=estimate_tokens(input_text),
        output_tokens=estimate_tokens(output_text),
        estimated=True,
    )
