"""What requests ask about: broad subproblems of their task's frozen list (DR-92, DR-93, Q13)."""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from draligned.verify.compare import Own
from draligned.verify.design import Card, DesignFacts
from draligned.verify.logs import Run
from draligned.verify.runs import Request
from draligned.verify.study import Study

_BETWEEN = frozenset("-_/+.?=&#")
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def asked_of(run: Run, design: DesignFacts) -> Iterator[tuple[Request, list[str]]]:
    """Requests of a run with what they ask about; none where the task has no list."""
    words = design.subproblems.get(run.names[0])
    if words is not None and run.seen is not None:
        silent = _silent(design, run.names[0])
        for request in run.seen.requests:
            yield request, subproblems_of(request.text, words, silent)


def _silent(design: DesignFacts, task: str) -> tuple[str, ...]:
    """Public words of the endpoints of a task, which count for nothing; the longest first."""
    return _words_of(tuple(c for c in design.cards.values() if c.task_id == task))


def _words_of(cards: Iterable[Card]) -> tuple[str, ...]:
    said = {w.casefold() for c in cards for e in c.ends.values() for w in (*e.words, e.value)}
    return tuple(sorted((w for w in said if w.strip()), key=lambda w: (-len(w), w)))


def subproblems_of(
    request: str, words: Mapping[str, tuple[str, ...]], silent: Iterable[str] = ()
) -> list[str]:
    """Keys of those whose words stand in a request once `silent` words are taken out."""
    text = content_of(request).casefold()
    for word in silent:
        text = text.replace(word, " ")
    return [key for key, own in words.items() if any(stands(w.casefold(), text) for w in own)]


def content_of(request: str) -> str:
    """A search as it is; of an address what follows the host, in words."""
    bare = request.strip()
    scheme, found, rest = bare.partition("://")
    lowered = scheme.lower()
    if not found or not lowered[:1].isalpha() or not set(lowered) <= _SCHEME:
        return bare
    at = min((i for i in map(rest.find, "/?#") if i >= 0), default=len(rest))
    said = unquote(rest[at:], errors="replace")
    return "".join(" " if c in _BETWEEN else c for c in said)


def stands(word: str, text: str) -> bool:
    """Whether a word stands in a text: a Latin end is the end of a word, or of its plural."""
    at = text.find(word)
    while at >= 0:
        if _is_whole(word, text, at, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def _is_whole(word: str, text: str, start: int, end: int) -> bool:
    if word[0] in _LATIN and start and text[start - 1] in _LATIN:
        return False
    if word[-1] not in _LATIN:
        return True
    plurals = (p for p in ("", "s", "es") if text.startswith(p, end))
    return any(text[end + len(p) : end + len(p) + 1] not in _LATIN for p in plurals)


def visits(study: Study) -> Own:
    """One row a request × subproblem, or one for a request of none."""
    columns = ("run_id", "request_no", "task_id", "user_id", "model", "harness", "environment",
               "subproblem", "status", "weight", "development")  # fmt: skip
    rows = [
        (run.run_id, request.number, *run.names, key, "assigned" if key else "unassigned",
         1 / len(found) if found else None, run.names[3] in study.development)
        for run in study.runs
        for request, found in asked_of(run, study.design)
        for key in found or (None,)
    ]  # fmt: skip
    return Own(name="visits", columns=columns, rows=rows, keys=("run_id", "request_no",
               "subproblem"))  # fmt: skip
