"""The bundled pages: one Markdown file a task, pages divided by a comment that names the slug.

<!-- page: what-to-pack -->
# Title

Paragraphs, `## ` headings, `- ` lists.
"""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from draligned.schema.base import Record
from draligned.schema.errors import ConfigError, DamageError

LANGUAGES = ("zh", "en")
_DIVIDER = re.compile(r"^<!-- page: (?P<slug>\S+) -->\n", re.MULTILINE)


class Page(Record):
    """A page of the embedded corpus."""

    id: str
    """Language, task and place in the task's file, such as `zh-3-07`."""
    task_id: str
    lang: str
    title: str
    slug: str
    """Last part of the address, unencoded; may be Chinese."""
    text: str
    """Markdown below the title."""

    def blocks(self) -> tuple[str, ...]:
        """Headings, paragraphs and lists, in order."""
        return tuple(block.strip() for block in self.text.split("\n\n") if block.strip())


@cache
def load_pages(lang: str) -> tuple[Page, ...]:
    """All bundled pages of a language, ordered by id. Raises `ConfigError` on another language."""
    if lang not in LANGUAGES:
        raise ConfigError(f"no embedded corpus for {lang!r}; choose one of {', '.join(LANGUAGES)}")
    folder = resources.files("draligned.bench_data").joinpath("corpus", lang)
    files = (file for file in folder.iterdir() if file.name.endswith(".md"))
    pages = (page for file in files for page in _pages_of(lang, file))
    return tuple(sorted(pages, key=lambda page: page.id))


def parse_pages(lang: str, task_id: str, text: str) -> tuple[Page, ...]:
    """Pages of one task's file. Raises `DamageError` where a page has no title."""
    parts = _DIVIDER.split(text)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return tuple(
        _page(lang, task_id, number, slug, body) for number, (slug, body) in enumerate(pairs, 1)
    )


def _pages_of(lang: str, file: Traversable) -> tuple[Page, ...]:
    task_id = file.name.partition("-")[0]
    return parse_pages(lang, task_id, file.read_text(encoding="utf-8"))


def _page(lang: str, task_id: str, number: int, slug: str, body: str) -> Page:
    head, _, text = body.strip().partition("\n")
    if not head.startswith("# "):
        raise DamageError(f"corpus page {slug!r} of task {task_id} ({lang}) has no title")
    return Page(
        id=f"{lang}-{task_id}-{number:02d}",
        task_id=task_id,
        lang=lang,
        title=head[2:].strip(),
        slug=slug,
        text=text.strip(),
    )
