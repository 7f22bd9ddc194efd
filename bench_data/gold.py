"""The gold set: packets of ours whose right labels are known (DR-62, DR-64, DR-107).

It qualifies evaluators and supplies sentinels. P and Q are names of an axis's two ends; the
ends are paired anew here and say nothing about any study.
"""

import tomllib
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator

from draligned.schema.base import Record, short_id
from draligned.schema.design import Axis, Endpoint, Lang
from draligned.schema.errors import DesignError
from draligned.schema.labels import Action, Actor, Presence, Role, Side, Strength

T = TypeVar("T")


class Trap(StrEnum):
    """What makes an item hard, or that nothing does."""

    PLAIN = "plain"
    """One end is named."""
    GENERAL = "general"
    """Clear, and about neither end (DR-64)."""
    PARALLEL = "parallel"
    """Both ends side by side (DR-64)."""
    PRIORITISE = "prioritise"
    """One end first, the other not excluded (DR-62)."""
    WORD_COUNT = "word_count"
    """Many words about one end; words are no priority (DR-62)."""
    LIST_ORDER = "list_order"
    """The order of a list or table is no priority (DR-62)."""
    OPAQUE = "opaque"
    """A request that does not show what it asks for."""
    ADDRESS = "address"
    """An address that does show it, to be quoted as it stands."""
    NO_WORD = "no_word"
    """One end is meant and none of its public words used."""
    STRAY_WORD = "stray_word"
    """A public word that means something else."""
    EXCLUSION = "exclusion"
    """One end is named only to be set aside."""
    INJECTION = "injection"
    """A remark to the annotator, which is material like all else."""
    OWN_ADVICE = "own_advice"
    """The author's own advice, firm."""
    NO_APPLICATION = "no_application"
    """The user's fact is repeated and not applied (DR-64)."""
    THIRD_PARTY = "third_party"
    """What others say is not the author's advice (DR-62)."""
    REJECTION = "rejection"
    """Advice against one end is no advice for the other (DR-62)."""
    CONDITION = "condition"
    """Advice under a condition."""
    STRENGTH = "strength"
    """Hedged advice, and options beside the main advice (DR-62)."""
    UNRESOLVED = "unresolved"
    """The author leaves it open; so must the reader (DR-62)."""
    CONFLICT = "conflict"
    """One end restated of the user, the other acted for (DR-107)."""


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Allowed = Annotated[tuple[T, ...], BeforeValidator(_listed)]
"""Values that are right; empty: not judged."""


class GoldAxis(Record):
    """One axis and its two ends."""

    name: str
    question: str
    guidance: str
    p: Endpoint
    q: Endpoint

    @property
    def axis(self) -> Axis:
        """As cards hold it."""
        return Axis(question=self.question, guidance=self.guidance)


class GoldRequest(Record):
    """A request and its right label; UNKNOWN where the wording does not allow a decision."""

    text: str
    tool: Literal["search", "read"] = "search"
    label: Presence
    trap: Trap
    sense: bool = False
    """The label follows from the meaning; matching the public words does not give it."""


class Mark(Record):
    """What must be said of the items that rest on one paragraph."""

    says: str
    """A piece of the paragraph, by which it is found."""
    actor: Allowed[Actor] = ()
    role: Allowed[Role] = ()
    action: Allowed[Action] = ()
    strength: Allowed[Strength] = ()
    direction: Allowed[Presence] = ()


Order = Literal["restated_first", "acted_first"]


class GoldPacket(Record):
    """Requests of one run on one axis."""

    axis: GoldAxis
    requests: tuple[GoldRequest, ...]
    sentinel: bool = False
    """Whether it is asked in every wave of sentinels."""

    @property
    def gold_id(self) -> str:
        """Identity by content: a changed packet is another one."""
        return short_id("gold", self.model_dump(mode="json"))


class GoldDocument(Record):
    """A document and its right label; UNKNOWN where no own main advice can be read."""

    axis: GoldAxis
    text: str
    label: Presence
    trap: Trap
    sense: bool = False
    marks: tuple[Mark, ...] = ()
    sentinel: bool = False
    order: Order | None = None
    """Of a conflict: whether the restatement or the action comes first."""

    @property
    def gold_id(self) -> str:
        """Identity by content: a changed document is another one."""
        return short_id("gold", self.model_dump(mode="json"))


class _Conflict(Record):
    axis: str
    restated: Side
    restatement: str
    action: str

    def both_orders(self, axis: GoldAxis) -> Iterator[GoldDocument]:
        acted = Presence.Q_ONLY if self.restated is Side.P else Presence.P_ONLY
        parts = {"restated_first": (self.restatement, self.action),
                 "acted_first": (self.action, self.restatement)}  # fmt: skip
        orders: tuple[Order, ...] = ("restated_first", "acted_first")
        for order in orders:
            yield GoldDocument(
                axis=axis,
                text="\n\n".join(parts[order]) + "\n",
                label=acted,
                trap=Trap.CONFLICT,
                order=order,
                marks=(
                    Mark(says=self.restatement, actor=(Actor.USER_RESTATEMENT,)),
                    Mark(says=self.action, actor=(Actor.AGENT,), role=(Role.MAIN,),
                         action=(Action.RECOMMEND,), direction=(acted,)),
                ),
            )  # fmt: skip


class GoldSet(Record):
    """All packets of one language."""

    lang: Lang
    packets: tuple[GoldPacket, ...]
    documents: tuple[GoldDocument, ...]

    @property
    def n_items(self) -> int:
        """Requests and documents."""
        return sum(len(p.requests) for p in self.packets) + len(self.documents)


@cache
def gold_set(lang: Lang) -> GoldSet:
    """The gold set of a language. Raises `DesignError` if the file is unsound."""
    raw = tomllib.loads(files(__package__).joinpath(f"gold_{lang}.toml").read_text("utf-8"))
    axes = {a["name"]: GoldAxis.model_validate(a) for a in raw["axis"]}
    packets = [GoldPacket.model_validate({**p, "axis": axes[p["axis"]]}) for p in raw["packet"]]
    documents = [
        GoldDocument.model_validate({**d, "axis": axes[d["axis"]], "text": d["text"].lstrip("\n")})
        for d in raw["document"]
    ]
    for entry in raw["conflict"]:
        documents += _Conflict.model_validate(entry).both_orders(axes[entry["axis"]])
    for document in documents:
        _check(document)
    return GoldSet(lang=lang, packets=tuple(packets), documents=tuple(documents))


def _check(document: GoldDocument) -> None:
    for mark in document.marks:
        if document.text.count(mark.says) != 1:
            raise DesignError(f"gold document: {mark.says!r} does not stand in the text once")
