"""The passage of a page that a search result shows."""

from functools import lru_cache

from draligned.retrieval.corpus import Page
from draligned.retrieval.tokenize import tokenize

_LENGTH = {"zh": 90, "en": 200}


def snippet(page: Page, query: str) -> str:
    """The line of `page` with most words of `query`, the first among equals, cut to one line."""
    wanted = frozenset(tokenize(query))
    lines = _lines(page)
    best = max(range(len(lines)), key=lambda i: (len(wanted & lines[i][1]), -i))
    return _cut(lines[best][0], _LENGTH[page.lang])


@lru_cache(maxsize=512)
def _lines(page: Page) -> tuple[tuple[str, frozenset[str]], ...]:
    """Lines that say something, headings left out, each with its tokens."""
    lines = [line.removeprefix("- ") for line in page.text.splitlines()]
    kept = [line for line in lines if line.strip() and not line.startswith("## ")] or [page.title]
    return tuple((line, frozenset(tokenize(line))) for line in kept)


def _cut(line: str, length: int) -> str:
    if len(line) <= length:
        return line
    head = line[:length]
    return (head.rpartition(" ")[0] or head).rstrip() + "…"
