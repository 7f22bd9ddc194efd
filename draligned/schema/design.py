"""Tasks, factor cards, conditions and the frozen design (DR-1 … DR-14)."""

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from draligned.schema.base import Record, sha256_of, short_id
from draligned.schema.labels import CardOutcome, Problem, RunSet, Side

Lang = Literal["zh", "en"]


class TaskRecord(Record):
    """One task as published."""

    task_id: str
    domain: str
    lang: Lang
    text: str
    users: tuple[str, ...]
    """Users paired with the task, in file order; nothing is padded."""


class Detail(Record):
    """One leaf of a persona: where it stands and its verbatim text."""

    path: str
    """Keys joined by `/`, as published."""
    text: str


class Persona(Record):
    """A user's profile flattened in file order (Q1)."""

    user_id: str
    lang: Lang
    details: tuple[Detail, ...]


class Endpoint(Record):
    """One endpoint of a factor."""

    value: str
    """The short value, e.g. a city."""
    sentence: str
    """The sentence that stands in the endpoint slot."""
    words: tuple[str, ...]
    """Public words by which a reader recognises this endpoint."""


class Axis(Record):
    """What evaluators are told about a factor, never saying which side was recorded."""

    question: str
    """The open decision in neutral words."""
    guidance: str
    """What counts as specific to an endpoint, as BOTH, as NEITHER (DR-64)."""


class Removed(Record):
    """A detail taken out of both arms, and why (DR-8)."""

    path: str
    text: str
    reason: str


class Finding(Record):
    """One remark of a review pass."""

    reviewer: str
    problem: Problem | None
    verdict: Literal["ok", "fatal", "undecided"]
    reason: str


class FactorCard(Record):
    """One factor of one task and user: the unit of construction (DESIGN §5)."""

    task_id: str
    user_id: str
    lang: Lang
    domain: str
    kind: str
    """Kind of field, e.g. `residence`; a row of the relevance table names it."""
    field_path: str
    evidence_quote: str
    """Verbatim substring of the persona's text at `field_path`."""
    p: Endpoint
    q: Endpoint
    background: tuple[Detail, ...]
    removed_from_both: tuple[Removed, ...]
    decision: str
    order_p: tuple[str, ...]
    """Options of the decision, most suitable first, under P."""
    order_q: tuple[str, ...]
    axis: Axis
    source: Literal["rules", "chat", "hand"]
    outcome: CardOutcome
    findings: tuple[Finding, ...] = ()

    @property
    def factor_id(self) -> str:
        """Identity of the factor: task, user, field and both sentences."""
        return short_id(
            self.task_id, self.user_id, self.lang, self.field_path,
            self.p.sentence, self.q.sentence,
        )  # fmt: skip

    def endpoint(self, side: Side) -> Endpoint:
        """The endpoint on `side`."""
        return self.p if side is Side.P else self.q


class SetAside(Record):
    """A card that is not in the draft, kept with its task: a person may still accept it."""

    source: str
    """The source of the design it was drawn up for."""
    task: TaskRecord
    card: FactorCard


class Decision(Record):
    """One line of the construction record: a field considered, and why it was or wasn't used."""

    task_id: str
    user_id: str
    domain: str
    field_path: str
    kind: str | None
    outcome: CardOutcome
    reason: str


class Assigned(Record):
    """A factor and the side a condition puts it on."""

    factor_id: str
    side: Side


_SET_OF = (RunSet.NEUTRAL, RunSet.PANEL, RunSet.TWO_FACTOR)


class Condition(Record):
    """What one run is told: frozen turns that differ from its twin only in endpoint slots."""

    task_id: str
    user_id: str
    lang: Lang
    assigned: tuple[Assigned, ...]
    """First the primary factor; two in two-factor designs (DR-13)."""
    system: str
    turns: tuple[str, ...]

    @property
    def run_set(self) -> RunSet:
        """What its runs are for, as far as what is told says it."""
        return _SET_OF[len(self.assigned)]

    @property
    def condition_id(self) -> str:
        """Identity by content."""
        return short_id(self.model_dump(mode="json"))


