"""BM25 over the pages of a corpus, with ties settled by page id."""

import logging
from collections.abc import Sequence

import bm25s
import numpy as np

from draligned.retrieval.corpus import Page
from draligned.retrieval.tokenize import tokenize

# It sets itself to DEBUG when imported.
logging.getLogger("bm25s").setLevel(logging.WARNING)

TITLE_WEIGHT = 3
"""How often a title's tokens count beside the text's."""


class PageIndex:
    """Ranks pages for a query; holds everything in memory and writes no files."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = sorted(pages, key=lambda page: page.id)
        self._model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        documents = [_tokens(page) for page in self._pages]
        self._known = frozenset(token for document in documents for token in document)
        if self._known:
            self._model.index(documents, show_progress=False)

    def search(self, query: str, top: int) -> list[tuple[Page, float]]:
        """The best `top` pages with a positive score, best first, equal scores by id.

        Empty when no token of the query is in any page.
        """
        tokens = [token for token in tokenize(query) if token in self._known]
        if not tokens:
            return []
        scores = self._model.get_scores(tokens)
        order = np.argsort(-scores, kind="stable")[:top]
        return [(self._pages[i], float(scores[i])) for i in order if scores[i] > 0]


def _tokens(page: Page) -> list[str]:
    return tokenize(page.title) * TITLE_WEIGHT + tokenize(page.text)
