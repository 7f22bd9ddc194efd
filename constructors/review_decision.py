"""Second pass: is the fact still open, is the answer kept out, does one fact change?"""

import re
from collections.abc import Mapping

from draligned.bench_data.kinds import Kind, kind_named, kinds
from draligned.bench_data.relevance import row_for, second_row_for
from draligned.constructors.packet import ReviewPacket
from draligned.constructors.sentences import clauses, differing, frame, shared_run, tokens
from draligned.constructors.values import BLANK, first_match, masked, stated, tells_on
from draligned.schema.design import Finding, Lang
from draligned.schema.labels import Problem

REVIEWER = "rules-decision"

ADVICE: Mapping[Lang, str] = {
    "zh": "应该|应当|应优先|建议|推荐|最好|最适合|更适合|不如|首选|优先(?:选|考虑|安排|放|看|比较)|"
    "因此|所以|就选|要选|适合选|值得|请(?:选|优先|按)|必须|只能选",
    "en": r"(?i)\b(?:should|ought|recommend\w*|advis\w+|best (?:to|for|choice|option)|"
    r"therefore|hence|ideal\w*|must choose|so (?:please|choose|plan|go)|suits? me|right choice)\b",
}
SECOND: Mapping[Lang, str] = {
    "zh": "[0-9一二三四五六七八九十]+岁|老师|教师|医生|护士|律师|工程师|程序员|经理|学生|退休|"
    "已婚|单身|离异|结婚|月薪|年薪|收入|存款|男性|女性|博士|硕士|本科|失业|创业|怀孕|患有",
    "en": r"(?i)\b\d+ years old|\b(?:teacher|doctor|nurse|lawyer|engineer|student|retired|married|"
    r"single|divorced|salary|income|pregnant|unemployed|male|female)\b",
}
RUN: Mapping[Lang, int] = {"zh": 4, "en": 3}
"""Tokens in a row that a sentence may not share with an option."""


def review_decision(packet: ReviewPacket) -> tuple[Finding, ...]:
    """Findings on task-forcing, answer-revealing and the number of facts changed."""
    kind = kind_named(packet.kind, packet.lang)
    return (_forced(packet, kind), _revealing(packet, kind), _one_factor(packet, kind))


def _say(problem: Problem, verdict: str, reason: str = "") -> Finding:
    return Finding.model_validate(
        {"reviewer": REVIEWER, "problem": problem, "verdict": verdict, "reason": reason}
    )


def _forced(packet: ReviewPacket, kind: Kind | None) -> Finding:
    problem = Problem.TASK_FORCED
    for part in differing(*packet.endpoints):
        if len(part) >= (2 if packet.lang == "zh" else 4) and part in packet.task:
            return _say(problem, "fatal", f"the task already says “{part}”")
    if kind is None:
        return _say(problem, "undecided", f"no rules for the kind {packet.kind}")
    if hit := task_fixes(kind, packet.domain, packet.task, packet.lang):
        return _say(problem, "fatal", f"the task already says “{hit}”")
    where = (kind.name, packet.domain, packet.lang)
    if row_for(*where) is None and second_row_for(*where) is None:
        return _say(problem, "undecided", f"no reviewed row for {kind.name} × {packet.domain}")
    if match := first_match(kind.hints, packet.task):
        return _say(problem, "undecided", f"the task may speak of it: “{match.group()}”")
    return _say(problem, "ok")


def task_fixes(kind: Kind, domain: str, task: str, lang: Lang) -> str | None:
    """The stretch of the task text that settles this kind of fact, or none."""
    clear = masked(kind, task)
    for value in kind.values:
        if told := tells_on(value, clear):
            return told
    row = row_for(kind.name, domain, lang)
    match = first_match((*kind.forced, *(row.forced if row else ())), task)
    return match.group() if match else None


