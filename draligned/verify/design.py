"""The frozen design as its bytes say it: hash, chain of locks, cards and conditions (DR-9)."""

from dataclasses import dataclass
from typing import Any

from draligned.verify.files import Files
from draligned.verify.found import Part
from draligned.verify.ids import hash_of, id_of

DESIGN = "design/design.json"
LOCK = "design/design.lock"
PART = "design and lock"
SIDES = ("P", "Q")
LATER = frozenset(("neutral", "subproblems"))
"""Fields that older designs lack; where they are empty they take no part in the hash."""


@dataclass(frozen=True, kw_only=True)
class Slot:
    """What an evaluator is told of one endpoint."""

    sentence: str
    words: tuple[str, ...]
    value: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """A factor, as far as packets and arms depend on it."""

    factor_id: str
    task_id: str
    lang: str
    kind: str
    question: str
    guidance: str
    ends: dict[str, Slot]


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What a run is told, and the factors that it assigns, the primary first."""

    condition_id: str
    task_id: str
    user_id: str
    assigned: tuple[tuple[str, str], ...]
    system: str
    turns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DesignFacts:
    """The design."""

    seed: int
    lang: str
    cards: dict[str, Card]
    conditions: tuple[Condition, ...]
    neutral: dict[str, Condition]
    """By factor: the condition in which nothing is told of it."""
    estimands: tuple[tuple[str, str], ...]
    """Name and population."""
    subproblems: dict[str, dict[str, tuple[str, ...]]]
    """By task, in the order of its list: public words by key."""
    sha256: str
    hashes: frozenset[str]
    """Of this design and of those that were locked before it."""


def read_design(files: Files) -> DesignFacts:
    """Read and check the design. Raises `Unreadable` where there is none."""
    part = files.found.part(PART)
    raw = files.record(DESIGN, PART)
    sha256 = hash_of({name: v for name, v in raw.items() if v or name not in LATER})
    hashes = _chain(files, part, sha256, raw)
    cards = {c.factor_id: c for c in map(_card, raw["cards"])}
    facts = DesignFacts(
        seed=raw["seed"],
        lang=raw["lang"],
        cards=cards,
        conditions=tuple(map(_condition, raw["conditions"])),
        neutral={n["factor_id"]: _condition(n["condition"]) for n in raw.get("neutral", ())},
        estimands=tuple((e["name"], e["population"]) for e in raw["estimands"]),
        subproblems={m["task_id"]: _listed(m) for m in raw.get("subproblems", ())},
        sha256=sha256,
        hashes=frozenset({sha256, *hashes}),
    )
    _check_arms(facts, part)
    return facts


def _chain(files: Files, part: Part, sha256: str, raw: dict[str, Any]) -> list[str]:
    """Hashes that were locked; a draft has none, and nothing to check it against."""
    entries = [
        files.parsed(line, LOCK, PART, f"line {n}")
        for n, line in enumerate(files.lines(LOCK), start=1)
    ]
    if not entries and files.store.folders("runs"):
        part.wrong(LOCK, "", "no lock", "the lock that was written before the first run")
    parent = None
    for number, entry in enumerate(entries, start=1):
        part.same(LOCK, f"line {number}, parent", entry.get("parent"), parent)
        parent = hash_of(entry)
    if entries:
        last = entries[-1]
        part.same(DESIGN, "sha256", sha256, last.get("design_sha256"))
        part.same(LOCK, "last line, n_tasks", last.get("n_tasks"), len(raw["tasks"]))
        part.same(LOCK, "last line, n_cards", last.get("n_cards"), len(raw["cards"]))
    return [str(entry.get("design_sha256")) for entry in entries]


def _card(raw: dict[str, Any]) -> Card:
    names = ("task_id", "user_id", "lang", "field_path")
    ends = {side: raw[side.lower()] for side in SIDES}
    sentences = [ends[side]["sentence"] for side in SIDES]
    return Card(
        factor_id=id_of(*(raw[n] for n in names), *sentences),
        task_id=raw["task_id"],
        lang=raw["lang"],
        kind=raw["kind"],
        question=raw["axis"]["question"],
        guidance=raw["axis"]["guidance"],
        ends={
            side: Slot(sentence=end["sentence"], words=tuple(end["words"]), value=end["value"])
            for side, end in ends.items()
        },
    )


def _listed(raw: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {s["key"]: tuple(s["words"]) for s in raw["subproblems"]}


def _condition(raw: dict[str, Any]) -> Condition:
    return Condition(
        condition_id=id_of(raw),
        task_id=raw["task_id"],
        user_id=raw["user_id"],
        assigned=tuple((a["factor_id"], a["side"]) for a in raw["assigned"]),
        system=raw["system"],
        turns=tuple(raw["turns"]),
    )


def _check_arms(facts: DesignFacts, part: Part) -> None:
    """A condition says the sentence of its side, and its twin becomes it by that one exchange."""
    known = {(c.assigned, c.task_id): c for c in facts.conditions}
    for condition in facts.conditions:
        where = f"condition {condition.condition_id}"
        for place, (factor, side) in enumerate(condition.assigned):
            card = facts.cards.get(factor)
            if card is None:
                part.wrong(DESIGN, where, f"factor {factor}", "a card of the design")
                continue
            twin = _twin(condition, place, known)
            if twin is not None and side == "P":
                swapped = _exchanged(condition.turns, card, side)
                part.same(DESIGN, f"{where}, turns of its twin", twin.turns, swapped)
            said = condition.turns[-1].count(card.ends[side].sentence) > 0
            part.same(DESIGN, f"{where} says its endpoint", said, True)
    for factor, neutral in facts.neutral.items():
        p = next((c for c in facts.conditions if c.assigned == ((factor, "P"),)), None)
        where = f"neutral condition {neutral.condition_id}"
        fault = _tells(neutral, p, facts.cards[factor]) if p else "no P condition"
        part.same(DESIGN, where, fault, None)


def _tells(neutral: Condition, p: Condition, card: Card) -> str | None:
    """What else than the slot differs from P, or which endpoint is told; none if it is neutral."""
    said, told = neutral.turns[-1], p.turns[-1]
    head, _, tail = told.rpartition(card.ends["P"].sentence)
    if neutral.assigned or (neutral.system, neutral.turns[:-1]) != (p.system, p.turns[:-1]):
        return "differs from P elsewhere"
    if not (said.startswith(head) and said.endswith(tail)):
        return "differs from P outside the slot"
    slot = said[len(head) : len(said) - len(tail)]
    return "tells an endpoint" if any(e.sentence in slot for e in card.ends.values()) else None


def _twin(
    condition: Condition, place: int, known: dict[tuple[Any, str], Condition]
) -> Condition | None:
    """The condition with the side of one factor exchanged, where it was built."""
    assigned = list(condition.assigned)
    factor, side = assigned[place]
    assigned[place] = (factor, "Q" if side == "P" else "P")
    return known.get((tuple(assigned), condition.task_id))


def _exchanged(turns: tuple[str, ...], card: Card, side: str) -> tuple[str, ...]:
    """The turns with the last occurrence of one sentence replaced by the other's."""
    own, other = card.ends[side].sentence, card.ends["Q" if side == "P" else "P"].sentence
    head, found, tail = turns[-1].rpartition(own)
    return (*turns[:-1], head + other + tail if found else turns[-1])
