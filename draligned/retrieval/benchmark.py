"""Whether a page is the benchmark itself, so that a run can be known to have seen it.

A page counts by its address, where the benchmark is published, or by its text, where a long
stretch of one of the study's tasks stands in it word for word.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from draligned.retrieval.canonical import canonical_key

WORDS = 12
"""Words in a row that say that a text was copied."""
CHARACTERS = 24
"""The same in Chinese and other writing without blanks between words."""
_PLACES = re.compile(
    r"github\.com/oppo-personalai/personalizeddeepresearchbench"
    r"|(?:raw\.githubusercontent|codeload\.github)\.com/oppo-personalai/personalizeddeep"
    r"|(?:huggingface\.co|hf-mirror\.com|modelscope\.cn)/"
    r"(?:datasets/)?[^/?#]+/(?:personalizeddeepresearchbench|pdr-?bench)"
    r"|(?:arxiv|alphaxiv)\.org/[^?#]*2509\.25106|papers/2509\.25106"
    r"|/personalizeddeepresearchbench(?:[/?#.]|$)"
)
"""Where PDR-Bench and its paper are published, and copies that keep its name."""
_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNIT = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])\w)+")


def is_benchmark_place(url: str) -> bool:
    """Whether the benchmark, its code or its paper is published at `url`."""
    return _PLACES.search(unquote(canonical_key(url)).lower()) is not None


class BenchmarkPages:
    """Knows the benchmark's pages by address and by the tasks of a study."""

    def __init__(self, tasks: Iterable[str]) -> None:
        self._stretches: dict[int, set[tuple[str, ...]]] = {}
        for task in tasks:
            units = units_of(task)
            length = min(_length(units), len(units))
            if length >= _length(units) // 2:
                known = self._stretches.setdefault(length, set())
                known.update(_runs(units, length))

    def __call__(self, url: str, text: str) -> bool:
        """Whether the page at `url`, with that text, is of the benchmark."""
        return is_benchmark_place(url) or self.quotes_task(text)

    def quotes_task(self, text: str) -> bool:
        """Whether a long stretch of a task, or all of a short one, stands in `text`."""
        units = units_of(text) if self._stretches else []
        return any(
            run in known
            for length, known in self._stretches.items()
            for run in _runs(units, length)
        )


def units_of(text: str) -> list[str]:
    """Words, and each character of writing without blanks; neither case nor punctuation counts."""
    return _UNIT.findall(unicodedata.normalize("NFKC", text).casefold())


def _length(units: Sequence[str]) -> int:
    """How long a stretch must be: by which kind of units there are more of."""
    single = sum(len(unit) == 1 and not unit.isascii() for unit in units)
    return CHARACTERS if 2 * single > len(units) else WORDS


def _runs(units: Sequence[str], length: int) -> Iterable[tuple[str, ...]]:
    return zip(*(units[start:] for start in range(length)), strict=False)
