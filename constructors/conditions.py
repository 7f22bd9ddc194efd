"""Conditions: frozen messages that differ in the endpoint slot and nowhere else (DR-2, DR-7)."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from draligned.bench_data.neutral import NOTHING_TOLD
from draligned.schema.design import (
    Assigned,
    Condition,
    Detail,
    Endpoint,
    FactorCard,
    Lang,
    Neutral,
    TaskRecord,
)
from draligned.schema.errors import DesignError
from draligned.schema.labels import Side

TEMPLATES: Mapping[Lang, str] = {
    "zh": "任务：\n{task}\n\n用户背景：\n{background}\n\n用户情况：\n{endpoint}",
    "en": "Task:\n{task}\n\nUser background:\n{background}\n\nAbout the user:\n{endpoint}",
}
NO_BACKGROUND: Mapping[Lang, str] = {"zh": "（无）", "en": "(none)"}
_LINE: Mapping[Lang, str] = {"zh": "- {path}：{text}", "en": "- {path}: {text}"}
_SLOT = re.compile(r"\{(\w+)\}")


def render(template: str, slots: Mapping[str, str]) -> str:
    """Fill named slots in one pass: braces inside the data pass through unchanged.

    Raises `DesignError` for a slot that the template names and nobody fills.
    """
    if missing := set(_SLOT.findall(template)) - set(slots):
        raise DesignError(f"the template has an unknown slot: {', '.join(sorted(missing))}")
    return _SLOT.sub(lambda m: slots[m.group(1)], template)


@cache
def prompt(name: str, lang: Lang) -> str:
    """A prompt of this room, e.g. `system`."""
    path = files(__package__).joinpath("prompts", f"{name}_{lang}.txt")
    return path.read_text("utf-8").strip()


def background_text(details: Sequence[Detail], lang: Lang) -> str:
    """One line a detail."""
    if not details:
        return NO_BACKGROUND[lang]
    lines = (
        render(_LINE[lang], {"path": " ".join(d.path.split()), "text": " ".join(d.text.split())})
        for d in details
    )
    return "\n".join(lines)


def build_condition(
    task: TaskRecord, cards: Sequence[FactorCard], sides: Sequence[Side]
) -> Condition:
    """The condition with `cards[i]` on `sides[i]`: one factor, or two (DR-13)."""
    gap = "" if task.lang == "zh" else " "
    endpoint = gap.join(c.endpoint(s).sentence for c, s in zip(cards, sides, strict=True))
    assigned = [Assigned(factor_id=c.factor_id, side=s) for c, s in zip(cards, sides, strict=True)]
    return _condition(task, cards, endpoint, assigned)


def _condition(
    task: TaskRecord, cards: Sequence[FactorCard], endpoint: str, assigned: Sequence[Assigned]
) -> Condition:
    message = render(
        TEMPLATES[task.lang],
        {
            "task": task.text,
            "background": background_text(shared_background(cards), task.lang),
            "endpoint": endpoint,
        },
    )
    return Condition(
        task_id=task.task_id,
        user_id=cards[0].user_id,
        lang=task.lang,
        assigned=tuple(assigned),
        system=prompt("system", task.lang),
        turns=(message,),
    )


def clarified(condition: Condition) -> Condition:
    """The condition with its endpoint in a second, scripted turn (harness `initial`, Q6).

    Raises `DesignError` when the condition has been split already.
    """
    if len(condition.turns) != 1:
        raise DesignError(f"task {condition.task_id}: the condition has a scripted turn already")
    label = TEMPLATES[condition.lang].rpartition("\n\n")[2].partition("{")[0]
    head, gap, endpoint = condition.turns[0].rpartition("\n\n" + label)
    if not gap:
        raise DesignError(f"task {condition.task_id}: the message has no endpoint slot")
    return condition.model_copy(
        update={
            "system": prompt("system_initial", condition.lang),
            "turns": (head, label + endpoint),
        }
    )


def shared_background(cards: Sequence[FactorCard]) -> tuple[Detail, ...]:
    """Details that stay in the background of every card, less the fields of all of them."""
    fields = {c.field_path for c in cards}
    others = [set(c.background) for c in cards[1:]]
    return tuple(
        d
        for d in cards[0].background
        if d.path not in fields and all(d in other for other in others)
    )


def pair_of(task: TaskRecord, card: FactorCard) -> tuple[Condition, Condition]:
    """Conditions P and Q of a card, checked by `pair_check`."""
    p, q = (build_condition(task, (card,), (side,)) for side in (Side.P, Side.Q))
    pair_check(p, q, card)
    return p, q


def neutral_of(task: TaskRecord, card: FactorCard) -> Neutral:
    """The condition in which nothing stands in the card's endpoint slot but that nothing does.

    Checked against P as P is against Q.
    """
    told = _condition(task, (card,), NOTHING_TOLD[task.lang], ())
    out = Neutral(factor_id=card.factor_id, condition=told)
    neutral_check(build_condition(task, (card,), (Side.P,)), out, card)
    return out


def neutral_check(p: Condition, neutral: Neutral, card: FactorCard) -> None:
    """Prove that the neutral arm differs from P in the endpoint slot only. Raises `DesignError`."""
    untold = Endpoint(value="", sentence=NOTHING_TOLD[card.lang], words=())
    pair_check(p, neutral.condition, card.model_copy(update={"q": untold}))
    if neutral.condition.assigned:
        raise DesignError(f"task {card.task_id}: the neutral arm is told a fact")


def two_factor_conditions(
    task: TaskRecord, first: FactorCard, second: FactorCard
) -> tuple[Condition, ...]:
    """The four profiles of a two-factor task, in the order PP, QP, PQ, QQ (DR-13).

    PP and QP are the primary comparison: the first factor changes while the
    second stays recorded.
    """
    if first.user_id != second.user_id or first.field_path == second.field_path:
        raise DesignError("two factors of one task need one user and two fields")
    out = tuple(
        build_condition(task, (first, second), sides)
        for sides in ((Side.P, Side.P), (Side.Q, Side.P), (Side.P, Side.Q), (Side.Q, Side.Q))
    )
    two_factor_check(out, first, second)
    return out


def two_factor_check(four: Sequence[Condition], first: FactorCard, second: FactorCard) -> None:
    """Prove that PP, QP, PQ, QQ differ in one endpoint where they should, and nowhere else.

    Raises `DesignError`.
    """
    for p, q, card in (
        (four[0], four[1], first), (four[2], four[3], first),
        (four[0], four[2], second), (four[1], four[3], second),
    ):  # fmt: skip
        _same_but_slot(p, q, card.p.sentence, card.q.sentence)
        _nothing_removed_left((p, q), card)
    for condition in four:
        last = second.endpoint(condition.assigned[1].side).sentence
        if not condition.turns[-1].encode().endswith(last.encode()):
            raise DesignError(f"task {first.task_id}: the endpoints are not the last sentences")


def pair_check(p: Condition, q: Condition, card: FactorCard) -> None:
    """Prove that P and Q differ in the endpoint slot only, and that nothing removed is left.

    Raises `DesignError` that names what differs.
    """
    _same_but_slot(p, q, card.p.sentence, card.q.sentence)
    for side, condition in ((card.p, p), (card.q, q)):
        if not condition.turns[-1].encode().endswith(side.sentence.encode()):
            raise DesignError(f"task {card.task_id}: the endpoint is not the last sentence")
    _nothing_removed_left((p, q), card)


def _nothing_removed_left(told: Sequence[Condition], card: FactorCard) -> None:
    for removed in card.removed_from_both:
        line = background_text((Detail(path=removed.path, text=removed.text),), card.lang)
        if any(line in turn for c in told for turn in c.turns):
            raise DesignError(f"task {card.task_id}: removed detail {removed.path} is still there")


def _same_but_slot(p: Condition, q: Condition, p_sentence: str, q_sentence: str) -> None:
    if (p.system, p.task_id, p.user_id, len(p.turns)) != (
        q.system, q.task_id, q.user_id, len(q.turns),
    ):  # fmt: skip
        raise DesignError(f"task {p.task_id}: the arms differ outside the endpoint slot")
    changed = [(a, b) for a, b in zip(p.turns, q.turns, strict=True) if a != b]
    if len(changed) != 1:
        raise DesignError(f"task {p.task_id}: {len(changed)} turns differ, not one")
    a, b = changed[0]
    head, found, tail = a.rpartition(p_sentence)
    if not found or head + q_sentence + tail != b:
        raise DesignError(f"task {p.task_id}: the arms differ outside the endpoint slot")
