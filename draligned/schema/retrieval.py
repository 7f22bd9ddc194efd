"""Answers of search and read; a failure is never an empty result."""

from enum import StrEnum
from typing import Literal

from draligned.schema.base import Record


class ReturnStatus(StrEnum):
    """What came back for an executed request."""

    OK = "ok"
    EMPTY = "empty"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    RATE_LIMITED = "rate_limited"
    BLOCKED = "blocked"
    TOO_LARGE = "too_large"
    TYPE_MISMATCH = "type_mismatch"
    NO_TEXT = "no_text"
    ERROR = "error"


class SearchHit(Record):
    """One search result."""

    title: str
    url: str
    snippet: str


class RetrievalAnswer(Record):
    """Answer to one request: `hits` for search, `text` for read."""

    tool: Literal["search", "read"]
    request: str
    """The query or address exactly as sent."""
    status: ReturnStatus
    hits: tuple[SearchHit, ...] = ()
    title: str = ""
    text: str = ""
    truncated: bool = False
    detail: str = ""
