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
    problem: str | None
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
    layer, problem, claim = _reading(reply, before)
    return Turn(
        sequence=call["sequence"], seq=seq,
        part=1 + sum(b["kind"] == "handed_over" for _, b, _ in bodies[:mark]),
        before=before, after=_stage(b for _, b, _ in bodies[:end]), layer=layer,
        problem=problem, claim=claim,
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


def _reading(reply: dict[str, Any] | None, before: int) -> tuple[str, str | None, int | None]:
    """Layer, what is wrong with the tag, and the stage it claims."""
    if reply is None:
        return "transport", None, None
    found = _read(reply["message"].get("text") or "")
    if isinstance(found, str):
        return ("omission" if found == "absent" else "malformed"), found, None
    return ("clean" if found == before else "wrong_value"), None, found


def _read(text: str) -> int | str:
    """The stage that the last line says, outside of blocks of code and alone of its kind, or why
    it says none."""
    if _n_tags(text) > 1:
        return "not_unique"
    lines = [line for line in re.split("\r\n|\r|\n", text) if line.strip()]
    marked = [n for n, line in enumerate(lines) if _n_tags(line)]
    if not marked:
        return "other_encoding" if any(map(_names_json, lines)) else "absent"
    in_json = [f'{{"{TAG}":"{stage}"}}' for stage in STAGES]
    if any(re.sub(r"[ \t\r\n]", "", line.strip()) in in_json for line in lines):
        return "not_unique"
    if any(_fenced(lines, n) for n in marked):
        return "in_fence"
    return "not_last" if marked[-1] + 1 < len(lines) else _value(lines[-1].strip())


def _value(line: str) -> int | str:
    opened, closed = f"<{TAG}>", f"</{TAG}>"
    value = line[len(opened) : -len(closed)]
    if line != opened + value + closed or "<" in value or ">" in value:
        return "bad_form"
    return STAGES.index(value) if value in STAGES else "unknown_value"


def _n_tags(text: str) -> int:
    folded = _fold(text)
    ways = (rf"<{slash}\s*{TAG}(?![a-z0-9_-])" for slash in ("", r"\s*/"))
    return max(len(re.findall(way, folded)) for way in ways)


def _names_json(line: str) -> bool:
    return bool(re.search(rf"[\"'“”‘’]\s*{TAG}\s*[\"'“”‘’]\s*:", _fold(line)))


def _fenced(lines: list[str], at: int) -> bool:
    """Whether a line stands in a block of code."""
    fence = ""
    for line in lines[:at]:
        found = re.match(" {0,3}(`{3,}|~{3,})(.*)$", line, re.DOTALL)
        if found and not fence:
            fence = "" if found[1][0] == "`" and "`" in found[2] else found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    opens = re.match(" {0,3}(`{3,}|~{3,})(.*)$", lines[at], re.DOTALL)
    return bool(fence or (opens and not (opens[1][0] == "`" and "`" in opens[2])))


def _fold(text: str) -> str:
    wide = unicodedata.normalize("NFKC", text)
    return "".join(c for c in wide if unicodedata.category(c) != "Cf").casefold()
