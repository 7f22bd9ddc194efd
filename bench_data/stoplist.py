"""The frozen stop list of the content-token edit distance (Q14)."""

import tomllib
from functools import cache, cached_property
from importlib.resources import files

from draligned.schema.base import Record


class StopList(Record):
    """Tokens that carry no content, by how text is cut into tokens."""

    version: int
    characters: str
    """Single Chinese characters."""
    words: tuple[str, ...]
    """Chinese words of more than one character."""
    english: tuple[str, ...]

    @cached_property
    def of_characters(self) -> frozenset[str]:
        """Stop tokens where each Chinese character is a token."""
        return frozenset(self.characters) | frozenset(self.english)

    @cached_property
    def of_words(self) -> frozenset[str]:
        """Stop tokens where Chinese text is cut into words."""
        return self.of_characters | frozenset(self.words)


@cache
def stop_list() -> StopList:
    """The list that comes with the package."""
    text = files("draligned.bench_data").joinpath("stoplist.toml").read_text(encoding="utf-8")
    return StopList.model_validate(tomllib.loads(text))
