"""First pass: do background and endpoints agree, and is each endpoint believable?

The pass reads an anonymised packet and rules alone. It says `undecided`
wherever no rule speaks: an undecided card is never accepted.
"""

import re

from draligned.bench_data.kinds import Kind, KindValue, kind_named, kinds
from draligned.constructors.packet import ReviewPacket
from draligned.constructors.removal import read_for, states_fact
from draligned.constructors.sentences import differing
from draligned.constructors.values import first_match, stated, tells_on
from draligned.schema.design import Finding, Lang
from draligned.schema.labels import Problem

REVIEWER = "rules-text"


def review_text(packet: ReviewPacket) -> tuple[Finding, ...]:
    """Findings on contradiction and plausibility."""
    kind = kind_named(packet.kind, packet.lang)
    return (_contradiction(packet, kind), _plausible(packet, kind))


def _finding(problem: Problem, fatal: str | None, open_point: str | None) -> Finding:
    if fatal is not None:
        return Finding(reviewer=REVIEWER, problem=problem, verdict="fatal", reason=fatal)
    if open_point is not None:
        return Finding(reviewer=REVIEWER, problem=problem, verdict="undecided", reason=open_point)
    return Finding(reviewer=REVIEWER, problem=problem, verdict="ok", reason="")


def _contradiction(packet: ReviewPacket, kind: Kind | None) -> Finding:
    problem = Problem.CONTRADICTION
    for detail in packet.background:
        if named := _named_by(detail.text, packet):
            return _finding(problem, f"{detail.path} names an endpoint: “{named}”", None)
    if kind is None:
        return _finding(problem, None, f"no rules for the kind {packet.kind}")
    values = _values(packet, kind)
    for detail in packet.background:
        text = read_for(kind, detail.text)
        if hit := next((h for v in values if (h := tells_on(v, text))), None):
            return _finding(problem, f"{detail.path} tells on an endpoint: “{hit}”", None)
        if clause := states_fact(kind, detail):
            return _finding(problem, f"{detail.path} states another value: “{clause}”", None)
        if match := first_match(kind.shared_terms, text):
            return _finding(problem, f"{detail.path} fits one side: “{match.group()}”", None)
    for detail in packet.background:
        if kind.holds_path(detail.path) or first_match(kind.related, detail.path):
            return _finding(problem, None, f"{detail.path} speaks of the same fact")
        if match := first_match(kind.hints, read_for(kind, detail.text)):
            return _finding(problem, None, f"{detail.path} may tell: “{match.group()}”")
    return _finding(problem, None, None)


def _named_by(text: str, packet: ReviewPacket) -> str | None:
    """What differs between the sentences, when the text holds it word for word."""
    kind = kind_named(packet.kind, packet.lang)
    seen = read_for(kind, text)
    for part in differing(*packet.endpoints):
        long_enough = len(part) >= (2 if packet.lang == "zh" else 4)
        if long_enough and part in seen:
            return part
    return None


def _values(packet: ReviewPacket, kind: Kind) -> tuple[KindValue, ...]:
    names = {name for s in packet.endpoints for name in stated(kind, s)}
    return tuple(v for v in kind.values if v.name in names)


def _plausible(packet: ReviewPacket, kind: Kind | None) -> Finding:
    problem = Problem.IMPLAUSIBLE
    if packet.endpoint_1 == packet.endpoint_2:
        return _finding(problem, "both endpoints are the same sentence", None)
    if kind is None:
        return _finding(problem, None, f"no rules for the kind {packet.kind}")
    seen = [stated(kind, s) for s in packet.endpoints]
    for at, (sentence, names) in enumerate(zip(packet.endpoints, seen, strict=True)):
        if why := _outside(kind, sentence, packet.endpoints[1 - at], bool(names), packet.lang):
            return _finding(problem, why, None)
    if all(seen) and set(seen[0]) == set(seen[1]):
        return _finding(problem, "both endpoints state the same value", None)
    if why := _ruled_out(packet, kind):
        return _finding(problem, why, None)
    for sentence, names in zip(packet.endpoints, seen, strict=True):
        if not names and not any(name in sentence for name in kind.also):
            return _finding(problem, None, f"no rule knows a {kind.name} in “{sentence}”")
        if len(names) > 1:
            return _finding(problem, None, f"“{sentence}” states several values")
    return _finding(problem, None, None)


def _outside(kind: Kind, sentence: str, other: str, known: bool, lang: Lang) -> str | None:
    """Why a sentence's value cannot be of this kind, or none; `other` is the other sentence."""
    if hit := first_match(kind.outside, sentence):
        return f"“{hit.group()}” is no {kind.name}"
    if known:
        return None
    for foreign in kinds(lang):
        here = stated(foreign, sentence).keys() - stated(foreign, other).keys()
        if foreign.name != kind.name and here:
            return f"“{min(here)}” is a {foreign.name}, not a {kind.name}"
    if not kind.open_set and re.search(r"[0-9]{2,}", sentence) and not re.search("[0-9]", other):
        return f"a number is no {kind.name}"
    return None


def _ruled_out(packet: ReviewPacket, kind: Kind) -> str | None:
    names = {name for s in packet.endpoints for name in stated(kind, s)}
    for rule in kind.impossible:
        for detail in packet.background:
            holds = re.search(rule.path, detail.path) and re.search(rule.text, detail.text)
            if rule.value in names and holds:
                return f"{detail.path} rules out {rule.value}: “{detail.text}”"
    return None
