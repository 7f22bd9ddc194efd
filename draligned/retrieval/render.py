"""What an agent is shown of an answer: one status line, then foreign text inside a fence."""

import re
from typing import NamedTuple

from draligned.schema.base import short_id
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus

_SAID = {
    ReturnStatus.OK: "done",
    ReturnStatus.EMPTY: "no results",
    ReturnStatus.NOT_FOUND: "there is no such page",
    ReturnStatus.REFUSED: "the request was refused",
    ReturnStatus.RATE_LIMITED: "too many requests",
    ReturnStatus.BLOCKED: "access is blocked",
    ReturnStatus.TOO_LARGE: "the page is too large",
    ReturnStatus.TYPE_MISMATCH: "this is no readable page",
    ReturnStatus.NO_TEXT: "no text could be read",
    ReturnStatus.PDF_ENCRYPTED: "the PDF is encrypted",
    ReturnStatus.PDF_NO_TEXT: "the PDF holds no text",
    ReturnStatus.DECODE_SUSPECT: "the page cannot be decoded reliably",
    ReturnStatus.ROBOTS: "robots.txt does not allow it",
    ReturnStatus.ADDRESS: "the address may not be opened",
    ReturnStatus.BENCHMARK: "the page may not be opened",
    ReturnStatus.ERROR: "the request failed",
}
_ROLES = (
    "page|results|document|system|user|assistant|developer|tool|function|human|instructions?"
    r"|tool_calls?|tool_results?|tool_response|function_calls?|function_results?"
)
_FORGED = re.compile(
    rf"[<＜]{{3,}}|[>＞]{{3,}}|[<＜](?=[\s\u200c\u200d]*(?:[/／]\s*)?(?:{_ROLES})\b)"
    r"|[<＜](?=[|｜])|(?<=[|｜])[>＞]",
    re.IGNORECASE,
)
_HARMLESS = str.maketrans({"<": "‹", "＜": "‹", ">": "›", "＞": "›"})
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)


class Neutralised(NamedTuple):
    """Foreign text in which nothing looks like a fence or a role, and how much was changed."""

    text: str
    forged: int


def nonce_of(run_seed: str, request_no: int) -> str:
    """The fence's mark for a run's request: the same in every replay, unknown to any page."""
    return short_id("fence", run_seed, request_no)[:12]


def neutralise(text: str) -> Neutralised:
    """Turn brackets of forged fences and role tags into look-alikes and drop hidden characters.

    Everything else, code and comparisons included, stays as it is.
    """
    visible = _INVISIBLE.sub("", text)
    if not _has_brackets(visible):
        return Neutralised(visible, 0)
    changed, forged = _FORGED.subn(lambda found: found.group().translate(_HARMLESS), visible)
    return Neutralised(changed, forged)


def forged(text: str) -> bool:
    """Whether something in `text` looks like a fence or a role."""
    return _has_brackets(text) and neutralise(text).forged > 0


def _has_brackets(text: str) -> bool:
    return any(bracket in text for bracket in "<＜>＞")


def render(answer: RetrievalAnswer, nonce: str) -> str:
    """Text of the tool result for `answer`, fenced with `nonce` (see `nonce_of`)."""
    body = _results(answer) if answer.tool == "search" else _page(answer)
    head = _head(answer)
    if not body:
        return head
    safe = neutralise(body).text.replace(nonce, "·")
    return f"{head}\n<<<{answer.tool} {nonce}\n{safe}\n{nonce} {answer.tool}>>>"


def _head(answer: RetrievalAnswer) -> str:
    parts = [f"[{answer.status}] {_SAID[answer.status]}"]
    if answer.detail:
        parts.append(_one_line(neutralise(answer.detail).text)[:200])
    if answer.truncated:
        parts.append("only the beginning is shown")
    return "; ".join(parts)


def _results(answer: RetrievalAnswer) -> str:
    return "\n".join(
        f"{number}. {_one_line(hit.title)}\n   {_one_line(hit.url)}\n   {_one_line(hit.snippet)}"
        for number, hit in enumerate(answer.hits, 1)
    )


def _page(answer: RetrievalAnswer) -> str:
    title = _one_line(answer.title)
    first_line = answer.text.partition("\n")[0].lstrip("# ")
    if not answer.text or not title or first_line == title:
        return answer.text
    return f"{title}\n\n{answer.text}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
