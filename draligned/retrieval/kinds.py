"""What kind of document a body is: its first bytes decide, then its header (hard case 14)."""

import re
from enum import StrEnum

from draligned.retrieval.body import PDF_MAGIC
from draligned.retrieval.charset import header_charset


class Kind(StrEnum):
    """What can be done with a body."""

    HTML = "html"
    TEXT = "text"
    EMPTY = "empty"
    PDF = "pdf"
    OTHER = "other"


_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<!--")
_PROLOGUE = re.compile(rb"\A\s*(?:<\?xml[^>]{0,200}>\s*|<!--.{0,600}?-->\s*)+", re.DOTALL)
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-ndjson"}
    | {"application/ld+json", "application/rss+xml", "application/atom+xml"}
)
_PDF_INSIDE = re.compile(rb"%PDF-\d")
_PDF_OBJECT = re.compile(rb"\d \d+ obj\b")
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
_BINARY = (
    *(b"\x89PNG", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04", b"PK\x05\x06", b"Rar!\x1a"),
    *(b"7z\xbc\xaf", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"OggS", b"ID3"),
    *(b"RIFF", b"\xd0\xcf\x11\xe0", b"wOFF", b"wOF2", b"\x7fELF", b"{\\rtf"),
)
"""Beginnings of pictures, archives, sounds, fonts, programs and old office files."""
_TAG = re.compile(rb"<[A-Za-z!/?\x00]")
_TAG_WITHIN = 65_536
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(body: bytes, content_type: str) -> Kind:
    """Kind of a body served with the header `content_type` (may be empty)."""
    declared = content_type.partition(";")[0].strip().lower()
    start = body[:1024].removeprefix(_BOM).lstrip()
    if not start:
        return Kind.EMPTY
    if start.startswith(PDF_MAGIC):
        return Kind.PDF
    if _PROLOGUE.sub(b"", start).lower().startswith(_HTML_STARTS):
        return Kind.HTML
    if _PDF_INSIDE.search(start) and _PDF_OBJECT.search(body):
        return Kind.PDF
    if _is_binary(body[:1024], content_type, declared):
        return Kind.OTHER
    return _declared(body, start, declared)


def _is_binary(start: bytes, content_type: str, declared: str) -> bool:
    if start.startswith(_WIDE_BOMS) or header_charset(content_type).lower().startswith("utf-16"):
        return False
    if start.startswith(_BINARY) or b"\x00" in start:
        return True
    return declared not in _HTML_TYPES and _CONTROLS.search(start) is not None


def _declared(body: bytes, start: bytes, declared: str) -> Kind:
    if declared in _HTML_TYPES:
        return Kind.HTML if _TAG.search(body, 0, _TAG_WITHIN) else Kind.TEXT
    if declared.startswith("text/") or declared in _TEXT_TYPES:
        return Kind.TEXT
    if not declared:
        return Kind.HTML if start.startswith(b"<") else Kind.TEXT
    return Kind.OTHER
