"""HTML to text: trafilatura with fixed settings and without its date search."""

import re
from copy import copy, deepcopy
from typing import NamedTuple

import trafilatura
from trafilatura.settings import DEFAULT_CONFIG, Extractor
from trafilatura.utils import load_html

from draligned.schema.base import Record
from draligned.schema.retrieval import Flag, ReturnStatus

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


# A text below this length is searched for again by slower means. The default of 250 is meant for
# languages written with spaces; a whole Chinese page may be shorter.
_SETTINGS = deepcopy(DEFAULT_CONFIG)
_SETTINGS["DEFAULT"]["MIN_EXTRACTED_SIZE"] = "120"
_OPTIONS = Extractor(
    config=_SETTINGS,
    output_format="markdown",
    comments=False,
    tables=True,
    links=False,
    images=False,
    dedup=False,
    with_metadata=False,
)
"""Settings are read once, not for every page; a page gets a copy."""


_HIDDEN = re.compile(r"<(?:(script|style|svg|noscript|template)\b|!--)", re.IGNORECASE)
_CLOSING = {
    name: re.compile(rf"</{name}\b", re.IGNORECASE)
    for name in ("script", "style", "svg", "noscript", "template")
}
OPENING_CHARS = 300_000
OPENING_TAGS = 5_000
"""How much of a page too large to be parsed whole is parsed: seconds and 50 MB at the worst."""


class Extracted(NamedTuple):
    """Title and main text of a page; the text is empty when there is none."""

    title: str
    text: str


class Part(Record):
    """What one body holds, without where it came from."""

    status: ReturnStatus = ReturnStatus.OK
    title: str = ""
    text: str = ""
    truncated: bool = False
    detail: str = ""
    charset: str | None = None
    flags: tuple[Flag, ...] = ()


def extract(html: str) -> Extracted:
    """Main text of an HTML document as Markdown.

    Raises whatever the extractor raises on hopeless input; the caller turns that into a status.
    """
    tree = load_html(html)
    if tree is None:
        return Extracted("", "")
    title = tree.findtext(".//title") or ""
    text = trafilatura.extract(tree, options=copy(_OPTIONS))
    return Extracted(" ".join(clean(title).split()), clean(text or "").strip())


def clean(text: str) -> str:
    """`text` without control characters and lone surrogates; line ends become `\\n`."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def opening(html: str) -> str:
    """The beginning of a huge document: without scripts, up to so many characters and tags."""
    bare = without_scripts(html)
    tag = -1
    for _ in range(OPENING_TAGS):
        tag = bare.find("<", tag + 1)
        if tag < 0:
            return bare[:OPENING_CHARS]
    return bare[: min(tag, OPENING_CHARS)]


def without_scripts(html: str) -> str:
    """`html` without what is never shown; in one pass, however it is nested or left open."""
    kept = []
    place = 0
    for found in _HIDDEN.finditer(html):
        if found.start() >= place:
            kept.append(html[place : found.start()])
            place = _end_of(html, found)
        if place == len(html):
            break
    return "".join((*kept, html[place:]))


def _end_of(html: str, opened: re.Match[str]) -> int:
    """Where what `opened` begins is over; the end of the document where nothing closes it."""
    if opened.group(1) is None:
        end = html.find("-->", opened.end())
        return len(html) if end < 0 else end + 3
    closing = _CLOSING[opened.group(1).lower()].search(html, opened.end())
    end = -1 if closing is None else html.find(">", closing.end())
    return len(html) if end < 0 else end + 1
