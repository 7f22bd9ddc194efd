"""The answer object in a raw reply: found as it stands or not at all, never repaired.

1. A reply cut by length, or empty, is unreadable.
2. A reply that is one strict JSON object is the answer.
3. Otherwise the reply is scanned once. Closed thinking blocks are skipped (a closing tag alone
   discards what stands before it); objects in prose or in closed code fences are candidates.
   One distinct candidate is the answer, two are ambiguous. A fence or a thinking block left
   open, or an object that does not parse strictly, makes the reply unreadable (DR-67).
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from draligned.schema.chat import ChatReply, StopReason
from draligned.schema.labels import VoidReason
from draligned.schema.strictjson import clean_text, loads

Answer = dict[str, Any]

_THINK = "(?:think|thinking|reasoning)"
_TOKEN = re.compile(
    rf"(?P<open><{_THINK}>)"
    rf"|(?P<close></{_THINK}>)"
    r"|(?P<fence>`{3,}|^[ \t]*~{3,}(?=[ \t]*(?:\w+[ \t]*)?$))(?P<info>[a-z]?)"
    r"|(?P<json>\{(?=\s*[\"}])|\[(?=\s*[\[{]))",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSE = re.compile(f"</{_THINK}>", re.IGNORECASE)
_EXTENT = json.JSONDecoder()


def reply_text(reply: ChatReply) -> str:
    """The reply's text as it is archived and parsed; reasoning is never part of it."""
    return clean_text(reply.message.text or "").text


def find_answer(reply: ChatReply) -> Answer | VoidReason:
    """The one answer object of a reply, or why there is none."""
    if reply.stop is StopReason.LENGTH:
        return VoidReason.LENGTH_CUT
    return answer_in(reply_text(reply))


def answer_in(text: str) -> Answer | VoidReason:
    """The one answer object in `text`, or why there is none. Never raises."""
    bare = text.strip().removeprefix("\ufeff").strip()
    if not bare:
        return VoidReason.EMPTY_REPLY
    try:
        whole = loads(bare)
    except ValueError:
        return _scan(bare)
    return whole if isinstance(whole, dict) else VoidReason.UNDECODABLE


@dataclass
class _Seen:
    """What the scan has met so far."""

    candidates: list[Answer] = field(default_factory=list)
    broken: bool = False
    fence: str | None = None


def _scan(text: str) -> Answer | VoidReason:
    seen, at = _Seen(), 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match["close"]:
            seen = _Seen()
        elif match["open"]:
            close = _CLOSE.search(text, at)
            seen.broken |= close is None
            at = close.end() if close else len(text)
        elif match["fence"]:
            _toggle(seen, match["fence"].strip()[0], bool(match["info"]))
        elif not seen.broken:
            at = _take(seen, text, match.start())
    return _verdict(seen)


def _toggle(seen: _Seen, mark: str, has_info: bool) -> None:
    """Open or close a fence; a fence with an info string never closes one."""
    if seen.fence is None:
        seen.fence = mark
    elif seen.fence == mark and not has_info:
        seen.fence = None


def _take(seen: _Seen, text: str, start: int) -> int:
    """Note the JSON value that begins at `start`; return where to go on."""
    try:
        end = _EXTENT.raw_decode(text, start)[1]
        value = loads(text[start:end])
    except (ValueError, RecursionError):
        seen.broken = True
        return start + 1
    if isinstance(value, dict):
        seen.candidates.append(value)
    return end


def _verdict(seen: _Seen) -> Answer | VoidReason:
    if seen.fence is not None:
        return VoidReason.FENCE_OPEN
    if seen.broken or not seen.candidates:
        return VoidReason.UNDECODABLE
    first, *others = seen.candidates
    if others and len({_canonical(c) for c in seen.candidates}) > 1:
        return VoidReason.AMBIGUOUS
    return first


def _canonical(candidate: Answer) -> str:
    """For comparison as text, because Python holds 1, 1.0 and true for equal."""
    return json.dumps(candidate, sort_keys=True)
