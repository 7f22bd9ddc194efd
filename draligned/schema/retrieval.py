"""Answers of search and read; a failure is never an empty result."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import field_validator

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
    PDF_ENCRYPTED = "pdf_encrypted"
    PDF_NO_TEXT = "pdf_no_text"
    DECODE_SUSPECT = "decode_suspect"
    ROBOTS = "robots_disallowed"
    ADDRESS = "address_refused"
    BENCHMARK = "benchmark_blocked"
    ERROR = "error"


TRANSIENT = frozenset({ReturnStatus.RATE_LIMITED, ReturnStatus.BLOCKED, ReturnStatus.ERROR})
"""Statuses that say that the network failed: retried, not charged, and never recorded as what an
environment answers (HARD_CASES 16)."""


class Flag(StrEnum):
    """What was noticed about an answer."""

    FORGED_FENCE = "forged_fence"
    INSTRUCTION = "suspicious_instruction"
    BENCHMARK = "benchmark_page"


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
    final_url: str | None = None
    """Where redirects led; none where they led nowhere else."""
    raw_sha256: str | None = None
    """Of the bytes as received, after content decoding; they are kept beside the text."""
    charset: str | None = None
    flags: tuple[Flag, ...] = ()
    """What was noticed in the page; it changes nothing about how the page is shown."""


class RecordedAnswer(Record):
    """One answer of an environment as it was first recorded (DESIGN §6)."""

    key: str
    """The request that it answers, in its canonical form."""
    source: str
    """Identity of where it came from."""
    fetched_utc: str
    first_fetcher: str
    """The run whose request was recorded."""
    answer: RetrievalAnswer
    text_sha256: str | None = None
    """The blob that holds a long text, which is then empty in `answer`."""

    @field_validator("fetched_utc")
    @classmethod
    def _is_a_time(cls, value: str) -> str:
        """Ages are told from it, so it is a time with its offset."""
        if datetime.fromisoformat(value).tzinfo is None:
            raise ValueError("a time without its offset")
        return value
