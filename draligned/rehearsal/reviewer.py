"""The rehearsal reviewer: plays a chat reviewer by comparing words, and errs as planted."""

import re
from collections.abc import Iterator
from typing import Any

from draligned.bench_data import lexicon
from draligned.bench_data.kinds import kind_named
from draligned.constructors.values import masked
from draligned.rehearsal.brief import language_of
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.packets import as_json, object_in
from draligned.rehearsal.wire import Answer, Asked
from draligned.rehearsal.words import Slots, find_words
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.labels import Problem

_CLAUSE = re.compile("[，,；;。.]+")
_ADVICE = re.compile(
    "应该|应当|建议|推荐|最好|首选|should|recommend|advis|best choice", re.IGNORECASE
)


def answer_as_reviewer(asked: Asked) -> Answer:
    """The problems of a packet. Raises `InputError`.

    `rehearsal.false_alarm` is the probability of one problem that is not there.
    """
    packet = object_in(asked)
    problems = {p.value: reason for p, reason in _problems(packet)}
    draws = Draws("review", asked.seed, asked.model, as_json(packet))
    if not problems and draws.chance(_false_alarm(asked), "alarm"):
        name = draws.pick([p.value for p in Problem], "problem")
        problems = {name: "planted false alarm"}
    reason = "; ".join(problems.values()) or "no problem found"
    return Answer(text=as_json({"problems": list(problems), "reason": reason}))


def _false_alarm(asked: Asked) -> float:
    rate = asked.overrides.get("false_alarm", 0.0)
    if isinstance(rate, int | float) and 0 <= rate <= 1:
        return float(rate)
    raise InputError("rehearsal.false_alarm must lie between 0 and 1")


def _problems(packet: dict[str, Any]) -> Iterator[tuple[Problem, str]]:
    one, two = str(packet.get("endpoint_1", "")), str(packet.get("endpoint_2", ""))
    lang: Lang = language_of(str(packet.get("task", "")))
    slots = endpoint_words(one, two, lang)
    for detail in packet.get("background") or ():
        text = str(detail.get("text", "")) if isinstance(detail, dict) else str(detail)
        text = _without_lookalikes(text, one, lang)
        if quote := find_words(text, slots).quote:
            yield Problem.CONTRADICTION, f"the background says “{quote}”"
    if quote := find_words(str(packet.get("task", "")), slots).quote:
        yield Problem.TASK_FORCED, f"the task says “{quote}”"
    for sentence in (one, two):
        if advice := _ADVICE.search(sentence):
            yield Problem.ANSWER_REVEALING, f"“{advice.group()}” is advice"
    if _changed_clauses(one, two) > 1:
        yield Problem.MULTIPLE_FACTORS, "more than one clause changes"


def _without_lookalikes(text: str, sentence: str, lang: Lang) -> str:
    """`text` without what only looks like a value, such as a city in a university's name."""
    entry = lexicon.find(sentence, lang)
    kind = kind_named(entry.kind, lang) if entry else None
    return masked(kind, text) if kind else text


def endpoint_words(one: str, two: str, lang: str) -> Slots:
    """Words of both endpoints: the public ones, else the stretch in which they differ."""
    found = (lexicon.find(one, lang), lexicon.find(two, lang))
    if found[0] is not None and found[1] is not None:
        return Slots(found[0].own, found[1].own)
    start = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    tail = next(
        (i for i, (a, b) in enumerate(zip(one[::-1], two[::-1], strict=False)) if a != b), 0
    )
    return Slots((one[start : len(one) - tail],), (two[start : len(two) - tail],))


def _changed_clauses(one: str, two: str) -> int:
    a, b = ([c for c in _CLAUSE.split(s) if c.strip()] for s in (one, two))
    return max(len([c for c in a if c not in b]), len([c for c in b if c not in a]))
