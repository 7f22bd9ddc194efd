"""Every attempt on disk: chain, seal, header, what its events point to; and the states of runs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.design import DesignFacts
from draligned.verify.duty import Turn, turns_of
from draligned.verify.files import Files, quick
from draligned.verify.found import Part
from draligned.verify.ids import sha256_bytes
from draligned.verify.plan import Cell
from draligned.verify.runs import CHANNELS, GENESIS, KEPT, Episode, Log, episode, state_of
from draligned.verify.tags import observed

LOGS, SEALS, HEADERS, EVENTS = "logs (chains)", "seals", "headers", "events"
MAX_ATTEMPTS = 3
_ATTEMPT = re.compile(r"a([1-9][0-9]*)")
_FILES = re.compile(r"(header\.json|seal\.json|events\.jsonl)(\.torn-\d+)?")


@dataclass(frozen=True, kw_only=True)
class Run:
    """One planned run and what became of it; `seen` is there when it is done."""

    cell: Cell
    state: str
    attempt: int | None
    attempts: tuple[int, ...]
    outcome: str | None
    observes: dict[str, str]
    """Of channels a, w, f: full, partial or none."""
    seen: Episode | None
    rehearsal: bool = False
    turns: tuple[Turn, ...] | None = None
    """Where stage tags were asked for and the run has ended: its model turns."""
    n_tags: int | None = None
    """Tags taken out of what is seen."""

    @property
    def run_id(self) -> str:
        """Its id."""
        return self.cell.run_id

    @property
    def factors(self) -> tuple[tuple[str, str], ...]:
        """Assigned factors with their sides, the primary first."""
        return self.cell.assigned

    @property
    def names(self) -> tuple[str, str, str, str, str]:
        """Task, user, model, harness, environment."""
        told, block = self.cell.condition, self.cell.block
        return (told.task_id, told.user_id, block.model, block.harness, block.environment)


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    number: int
    log: Log
    header: dict[str, Any] | None
    end: dict[str, Any] | None
    """From the seal."""


def read_run(files: Files, cell: Cell, design: DesignFacts) -> Run:
    """Check all attempts of a planned run and say what it came to (Q7)."""
    folder = f"runs/{cell.run_id}"
    numbers = sorted(int(m[1]) for n in files.store.folders(folder) if (m := _ATTEMPT.fullmatch(n)))
    found = [_attempt(files, cell, number, design) for number in numbers]
    state, chosen = _analysed(found)
    seen = None
    if state == "done" and chosen is not None:
        seen = episode(chosen.log)
        _check_texts(files, f"{folder}/a{chosen.number}/events.jsonl", seen)
    turns, n_tags = None, None
    if cell.block.duty and chosen is not None and state != "open":
        turns = tuple(turns_of(files.store.get(f"{folder}/a{chosen.number}/events.jsonl") or b""))
        seen, n_tags = (None, None) if seen is None else _untagged(files, seen)
    said = (chosen.header or {}).get("observes", {}) if chosen and seen else {}
    return Run(
        cell=cell,
        state=state,
        attempt=chosen.number if chosen else None,
        attempts=tuple(numbers),
        outcome=chosen.end["outcome"] if chosen and chosen.end else None,
        observes={short: said.get(name) or "none" for short, name in CHANNELS.items()},
        seen=seen,
        rehearsal=any((a.header or {}).get("rehearsal") is True for a in found),
        turns=turns,
        n_tags=n_tags,
    )


def _untagged(files: Files, seen: Episode) -> tuple[Episode, int]:
    """What may be seen of a run whose agent was asked for tags. Lost texts were named before."""

    def text_of(sha256: str) -> str:
        return (files.blob(sha256) or b"").decode("utf-8")

    return observed(seen, text_of, lambda text: sha256_bytes(text.encode()))


def _analysed(attempts: list[_Attempt]) -> tuple[str, _Attempt | None]:
    """The first attempt with model output counts; an unsealed one is open."""
    for attempt in attempts:
        if attempt.end is None:
            return "open", attempt
        state = state_of(attempt.end)
        if state == "done" or attempt.log.has_output:
            return state, attempt
        if attempt.number >= MAX_ATTEMPTS:
            return "failed", attempt
    return "open", None


def _attempt(files: Files, cell: Cell, number: int, design: DesignFacts) -> _Attempt:
    prefix = f"runs/{cell.run_id}/a{number}"
    log = _read_log(files, f"{prefix}/events.jsonl", cell)
    header = _optional(files, f"{prefix}/header.json", HEADERS)
    seal = _optional(files, f"{prefix}/seal.json", SEALS)
    if header is not None:
        _check_header(files.found.part(HEADERS), f"{prefix}/header.json", header, cell, number,
                      design)  # fmt: skip
    elif seal is not None:
        files.found.part(HEADERS).wrong(f"{prefix}/header.json", "", "no file", "a header")
    part = files.found.part(SEALS)
    if seal is not None:
        _check_seal(part, f"{prefix}/seal.json", seal, log, (cell.run_id, number))
    elif log.end is not None:
        part.wrong(f"{prefix}/seal.json", "", "no file", "a seal: the log has ended")
    end = seal.get("end") if seal else None
    return _Attempt(number=number, log=log, header=header, end=end)


def _optional(files: Files, key: str, part: str) -> dict[str, Any] | None:
    data = files.store.get(key)
    return None if data is None else files.parsed(data, key, part)


def _check_header(
    part: Part, key: str, header: dict[str, Any], cell: Cell, number: int, design: DesignFacts
) -> None:
    block = cell.block
    own = {
        "run_id": cell.run_id,
        "attempt": number,
        "condition_id": cell.condition.condition_id,
        "model_name": block.model,
        "model_key": block.model_key,
        "harness_name": block.harness,
        "harness_key": block.harness_key,
        "environment": block.environment,
        "replicate": cell.replicate,
        "delegation_offered": block.offered,
    }
    part.each(key, ((name, header.get(name), value) for name, value in own.items()))
    if header.get("design_sha256") in design.hashes:
        part.right()
    else:
        part.wrong(key, "design_sha256", header.get("design_sha256"), "a hash in design.lock")


def _check_seal(
    part: Part, key: str, seal: dict[str, Any], log: Log, names: tuple[str, int]
) -> None:
    own = {
        "run_id": names[0],
        "attempt": names[1],
        "n_events": log.n_lines,
        "last_sha256": log.last_sha256,
        "end": log.end,
    }
    part.each(key, ((name, seal.get(name), value) for name, value in own.items()))


def _read_log(files: Files, key: str, cell: Cell) -> Log:
    """Read a log to its end whatever is wrong on the way; each broken link is named."""
    part, log = files.found.part(LOGS), Log()
    lines = (files.store.get(key) or b"").split(b"\n")
    if lines[-1]:
        part.wrong(key, f"line {len(lines)}", "a torn line", "a whole one")
    prev = GENESIS
    for number, line in enumerate(lines[:-1]):
        event = _event(part, key, number, line)
        if event is not None and event.get("prev") == prev and event.get("seq") == number:
            part.right()
        elif event is not None:
            said = f"seq {event.get('seq')} after {event.get('prev')}"
            part.wrong(key, f"line {number + 1}", said, f"seq {number} after {prev}")
        prev = sha256_bytes(line)
        if event is not None:
            with_body = event.get("body")
            if isinstance(with_body, dict):
                _take(files, key, log, number, with_body)
    log.n_lines, log.last_sha256 = len(lines) - 1, prev
    _check_events(files.found.part(EVENTS), key, log, cell)
    return log


def _event(part: Part, key: str, number: int, line: bytes) -> dict[str, Any] | None:
    try:
        event = quick(line)
    except ValueError as error:
        part.wrong(key, f"line {number + 1}", f"not JSON ({error})", "an event")
        return None
    if isinstance(event, dict):
        return event
    part.wrong(key, f"line {number + 1}", f"a {type(event).__name__}", "an event")
    return None


def _take(files: Files, key: str, log: Log, seq: int, body: dict[str, Any]) -> None:
    kind = body.get("kind")
    if log.end is not None:
        files.found.part(EVENTS).wrong(
            key, f"seq {seq}", f"a {kind} event", "nothing after the end"
        )
    if kind in KEPT:
        log.events.append((seq, body))
    log.has_output |= kind == "model_turn"
    log.delegations += kind == "delegation_opened"
    if kind == "opened":
        log.opened = body
    elif kind == "ended":
        log.end = body["end"]
    for sha256 in _pointers(body):
        if files.holds(sha256):
            files.found.part(EVENTS).right()
        else:
            files.found.part(EVENTS).wrong(
                key, f"seq {seq}, {kind}", f"blob {sha256[:16]}… absent or altered", "its bytes"
            )


def _pointers(body: dict[str, Any]) -> Iterator[str]:
    """Blobs that an event points to."""
    for name in ("text_sha256", "output_sha256"):
        if body.get(name):
            yield body[name]
    for file in body.get("saved", ()):
        yield file["text_sha256"]


def _check_events(part: Part, key: str, log: Log, cell: Cell) -> None:
    """Requests against the calls that asked for them, and the first messages."""
    calls = {b["sequence"]: b["message"]["tool_calls"] for _, b in log.events
             if b["kind"] == "model_turn"}  # fmt: skip
    numbers = []
    for seq, body in log.events:
        if body["kind"] == "request_executed":
            numbers.append(body["request_no"])
            called = _called(calls.get(body["sequence"], ()), body["call_index"])
            part.same(key, f"seq {seq}, request", (body["tool"], body["request"]), called)
    part.same(key, "request numbers", sorted(numbers), list(range(1, len(numbers) + 1)))
    if log.opened is not None and cell.block.plain:
        said = [(m["role"], m["text"]) for m in log.opened["messages"]]
        told = [("system", cell.condition.system), ("user", cell.condition.turns[0])]
        if cell.block.duty and said[0][1].startswith(f"{told[0][1]}\n\n"):
            said[0] = told[0]
        part.same(key, "seq 0, first messages", said, told)


def _called(calls: Any, index: int) -> tuple[str, str] | None:
    """Tool and request of a call, from its raw arguments."""
    if index >= len(calls):
        return None
    try:
        given = json.loads(calls[index]["arguments"])
    except ValueError:
        return None
    name = calls[index]["name"]
    wanted = given.get({"search": "query", "read": "url"}.get(name, "")) if given else None
    return (name, wanted) if isinstance(wanted, str) else None


def _check_texts(files: Files, key: str, seen: Episode) -> None:
    """Lengths of drafts and final; the end's final was delivered by an event."""
    part = files.found.part(EVENTS)
    wanted = seen.end.get("final_sha256")
    part.same(key, "final delivered", wanted, seen.final.sha256 if seen.final else None)
    for text in (*seen.drafts, *((seen.final,) if seen.final else ())):
        data = files.blob(text.sha256)
        if data is not None:
            part.same(key, f"seq {text.seq}, chars", text.chars, len(data.decode("utf-8")))


def strays(files: Files, planned: frozenset[str]) -> None:
    """Folders and files under runs/ that belong to no planned run."""
    part = files.found.part("inventory: runs")
    for name in files.store.folders("runs"):
        if name in planned:
            part.right()
        else:
            part.wrong(f"runs/{name}", "", "a folder", "no such run was planned")
    for key in files.store.list("runs"):
        parts = key.split("/")
        good = len(parts) == 4 and _ATTEMPT.fullmatch(parts[2]) and _FILES.fullmatch(parts[3])
        if not good:
            part.wrong(key, "", "a file", "no such file belongs to a run")
