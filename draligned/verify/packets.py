"""Which packets there should be, and what each must have said (DR-46 … DR-61)."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.answers import cleaned
from draligned.verify.design import Card
from draligned.verify.ids import draw_of, id_of
from draligned.verify.logs import Run
from draligned.verify.runs import Request, Text

BATCH, CONTEXT = 10, 3
MASKING, MASK = "1", "[…]"
MAX_CHARS, MAX_BYTES = 120_000, 300_000
ROLES = ("first", "mirror", "retest")


@dataclass(frozen=True, slots=True)
class Unit:
    """What a packet stands for: requests of a run, or a text."""

    packet_id: str
    factor_id: str
    run: Run | None
    numbers: tuple[int, ...]
    text_sha256: str | None
    masked: bool = False
    """Whether the user's restatements are masked."""

    @property
    def kind(self) -> str:
        """`requests` or `document`."""
        return "document" if self.run is None else "requests"


def units_of(runs: Iterable[Run], mode: str) -> dict[str, Unit]:
    """Every packet of `runs`, by id; a text that occurs often is one."""
    found = (
        unit for run in runs for factor, _ in run.factors for unit in run_units(run, factor, mode)
    )
    return {unit.packet_id: unit for unit in found}


def run_units(run: Run, factor: str, mode: str) -> list[Unit]:
    """Packets of one run on one factor."""
    return [*_request_units(run, factor, mode), *text_units(run, factor)]


def texts_of(run: Run) -> Iterator[tuple[str, Text]]:
    """A run's drafts and its final, with their roles."""
    if run.seen:
        yield from (("draft", draft) for draft in run.seen.drafts)
        if run.seen.final:
            yield "final", run.seen.final


def _request_units(run: Run, factor: str, mode: str) -> Iterator[Unit]:
    numbers = [r.number for r in run.seen.requests] if run.seen else []
    step = BATCH if mode == "batch_prev3" else max(1, len(numbers))
    for batch, at in enumerate(range(0, len(numbers), step)):
        identity = id_of("requests", run.run_id, factor, mode, batch)
        yield Unit(identity, factor, run, tuple(numbers[at : at + step]), None)


def text_units(run: Run, factor: str) -> Iterator[Unit]:
    """One packet a distinct text."""
    for sha256 in {text.sha256: None for _, text in texts_of(run)}:
        yield Unit(id_of("document", sha256, factor), factor, None, (), sha256)


def masked_unit(sha256: str, factor: str) -> Unit:
    """A text to be read with restatements masked."""
    return Unit(id_of("masked", sha256, factor, MASKING), factor, None, (), sha256, masked=True)


def alpha_of(packet_id: str, seed: int, role: str) -> str:
    """The endpoint that stands in ALPHA, by hash; the mirrored read has the other one."""
    first_is_p = draw_of("first_alpha", seed, packet_id) < 0.5
    return "P" if first_is_p != (role == "mirror") else "Q"


def roles_asked(packet_id: str, seed: int, *, mirrored: bool, share: float) -> tuple[str, ...]:
    """The reads that a packet gets."""
    again = draw_of("retest", seed, packet_id) < share
    return ("first", *(["mirror"] if mirrored else []), *(["retest"] if again else []))


def too_large(text: str) -> bool:
    """Whether a document is not sent at all."""
    return len(text) > MAX_CHARS or len(text.encode()) > MAX_BYTES


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a packet asks: the requests to be labelled, all numbers shown, or the paragraphs."""

    requests: tuple[tuple[int, int, str], ...] = ()
    shown: frozenset[int] = frozenset()
    paragraphs: frozenset[int] = frozenset()


def asked_of(unit: Unit, shown_paragraphs: list[Any]) -> Asked:
    """What can be answered to a packet."""
    if unit.run is None:
        return Asked(paragraphs=frozenset(p["no"] for p in shown_paragraphs))
    rows = list(_request_rows(unit))
    return Asked(
        requests=tuple((no, r.number, r.text) for no, r, context in rows if not context),
        shown=frozenset(no for no, _, _ in rows),
    )


def _request_rows(unit: Unit) -> Iterator[tuple[int, Request, bool]]:
    """Number in the packet, request, and whether it is context only."""
    requests = unit.run.seen.requests if unit.run and unit.run.seen else ()
    wanted = set(unit.numbers)
    places = [no for no, r in enumerate(requests, start=1) if r.number in wanted]
    first = places[0] if places else 1
    for no, request in enumerate(requests, start=1):
        if request.number in wanted or first - CONTEXT <= no < first:
            yield no, request, request.number not in wanted


def body_of(unit: Unit, card: Card, alpha: str, paragraphs: list[Any]) -> dict[str, Any]:
    """The packet as an evaluator must have seen it: these fields, in this order, and no other."""
    beta = "Q" if alpha == "P" else "P"
    slots = {
        name: {"sentence": card.ends[side].sentence, "words": list(card.ends[side].words)}
        for name, side in (("alpha", alpha), ("beta", beta))
    }
    head = {"question": card.question, "guidance": card.guidance, **slots}
    if unit.run is None:
        return {"kind": "document", "factor": "F", **head, "paragraphs": paragraphs}
    rows = [
        {"no": no, "tool": r.tool, "request": r.text, "context_only": context}
        for no, r, context in _request_rows(unit)
    ]
    return {"kind": "requests", **head, "requests": rows}


def user_text(instruction: str, body: dict[str, Any]) -> str:
    """The user message of a packet."""
    return cleaned(f"{instruction}\n{json.dumps(body, ensure_ascii=False, indent=2)}")


def paragraph_fault(paragraphs: Any, text: str, *, masked: bool = False) -> str | None:
    """What is wrong with numbered paragraphs of a text; none if they give it back (DR-60), but for
    masked stretches."""
    if not isinstance(paragraphs, list):
        return "no list of paragraphs"
    if any(not isinstance(p, dict) or set(p) != {"no", "text"} for p in paragraphs):
        return "paragraphs with other fields than no and text"
    if [p["no"] for p in paragraphs] != list(range(1, len(paragraphs) + 1)):
        return "paragraphs numbered otherwise than 1, 2, …"
    said, own = cleaned("".join(p["text"] for p in paragraphs)), cleaned(text)
    if masked:
        return None if _unmasked(said, own) else "paragraphs changed where nothing is masked"
    return None if said == own else "paragraphs that do not give the text back"


def _unmasked(said: str, own: str) -> bool:
    """Whether what stands between masks stands in the text, in order and from end to end."""
    parts = said.split(MASK)
    if len(parts) < 2 or not (own.startswith(parts[0]) and own.endswith(parts[-1])):
        return False
    at, end = len(parts[0]), len(own) - len(parts[-1])
    for part in parts[1:-1]:
        at = own.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return at <= end
