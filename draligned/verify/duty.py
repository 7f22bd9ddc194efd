"""Stage tags of a run against its own log, made anew from the lines of the log."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.files import quick
from draligned.verify.tags import STAGES, TAG

LAYERS = ("transport", "omission", "malformed", "wrong_value", "clean")


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One model call outside of delegations."""

    sequence: int
    seq: int
    part: int
    before: int
    """Place of the true stage among `STAGES`, before the call; `after` it, with its tool calls."""
    after: int
    layer: str
    claim: int | None
    n_calls: int | None
    stop: str | None

    @property
    def said(self) -> str:
        """The claim, or what stands for it."""
        if self.claim is not None:
            return STAGES[self.claim]
        return {"transport": "no_reply", "omission": "no_tag"}.get(self.layer, "unreadable")

    @property
    def lag(self) -> str | None:
        """The claim beside the log."""
        if self.claim is None:
            return None
        return ("behind", "same", "ahead")[
            (self.claim > self.before) - (self.claim < self.before) + 1
        ]

    @property
    def early(self) -> bool:
        """Whether its own calls made an early claim true."""
        return self.lag == "ahead" and self.claim == self.after


def turns_of(log: bytes) -> list[Turn]:
    """All turns in a log; lines that are no events were named before."""
    bodies = list(_bodies(log))
    marks = [n for n, (_, b, inside) in enumerate(bodies)
             if b["kind"] == "call_started" and not inside]  # fmt: skip
    ends = [*marks[1:], len(bodies)]
    return [_turn(bodies, mark, end) for mark, end in zip(marks, ends, strict=True)]


_Line = tuple[int, dict[str, Any], bool]


def _bodies(log: bytes) -> Iterator[_Line]:
    """Seq, body, and whether a delegation was open before it."""
    inside = False
    for seq, line in enumerate(log.split(b"\n")[:-1]):
        try:
            body = quick(line)["body"]
        except (ValueError, KeyError, TypeError):
            continue
        yield seq, body, inside
        inside = body["kind"] == "delegation_opened" or (
            inside and body["kind"] != "delegation_closed"
        )


def _turn(bodies: list[_Line], mark: int, end: int) -> Turn:
    seq, call, _ = bodies[mark]
    own = [b for _, b, inside in bodies[mark:end] if b["kind"] == "model_turn" and not inside]
    reply = own[-1] if own else None
    before = _stage(b for _, b, _ in bodies[:mark])
    layer, claim = _reading(reply, before)
    return Turn(
        sequence=call["sequence"], seq=seq,
        part=1 + sum(b["kind"] == "handed_over" for _, b, _ in bodies[:mark]),
        before=before, after=_stage(b for _, b, _ in bodies[:end]), layer=layer, claim=claim,
        n_calls=len(reply["message"]["tool_calls"]) if reply else None,
        stop=reply["stop"] if reply else None,
    )  # fmt: skip


def _stage(bodies: Iterable[dict[str, Any]]) -> int:
    kinds = set()
    for body in bodies:
        kind = body["kind"]
        if kind == "code_run":
            kind = "draft_saved" if body["saved"] else kind
        elif kind == "request_executed" and body["return_status"] != "ok":
            kind = "nothing"
        kinds.add(kind)
    place = {"request_executed": 1, "draft_saved": 2, "submitted": 3}
    return max((place.get(kind, 0) for kind in kinds), default=0)


def _reading(reply: dict[str, Any] | None, before: int) -> tuple[str, int | None]:
    if reply is None:
        return "transport", None
    text = reply["message"].get("text") or ""
    folded = _fold(text)
    tags = [len(re.findall(rf"<{slash}\s*{TAG}(?![a-z0-9_-])", folded)) for slash in ("", r"\s*/")]
    as_json = re.search(rf"[\"'“”‘’]\s*{TAG}\s*[\"'“”‘’]\s*:", folded)
    if not any(tags):
        return ("malformed" if as_json else "omission"), None
    claim = None if max(tags) > 1 else _last(text)
    if claim is None:
        return "malformed", None
    return ("clean" if claim == before else "wrong_value"), claim


def _last(text: str) -> int | None:
    """The stage that the last line says, outside of blocks of code and alone of its kind."""
    lines = [line for line in re.split("\r\n|\r|\n", text) if line.strip()]
    said = {f"<{TAG}>{stage}</{TAG}>": place for place, stage in enumerate(STAGES)}
    in_json = [f'{{"{TAG}":"{stage}"}}' for stage in STAGES]
    if any(re.sub(r"\s", "", line) in in_json for line in lines) or _fenced(lines):
        return None
    return said.get(lines[-1].strip())


def _fenced(lines: list[str]) -> bool:
    """Whether the last line stands in a block of code."""
    fence = ""
    for line in lines[:-1]:
        found = re.match(" {0,3}(`{3,}|~{3,})(.*)$", line, re.DOTALL)
        if found and not fence:
            fence = "" if found[1][0] == "`" and "`" in found[2] else found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return bool(fence)


def _fold(text: str) -> str:
    wide = unicodedata.normalize("NFKC", text)
    return "".join(c for c in wide if unicodedata.category(c) != "Cf").casefold()
