"""Results as they come, made fit to be shown and stored."""

import html
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import httpx

from draligned.retrieval.canonical import canonical_key
from draligned.retrieval.search.outcome import Unreadable
from draligned.schema.retrieval import SearchHit
from draligned.schema.strictjson import clean_text

TITLE_CHARS = 300
SNIPPET_CHARS = 1_000
URL_CHARS = 4_000
_MARKUP = re.compile(
    r"</?(?:a|b|br|code|div|em|font|i|img|li|mark|ol|p|script|small|span|strong|style|sub|sup|u|ul)"
    r"(?:\s[^<>]{0,2000})?/?>",
    re.IGNORECASE,
)
"""Tags that providers put around the words that match, or leave in from a page. Other angle
brackets are text: `a < b`, `list<int>`."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class RawHit(NamedTuple):
    """A result before cleaning; any JSON value may stand in each place."""

    title: Any
    url: Any
    snippet: Any


def fields(item: Any, title: str, url: str, snippet: str) -> RawHit:
    """The named fields of one result; of anything but an object, nothing."""
    if not isinstance(item, dict):
        return RawHit(None, None, None)
    return RawHit(item.get(title), item.get(url), item.get(snippet))


def list_of(payload: Any, *path: str) -> list[Any]:
    """The list at `path` of objects. Raises `Unreadable` where there is none."""
    found = payload
    for name in path:
        if not isinstance(found, dict) or name not in found:
            raise Unreadable(f"the answer has no {'.'.join(path)}")
        found = found[name]
    if not isinstance(found, list):
        raise Unreadable(f"{'.'.join(path)} is no list")
    return found


def clean_hits(raw: Iterable[RawHit], most: int) -> tuple[SearchHit, ...]:
    """The first `most` results that lead somewhere, each page once.

    Raises `Unreadable` where there were results and none of them has an http(s) address: that
    is another shape, not an empty list.
    """
    given = list(raw)
    hits: dict[str, SearchHit] = {}
    for one in given:
        url = _address(one.url)
        if url is not None and (key := canonical_key(url)) not in hits:
            title = plain(one.title, TITLE_CHARS) or url[:TITLE_CHARS]
            hits[key] = SearchHit(title=title, url=url, snippet=plain(one.snippet, SNIPPET_CHARS))
    if given and not hits:
        raise Unreadable(f"none of {len(given)} results has an http(s) address")
    return tuple(hits.values())[:most]


def plain(value: Any, most: int) -> str:
    """One line of text without markup; empty for anything that is no text."""
    if not isinstance(value, str):
        return ""
    text = clean_text(html.unescape(_MARKUP.sub("", value[: most * 20]))).text
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _address(value: Any) -> str | None:
    """An address as given, if it is one that can be read."""
    if not isinstance(value, str) or len(value) > URL_CHARS:
        return None
    text = value.strip()
    if clean_text(text).sanitised or _CONTROL.search(text) or " " in text:
        return None
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError, TypeError):
        return None
    return text if url.scheme in ("http", "https") and url.host else None
