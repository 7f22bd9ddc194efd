"""What `show` prints of a design before any run: a factor, or a condition, in full."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from draligned.constructors.conditions import pair_of
from draligned.constructors.human import said_of
from draligned.report.shown import shown
from draligned.schema.design import Condition, Detail, Endpoint, FactorCard, Removed
from draligned.schema.errors import DesignError
from draligned.schema.strictjson import visible

if TYPE_CHECKING:
    from draligned.api.study import Study


def design_lines(study: "Study", what: str) -> list[str] | None:
    """Lines for a factor id, of the design or set aside, or a condition id; none for others."""
    if not study.has_design():
        return None
    design = study.design()
    for card in design.cards:
        if card.factor_id == what:
            told = [c for c in design.conditions if what in {a.factor_id for a in c.assigned}]
            untold = [n.condition for n in design.neutral if n.factor_id == what]
            return [*_card(card), *_conditions([*told, *untold])]
    for neutral in design.neutral:
        if neutral.condition.condition_id == what:
            return [*_card(design.card(neutral.factor_id)), *_conditions([neutral.condition])]
    for condition in design.conditions:
        if condition.condition_id == what:
            cards = [design.card(a.factor_id) for a in condition.assigned]
            return [*(line for c in cards for line in _card(c)), *_conditions([condition])]
    for aside in study.set_aside():
        if aside.card.factor_id == what:
            try:
                told = list(pair_of(aside.task, aside.card))
            except DesignError as error:
                return [*_card(aside.card), f"no conditions: {_line(str(error))}"]
            return [
                *_card(aside.card),
                "not in the design; its conditions would be:",
                *_conditions(told),
            ]
    return None


def _card(card: FactorCard) -> list[str]:
    return [
        f"factor {card.factor_id}: task {_line(card.task_id)}, {_line(card.domain)}, "
        f"{_line(card.user_id)}, {_line(card.kind)}",
        f"outcome {card.outcome.value}: {_line(said_of(card))}",
        f"field {_line(card.field_path)}; quote “{_line(card.evidence_quote)}”; from {card.source}",
        f"P: {_endpoint(card.p)}",
        f"Q: {_endpoint(card.q)}",
        f"decision: {_line(card.decision)}",
        f"order under P: {_order(card.order_p)}",
        f"order under Q: {_order(card.order_q)}",
        f"axis, question: {_line(card.axis.question)}",
        f"axis, guidance: {_line(card.axis.guidance)}",
        f"removed from both conditions: {len(card.removed_from_both)} details",
        *(_removed(r) for r in card.removed_from_both),
        f"background of both conditions: {len(card.background)} details",
        *(_detail(d) for d in card.background),
    ]


def _endpoint(end: Endpoint) -> str:
    return f"{_line(end.sentence)} (words: {', '.join(map(_line, end.words)) or 'none'})"


def _order(options: Sequence[str]) -> str:
    return " > ".join(map(_line, options))


def _removed(removed: Removed) -> str:
    return f"  - {_line(removed.path)}: {_line(removed.text)} [{_line(removed.reason)}]"


def _detail(detail: Detail) -> str:
    return f"  - {_line(detail.path)}: {_line(detail.text)}"


def _conditions(conditions: Sequence[Condition]) -> list[str]:
    out = []
    for condition in conditions:
        told = (f"{a.factor_id} on {a.side.value}" for a in condition.assigned)
        sides = ", ".join(told) or "the neutral arm, told no fact"
        out.append(f"condition {condition.condition_id}: {sides}")
        out += ["  system message:", *_block(condition.system)]
        for number, turn in enumerate(condition.turns, start=1):
            out += [f"  user message {number}:", *_block(turn)]
    return out


def _block(text: str) -> list[str]:
    return [f"    │ {line}" for line in shown(text, len(text)).text.split("\n")]


def _line(text: str) -> str:
    """Untrusted text as one safe line, whole."""
    return visible(text, 12 * len(text) + 1)
