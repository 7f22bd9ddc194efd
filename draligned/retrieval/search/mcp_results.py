"""Results out of what a tool gives back: structured content, JSON as text, links, or listings.

Only shapes that are known are read. Anything else is `Unreadable`.
"""

import re
from typing import Any

from draligned.retrieval.search.hits import RawHit
from draligned.retrieval.search.judge import SHOWN, load
from draligned.retrieval.search.outcome import Unreadable
from draligned.schema.strictjson import visible

_LISTS = ("results", "hits", "items", "organic", "organic_results", "web", "data", "result")
_URLS = ("url", "link", "href", "uri")
_TITLES = ("title", "name")
_SNIPPETS = ("snippet", "description", "content", "text", "body", "summary", "excerpt")
_LABEL = re.compile(
    r"^[\s*>#-]*(title|name|url|link|description|snippet|summary|content|text)\**\s*:\**\s*(.*)$",
    re.IGNORECASE,
)
_AS_FIELD = {
    "title": "title", "name": "title", "url": "url", "link": "url",
    "description": "snippet", "snippet": "snippet", "summary": "snippet", "content": "snippet",
    "text": "snippet",
}  # fmt: skip
_LINK = re.compile(r"^\s*(?:\d+[.)]|[-*#]+)?\s*\**\[([^\]]{1,300})\]\((https?://[^\s)]+)\)\**(.*)$")
_NOTHING = re.compile(
    r"no (?:search |web )?results(?: were)?(?: found)?(?: for .{0,300})?[.!]?", re.IGNORECASE
)
_DOUBT = re.compile(r"bot|captcha|block|rate|limit|try again|later|error|due to", re.IGNORECASE)


def results_of(result: dict[str, Any]) -> list[RawHit]:
    """The results of a tool's call. Raises `Unreadable` for a shape that is not known."""
    structured = result.get("structuredContent")
    if structured is not None and (found := _structured(structured, 0)) is not None:
        return found
    content = result.get("content")
    if not isinstance(content, list):
        raise Unreadable("the tool gave back no content")
    parts = [part for part in content if isinstance(part, dict)]
    links = [part for part in parts if part.get("type") == "resource_link"]
    if links:
        return [RawHit(p.get("title") or p.get("name"), p.get("uri"), p.get("description"))
                for p in links]  # fmt: skip
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return _of_texts(texts)


def _of_texts(texts: list[str]) -> list[RawHit]:
    """Each text may be one result or a list of them; all together may be one listing."""
    loaded = [_loaded(text) for text in texts]
    lists = [found for value in loaded if (found := _structured(value, 0)) is not None]
    if texts and len(lists) == len(texts):
        return [hit for found in lists for hit in found]
    objects = [_hit(value) for value in loaded if isinstance(value, dict)]
    if texts and len(objects) == len(texts) and all(hit.url for hit in objects):
        return objects
    whole = "\n\n".join(texts).strip()
    if _NOTHING.fullmatch(whole) and not _DOUBT.search(whole):
        return []
    found = _labelled(whole) or _linked(whole)
    if not found:
        raise Unreadable(f"what the tool gave back is not understood: {visible(whole, SHOWN)}")
    return found


def _loaded(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return load(text.encode("utf-8", "surrogatepass"))
    except Unreadable:
        return None


def _structured(value: Any, depth: int) -> list[RawHit] | None:
    """The results in a JSON value; none where it is not known to hold any."""
    if isinstance(value, list):
        hits = [_hit(item) for item in value]
        return hits if not hits or any(hit.url for hit in hits) else None
    if not isinstance(value, dict) or depth > 3 or value.get("error"):
        return None
    for name in _LISTS:
        if name in value:
            inner = value[name]
            if isinstance(inner, str):
                return _of_texts([inner]) if name == "result" else None
            return _structured(inner, depth + 1)
    return None


def _hit(item: Any) -> RawHit:
    if not isinstance(item, dict):
        return RawHit(None, None, None)
    return RawHit(_first(item, _TITLES), _first(item, _URLS), _first(item, _SNIPPETS))


def _first(item: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[n] for n in names if isinstance(item.get(n), str) and item[n]), None)


def _labelled(text: str) -> list[RawHit]:
    """Listings of `Title: …`, `URL: …`, `Description: …`, each beginning with the first label."""
    hits: list[dict[str, str]] = []
    first = last = None
    for line in text.splitlines():
        found = _LABEL.match(line)
        if found is None:
            if last and line.strip() and last == "snippet":
                hits[-1][last] += f" {line.strip()}"
            continue
        last = _AS_FIELD[found.group(1).lower()]
        first = first or last
        if last == first or not hits:
            hits.append({})
        hits[-1].setdefault(last, found.group(2).strip())
    return [
        RawHit(h.get("title"), h["url"].strip("<>"), h.get("snippet")) for h in hits if "url" in h
    ]


def _linked(text: str) -> list[RawHit]:
    """Listings of Markdown links, each with the lines below it."""
    hits: list[RawHit] = []
    for line in text.splitlines():
        found = _LINK.match(line)
        if found:
            hits.append(RawHit(found.group(1), found.group(2), found.group(3).strip(" -—:*")))
        elif hits and line.strip():
            hits[-1] = hits[-1]._replace(snippet=f"{hits[-1].snippet} {line.strip()}".strip())
    return hits
