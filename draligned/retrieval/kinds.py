"""What kind of document a body is: its first bytes decide, then its header (hard case 14)."""

from enum import StrEnum

from draligned.retrieval.charset import header_charset


class Kind(StrEnum):
    """What can be done with a body."""

    HTML = "html"
    TEXT = "text"
    EMPTY = "empty"
    PDF = "pdf"
    OTHER = "other"


_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<!--")
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def kind_of(body: bytes, content_type: str) -> Kind:
    """Kind of a body served with the header `content_type` (may be empty)."""
    start = body[:1024].removeprefix(_BOM).lstrip()
    if not start:
        return Kind.EMPTY
    if b"%PDF-" in start:
        return Kind.PDF
    if _is_binary(body[:1024], content_type):
        return Kind.OTHER
    if start.lower().startswith(_HTML_STARTS):
        return Kind.HTML
    return _declared(start, content_type)


def _is_binary(start: bytes, content_type: str) -> bool:
    wide = start.startswith(_WIDE_BOMS) or header_charset(content_type).lower().startswith("utf-16")
    return b"\x00" in start and not wide


def _declared(start: bytes, content_type: str) -> Kind:
    declared = content_type.partition(";")[0].strip().lower()
    if declared in _HTML_TYPES:
        return Kind.HTML
    if declared in _TEXT_TYPES:
        return Kind.TEXT
    if not declared:
        return Kind.HTML if start.startswith(b"<") else Kind.TEXT
    return Kind.OTHER
