"""What a reply means, as far as all providers agree (HARD_CASES 5, 6, 16)."""

import json
import re
from datetime import datetime
from typing import Any

from draligned.models.waits import told_wait
from draligned.retrieval.search.call import Reply, Unanswered
from draligned.retrieval.search.outcome import Fault, Outcome, Unreadable
from draligned.schema.retrieval import ReturnStatus
from draligned.schema.strictjson import visible

SHOWN = 200
_ANSWERS = (200, 201, 203)
_RATE = re.compile(r"rate.?limit|too many requests|throttl|\b429\b", re.IGNORECASE)
_CREDIT = re.compile(
    r"(not enough|insufficient|no more|out of|no) (credit|balance|quota)|no_more_credits"
    r"|(credit|quota|usage|plan)s?\W+(\w+\W+){0,4}(exceeded|exhausted|used up)"
    r"|exceeds? your plan",
    re.IGNORECASE,
)


def unanswered(said: Unanswered) -> Outcome:
    """The outcome of a call that brought no whole response."""
    return Outcome(
        ReturnStatus.ERROR, detail=said.detail, http_status=said.code, timed_out=said.timed_out
    )


def refusal(reply: Reply, settings: frozenset[str], now: datetime) -> Outcome | None:
    """The outcome of a reply without results; none for one that should hold some.

    `settings` are the names of what every search sends: a refusal that names one of them, and
    not the query, is the settings' fault.
    """
    code = reply.code
    if code in _ANSWERS:
        return _page(reply) if reply.is_html or not reply.body.strip() else None
    said = error_text(reply.body)
    out = _by_code(reply, said, settings)
    wait = told_wait(reply.headers, now) if out.status is not ReturnStatus.REFUSED else None
    return out._replace(detail=f"HTTP {code}: {said}", http_status=code, told_wait=wait)


def _page(reply: Reply) -> Outcome:
    if not reply.body.strip():
        return Outcome(ReturnStatus.ERROR, detail="an empty body", http_status=reply.code)
    return Outcome(
        ReturnStatus.BLOCKED, detail="a web page came instead of results", http_status=reply.code
    )


def _by_code(reply: Reply, said: str, settings: frozenset[str]) -> Outcome:
    code = reply.code
    if code == 402 or (code in (400, 403, 429) and _CREDIT.search(said)):
        return Outcome(ReturnStatus.ERROR, fault=Fault.CREDIT)
    if code == 429:
        return Outcome(ReturnStatus.RATE_LIMITED)
    if code == 202 or (reply.is_html and code in (401, 403, 503) and _challenges(reply)):
        return Outcome(ReturnStatus.BLOCKED)
    if code in (401, 403):
        return Outcome(ReturnStatus.ERROR, fault=Fault.KEY)
    if 300 <= code < 400:
        return Outcome(ReturnStatus.BLOCKED, fault=Fault.SETTINGS)
    if code in (404, 405, 410):
        return Outcome(ReturnStatus.ERROR, fault=Fault.SETTINGS)
    if code in (400, 413, 414, 422):
        return _bad_request(said, settings)
    return Outcome(ReturnStatus.ERROR)


def _challenges(reply: Reply) -> bool:
    """Whether a page asks for a human, or is a gateway's refusal, rather than the provider's."""
    text = reply.body[:20_000].lower()
    marks = (b"captcha", b"challenge", b"cloudflare", b"are you human", b"unusual traffic")
    return any(mark in text for mark in marks)


def _bad_request(said: str, settings: frozenset[str]) -> Outcome:
    words = {word.lower() for word in re.findall(r"\w+", said)}
    named = {name.lower() for name in settings} & words
    if named and not words & {"q", "query"}:
        return Outcome(ReturnStatus.ERROR, fault=Fault.SETTINGS)
    return Outcome(ReturnStatus.REFUSED)


def load(body: bytes) -> Any:
    """The JSON value of a reply; NaN is null. Raises `Unreadable` for anything else.

    Of a key that stands twice with two values, neither can be taken.
    """
    try:
        return json.loads(body, parse_constant=lambda _: None, object_pairs_hook=_one_of_each)
    except (ValueError, RecursionError):
        raise Unreadable(f"the answer is not JSON: {_shown(body)}") from None


def _one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs) and any(out[key] != value for key, value in pairs):
        raise ValueError("a key stands twice")
    return out


def unreadable(error: Unreadable, body: bytes, code: int) -> Outcome:
    """The outcome of a 2xx without a list of results; it may say itself what went wrong."""
    said = told_error(body)
    if said is None:
        return Outcome(ReturnStatus.ERROR, detail=str(error), http_status=code)
    detail = f"{error}: {said}"
    if _CREDIT.search(said):
        return Outcome(ReturnStatus.ERROR, detail=detail, http_status=code, fault=Fault.CREDIT)
    status = ReturnStatus.RATE_LIMITED if _RATE.search(said) else ReturnStatus.ERROR
    return Outcome(status, detail=detail, http_status=code)


def is_rate_limit(text: str) -> bool:
    """Whether a text says that too much was asked."""
    return bool(_RATE.search(text))


def told_error(body: bytes) -> str | None:
    """What an error object says, on one safe line; none where the body is no such object."""
    try:
        payload = load(body)
    except Unreadable:
        return None
    found = _message(payload, 0)
    return None if found is None else visible(found, SHOWN)


def error_text(body: bytes) -> str:
    """What a refusal says, or its first characters, on one safe line."""
    return told_error(body) or _shown(body) or "(empty body)"


def _message(payload: Any, depth: int) -> str | None:
    """All that is said under the names that providers use, codes and places included."""
    if isinstance(payload, str):
        return payload
    if isinstance(payload, list):
        payload = payload[0] if payload else None
    if not isinstance(payload, dict) or depth > 4:
        return None
    parts = [
        _message(payload[name], depth + 1)
        for name in ("tag", "code", "error", "errors", "detail", "message", "msg", "meta")
        if name in payload
    ]
    if isinstance(where := payload.get("loc"), list):
        parts.append(".".join(str(part) for part in where))
    return ": ".join(part for part in parts if part) or None


def _shown(body: bytes) -> str:
    return visible(" ".join(body[:1200].decode("utf-8", "replace").split()), SHOWN)
