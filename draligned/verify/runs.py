"""One attempt's log, read line by line, and what it shows of the run (DESIGN §4, §6)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

GENESIS = "0" * 64
FAILED = frozenset(
    ("provider_error", "bad_response", "rate_limited", "harness_error", "cancelled")
)  # fmt: skip
CHANNELS = {"a": "acquisition", "w": "workspace", "f": "finalization"}


@dataclass(frozen=True, slots=True)
class Request:
    """An executed request."""

    number: int
    seq: int
    tool: str
    text: str
    status: str
    parent: int | None


@dataclass(frozen=True, slots=True)
class Text:
    """A draft version, or the final (`version` none)."""

    version: int | None
    seq: int
    sha256: str
    chars: int


@dataclass(frozen=True, kw_only=True)
class Episode:
    """What a log shows."""

    requests: tuple[Request, ...]
    drafts: tuple[Text, ...]
    final: Text | None
    delegations: int
    end: dict[str, Any]


@dataclass
class Log:
    """The events of an attempt that matter here, gathered while the log is read once."""

    events: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    n_lines: int = 0
    last_sha256: str = GENESIS
    has_output: bool = False
    opened: dict[str, Any] | None = None
    delegations: int = 0
    end: dict[str, Any] | None = None


KEPT = frozenset(
    ("request_executed", "draft_saved", "code_run", "submitted", "text_reply", "model_turn")
)  # fmt: skip


def episode(log: Log) -> Episode:
    """The run as evaluators and measures may see it. `log.end` must be there."""
    end = log.end or {}
    return Episode(
        requests=tuple(_requests(log)),
        drafts=tuple(_drafts(log)),
        final=_final(log, end.get("final_sha256")),
        delegations=log.delegations,
        end=end,
    )


def _requests(log: Log) -> list[Request]:
    found = [
        Request(b["request_no"], seq, b["tool"], b["request"], b["return_status"], b.get("parent"))
        for seq, b in log.events
        if b["kind"] == "request_executed"
    ]
    return sorted(found, key=lambda r: r.number)


def _saves(log: Log) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Every saved content in order: seq, what was saved, and by which tool."""
    for seq, body in log.events:
        if body["kind"] == "draft_saved":
            yield seq, body, body.get("tool", "write_report")
        elif body["kind"] == "code_run":
            for file in body["saved"]:
                yield seq, file, "python"


def _drafts(log: Log) -> Iterator[Text]:
    """Contents of the document finally submitted, each that differs from the one before."""
    paths = [body.get("path") for _, body in log.events if body["kind"] == "submitted"]
    document = paths[-1] if paths else None
    last, version = None, 0
    for seq, saved, tool in _saves(log):
        mine = saved["path"] == document if document is not None else tool == "write_report"
        if mine and saved["text_sha256"] != last:
            last, version = saved["text_sha256"], version + 1
            yield Text(version, seq, last, saved["chars"])


def _final(log: Log, sha256: str | None) -> Text | None:
    """The event that delivered the final: the last submission, else the last reply, of its text."""
    if sha256 is None:
        return None
    for kind in ("submitted", "text_reply"):
        for seq, body in reversed(log.events):
            if body["kind"] == kind and body["text_sha256"] == sha256:
                return Text(None, seq, sha256, body["chars"])
    return None


def state_of(end: dict[str, Any] | None) -> str:
    """`open`, `done`, `failed` or `censored`."""
    if end is None:
        return "open"
    if end["outcome"] == "censored":
        return "censored"
    return "failed" if end["outcome"] in FAILED else "done"