class Neutral(Record):
    """The condition that tells nothing of a factor: its pair's message, the slot left empty."""

    factor_id: str
    condition: Condition
    """It assigns no factor."""


class Subproblem(Record):
    """One broad subproblem of a task, and the public words by which a request is about it."""

    key: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    words: tuple[str, ...] = Field(min_length=1)

    @field_validator("words")
    @classmethod
    def _not_blank(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if any(not w.strip() or w != w.strip() for w in words):
            raise ValueError("a word is blank, or has blanks at its ends")
        return words


class TaskMap(Record):
    """The broad subproblems of one task, written before any request is seen (Q13)."""

    task_id: str
    subproblems: tuple[Subproblem, ...] = Field(min_length=2, max_length=12)

    @field_validator("subproblems")
    @classmethod
    def _once(cls, found: tuple[Subproblem, ...]) -> tuple[Subproblem, ...]:
        keys = [s.key for s in found]
        if len(set(keys)) < len(keys):
            raise ValueError("two subproblems have the same key")
        return found


class Estimand(Record):
    """A named estimand; those in the lock are primary."""

    name: str
    channel: Literal["A", "F"]
    population: Literal["readable", "planned"]


class Design(Record):
    """All that is frozen before any rollout (DR-9)."""

    lang: Lang
    seed: int
    source: str
    """Where tasks and personas came from, with file hashes; never a machine's path."""
    tasks: tuple[TaskRecord, ...]
    cards: tuple[FactorCard, ...]
    conditions: tuple[Condition, ...]
    estimands: tuple[Estimand, ...]
    notes: dict[str, Any] = {}
    """Settings of construction: selection, field order, constructor protocol."""
    neutral: tuple[Neutral, ...] = ()
    """Conditions of the neutral arm; none in designs from before there was one."""
    subproblems: tuple[TaskMap, ...] = ()
    """Maps of tasks to broad subproblems; a task without one has no agenda (DR-92)."""

    def sha256(self) -> str:
        """Hash of the canonical form; designs from before neutral arms and maps keep theirs."""
        unused = {name for name in ("neutral", "subproblems") if not getattr(self, name)}
        return sha256_of(self.model_dump(mode="json", exclude=unused))

    @model_validator(mode="after")
    def _once(self) -> Self:
        if fault := self.repeated():
            raise ValueError(fault)
        return self

    def repeated(self) -> str | None:
        """What stands in the design twice and would be measured twice, or none."""
        seen: set[str] = set()
        for card in self.cards:
            if card.factor_id in seen:
                return f"factor {card.factor_id} (task {card.task_id}) stands on two cards"
            seen.add(card.factor_id)
        told = self.every_condition
        if len(set(told)) < len(told):
            return "two conditions are the same"
        mapped = [m.task_id for m in self.subproblems]
        if len(set(mapped)) < len(mapped):
            return "a task has two lists of subproblems"
        return None

    @property
    def every_condition(self) -> tuple[Condition, ...]:
        """Conditions of the pairs, then those of the neutral arm."""
        return (*self.conditions, *(n.condition for n in self.neutral))

    @property
    def second_cards(self) -> tuple[FactorCard, ...]:
        """Cards whose factor is only told beside another one (DR-13)."""
        first = {c.assigned[0].factor_id for c in self.conditions}
        second = {a.factor_id for c in self.conditions for a in c.assigned[1:]}
        return tuple(c for c in self.cards if c.factor_id in second - first)

    def card(self, factor_id: str) -> FactorCard:
        """The card of a factor. Raises `KeyError`."""
        return {c.factor_id: c for c in self.cards}[factor_id]


class LockEntry(Record):
    """One freeze or amendment; entries form a chain."""

    kind: Literal["freeze", "amend"]
    design_sha256: str
    n_tasks: int
    n_cards: int
    parent: str | None
    """Hash of the entry before."""
    locked_utc: str
    version: str
