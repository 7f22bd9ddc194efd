"""Pages that only send their visitor on, by an element where others answer with a redirect."""

import html
import re

import httpx

from draligned.retrieval.canonical import canonical_key

SHORT = 300
"""Characters of main text up to which a page may be no more than a way to another."""
_SOON = 5
"""Seconds after which a page that goes on is still no page to be read."""
_META = re.compile(r"<meta\s[^>]{0,2000}>", re.IGNORECASE)
_REFRESH = re.compile(r"\bhttp-equiv\s*=\s*[\"']?\s*refresh\b", re.IGNORECASE)
_CONTENT = re.compile(r"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_PLACE = re.compile(r"\s*(\d{1,4})[\d.]*\s*[;,\s](.*)", re.DOTALL)
_NAMED = re.compile(r"\s*(?:url\s*=)?[\s\"']*", re.IGNORECASE)


def goes_on(url: httpx.URL, text: str, markup: str) -> httpx.URL | None:
    """Where the page at `url` sends its visitor within seconds; None where it is to be read.

    `text` is its main text, `markup` its source. A page that loads itself again stays.
    """
    if len(text) > SHORT:
        return None
    for meta in _META.findall(markup):
        content = _CONTENT.search(meta) if _REFRESH.search(meta) else None
        if content is not None:
            return _target(url, html.unescape(next(filter(None, content.groups()), "")))
    return None


def _target(url: httpx.URL, content: str) -> httpx.URL | None:
    found = _PLACE.match(content)
    if found is None or int(found.group(1)) > _SOON:
        return None
    place = _NAMED.sub("", found.group(2), count=1).strip("\"' \t\r\n")
    if not place:
        return None
    try:
        target = url.join(place)
    except (httpx.InvalidURL, ValueError):
        return None
    if target.scheme not in ("http", "https") or not target.raw_host or b"%" in target.raw_host:
        return None
    return None if canonical_key(str(target)) == canonical_key(str(url)) else target