def _revealing(packet: ReviewPacket, kind: Kind | None) -> Finding:
    problem = Problem.ANSWER_REVEALING
    for sentence in packet.endpoints:
        if advice := re.search(ADVICE[packet.lang], sentence):
            return _say(problem, "fatal", f"“{advice.group()}” in “{sentence}” is advice")
        bare = frame(kind, sentence) if kind else sentence
        for option in (*packet.options, packet.decision):
            run = shared_run(bare, option, packet.lang)
            if len(tokens(run)) >= RUN[packet.lang]:
                return _say(problem, "fatal", f"“{sentence}” holds “{run}” of the answer")
    if len(packet.options) < 2:
        return _say(problem, "undecided", "the decision has fewer than two options")
    return _say(problem, "ok")


def _one_factor(packet: ReviewPacket, kind: Kind | None) -> Finding:
    problem = Problem.MULTIPLE_FACTORS
    one, two = packet.endpoints
    if second := _second_fact(packet, kind):
        return _say(problem, "fatal", f"a second fact changes along: “{second}”")
    if kind is not None and frame(kind, one) == frame(kind, two):
        several = next((s for s in (one, two) if len(stated(kind, s)) > 1), None)
        if several is None:
            return _further_clauses(kind, one)
        return _say(problem, "undecided", f"“{several}” states several values")
    a, b = _changed_clauses(kind, one, two)
    if max(len(a), len(b)) > 1:
        return _say(problem, "fatal", f"more than one clause changes: “{'，'.join(a or b)}”")
    if kind is None:
        return _say(problem, "undecided", f"no rules for the kind {packet.kind}")
    if (
        a
        and b
        and not any(BLANK in c for c in (*a, *b))
        and all(stated(kind, s) for s in (one, two))
    ):
        return _say(problem, "fatal", f"beside the {kind.name}, “{a[0]}” changes to “{b[0]}”")
    return _unknown_filler(kind, one, two)


def _further_clauses(kind: Kind, sentence: str) -> Finding:
    """What else a sentence says is for people to judge, even where both sentences say it."""
    known = {clauses(frame(kind, kind.endpoint(v.name).sentence)) for v in kind.values}
    if len(clauses(sentence)) > 1 and clauses(frame(kind, sentence)) not in known:
        return _say(Problem.MULTIPLE_FACTORS, "undecided", f"“{sentence}” says more than one fact")
    return _say(Problem.MULTIPLE_FACTORS, "ok")


def _unknown_filler(kind: Kind, one: str, two: str) -> Finding:
    """One clause changes and the rules don't know one of its values."""
    parts = differing(one, two)
    short = all(0 < len(tokens(p)) <= 4 for p in parts)
    names = any(not stated(kind, s) for s in (one, two))
    if short and names and kind.open_set:
        return _say(Problem.MULTIPLE_FACTORS, "ok", "one short stretch changes")
    return _say(Problem.MULTIPLE_FACTORS, "undecided", f"the sentences differ in wording: {parts}")


def _second_fact(packet: ReviewPacket, kind: Kind | None) -> str | None:
    """What only one of the sentences says of another kind of fact."""
    one, two = packet.endpoints
    for a, b in ((one, two), (two, one)):
        for other in kinds(packet.lang):
            if kind is not None and other.name == kind.name:
                continue
            there = stated(other, b)
            if kind is None and there:
                continue
            bare = frame(kind, a) if kind else a
            extra = {n: m for n, m in stated(other, bare).items() if n not in there}
            if extra:
                return next(iter(extra.values())).group()
        only = {m.group() for m in re.finditer(SECOND[packet.lang], a)}
        if fresh := sorted(w for w in only if w not in b):
            return fresh[0]
    return None


def _changed_clauses(kind: Kind | None, one: str, two: str) -> tuple[list[str], list[str]]:
    def bare(sentence: str) -> list[str]:
        return [frame(kind, c) if kind else c for c in clauses(sentence)]

    a, b = bare(one), bare(two)
    only_a = [c for c in a if c not in b and c != BLANK]
    only_b = [c for c in b if c not in a and c != BLANK]
    if len(a) != len(b) and len(only_a) + len(only_b) == 1:
        return (only_a + only_b) * 2, []
    return only_a, only_b
