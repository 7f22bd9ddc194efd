"""Tables of the Flow, made anew: steps between like units, and re-entry beside random order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from draligned.verify.arms import Arm
from draligned.verify.clustered import share
from draligned.verify.compare import Own, Row
from draligned.verify.label_tables import NAMES
from draligned.verify.labels import relative
from draligned.verify.study import ALL, Study

STATES = ("NONE", "OTHER_ONLY", "OWN_ONLY", "BOTH")
LETTERS = {"NONE": "N", "OTHER_ONLY": "X", "OWN_ONLY": "O", "BOTH": "B", "UNKNOWN": "?"}
_CHANGES = {
    ("OWN_ONLY", "BOTH"): "broadening", ("BOTH", "OWN_ONLY"): "narrowing",
    ("OWN_ONLY", "NONE"): "dropout", ("BOTH", "NONE"): "dropout",
    ("OWN_ONLY", "OTHER_ONLY"): "reversal",
    ("NONE", "OWN_ONLY"): "adoption", ("NONE", "BOTH"): "adoption",
    ("OTHER_ONLY", "BOTH"): "counter_broadening", ("BOTH", "OTHER_ONLY"): "counter_narrowing",
    ("OTHER_ONLY", "NONE"): "counter_dropout", ("OTHER_ONLY", "OWN_ONLY"): "counter_reversal",
    ("NONE", "OTHER_ONLY"): "counter_adoption",
}  # fmt: skip
KINDS = ("stay", *dict.fromkeys(_CHANGES.values()))


def kind_of(start: str, end: str) -> str:
    """What changes from one state to the next."""
    return "stay" if start == end else _CHANGES[start, end]


@dataclass(frozen=True, slots=True)
class Unit:
    """A request or a document of a run, in its place."""

    role: str
    number: int | None
    state: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Walk:
    """The like units of a run in order."""

    arm: Arm
    kind: str
    """request or document."""
    units: tuple[Unit, ...]
    in_full: bool
    reason: str

    @property
    def known(self) -> list[int]:
        """Places of units with a state."""
        return [n for n, u in enumerate(self.units) if u.state != "UNKNOWN"]

    def steps(self) -> Iterator[tuple[Unit, Unit, int, bool]]:
        """Couples of known units, unknown ones between them, and whether nothing is uncertain."""
        for a, b in pairwise(self.known):
            yield self.units[a], self.units[b], b - a - 1, self.in_full and b == a + 1

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Places of units that express the own side on both ends of a gap."""
        shown = [n for n, u in enumerate(self.units) if u.state in ("OWN_ONLY", "BOTH")]
        yield from ((a, b) for a, b in pairwise(shown) if b > a + 1)


def walks(study: Study) -> list[Walk]:
    """Requests, then documents, of every run under every evaluator."""
    arms = study.arms()
    return [*(_requests(study, a) for a in arms), *(_documents(study, a) for a in arms)]


def _requests(study: Study, arm: Arm) -> Walk:
    run = arm.run
    reason = "" if arm.acq.reason == "no_identified_request" else arm.acq.reason
    labels = study.requests.get((run.run_id, arm.factor_id, arm.evaluator), {})
    asked = run.seen.requests if run.seen and not reason else ()
    units = (
        Unit("request", r.number, relative(labels[r.number].bits, arm.side), None) for r in asked
    )
    return Walk(arm, "request", tuple(units), run.observes["a"] == "full", reason)


def _documents(study: Study, arm: Arm) -> Walk:
    run, seen = arm.run, arm.run.seen
    full = run.observes["w"] == run.observes["f"] == "full"
    reason = "" if run.state == "done" else f"run_{run.state}"
    if not reason and run.observes["w"] == "none":
        reason = "not_observed"
    texts = []
    if seen and not reason:
        drafts = sorted(seen.drafts, key=lambda d: (d.seq, d.version or 0))
        texts = [("draft", d) for d in drafts if seen.final is None or d.seq <= seen.final.seq]
        if seen.final and not run.cell.block.submits_saved:
            texts.append(("final", seen.final))
    units = tuple(
        Unit(role, text.version, relative(_bits(study, arm, text.sha256), arm.side), text.sha256)
        for role, text in texts
    )
    return Walk(arm, "document", units, full, reason or ("" if units else "no_document"))


def _bits(study: Study, arm: Arm, sha256: str) -> int:
    return study.text(sha256, arm.factor_id, arm.evaluator).label(study.policy).bits


def _step_name(start: Unit, end: Unit) -> str:
    return f"{start.role}_{end.role}"


def _groups(found: Sequence[Walk]) -> dict[tuple[str, str, str], list[Walk]]:
    groups: dict[tuple[str, str, str], list[Walk]] = {}
    for walk in found:
        _, _, model, harness, _ = walk.arm.run.names
        for shown in (model, ALL):
            groups.setdefault((walk.arm.evaluator, harness, shown), []).append(walk)
    return groups


def _taken(found: Sequence[Walk]) -> dict[str, list[tuple[Walk, list[tuple[Unit, Unit, bool]]]]]:
    """By step: every run's steps, run by run."""
    out: dict[str, dict[int, tuple[Walk, list[tuple[Unit, Unit, bool]]]]] = {}
    for place, walk in enumerate(found):
        for start, end, _, certain in walk.steps():
            name = _step_name(start, end)
            own = out.setdefault(name, {}).setdefault(place, (walk, []))
            own[1].append((start, end, certain))
    return {name: list(walks.values()) for name, walks in out.items()}


def flow(study: Study) -> Own:
    """Steps by kind."""
    columns = ("evaluator", "harness", "model", "step", "kind", "n_steps", "n_runs",
               "n_runs_at_risk", "run_share", "run_lo", "run_hi", "status", "reason",
               "development")  # fmt: skip
    rows = [
        (*names, step, kind, *_kind_row(taken, kind), names[1] in study.development)
        for names, found in _groups(walks(study)).items()
        for step, taken in _taken(found).items()
        for kind in (*KINDS, "uncertain")
    ]
    return Own(name="flow", columns=columns, rows=rows, keys=columns[:5])


def _kind_row(taken: list[tuple[Walk, list[tuple[Unit, Unit, bool]]]], kind: str) -> Iterator[Any]:
    own, at_risk = [], 0
    starts = {a for (a, _), name in _CHANGES.items() if name == kind}
    for _, steps in taken:
        certain = [(a.state, b.state) for a, b, sure in steps if sure]
        if kind == "uncertain":
            own.append(len(steps) - len(certain))
            at_risk += 1
        else:
            own.append(sum(kind_of(*couple) == kind for couple in certain))
            at_risk += any(a in starts or kind == "stay" for a, _ in certain)
    n_runs = sum(n > 0 for n in own)
    yield sum(own)
    yield n_runs
    yield at_risk
    yield from share(n_runs, at_risk)
    yield "ok" if at_risk else "unknown"
    yield None if at_risk else "no_run_at_risk"


def transitions(study: Study) -> Own:
    """Steps by both states."""
    columns = ("evaluator", "harness", "model", "step", "from_state", "to_state", "kind",
               "n_steps", "n_same_text", "n_runs", "n_runs_from", "run_share", "run_lo", "run_hi",
               "n_uncertain", "development")  # fmt: skip
    rows = [
        (*names, step, *row, names[1] in study.development)
        for names, found in _groups(walks(study)).items()
        for step, taken in _taken(found).items()
        for row in _state_rows(taken)
    ]
    return Own(name="transitions", columns=columns, rows=rows, keys=columns[:6])


def _state_rows(taken: list[tuple[Walk, list[tuple[Unit, Unit, bool]]]]) -> Iterator[Row]:
    certain, unsure, same, runs, starts = (Counter[Any]() for _ in range(5))
    for _, steps in taken:
        met = {(a.state, b.state) for a, b, sure in steps if sure}
        runs.update(met)
        starts.update({a for a, _ in met})
        for a, b, sure in steps:
            couple = (a.state, b.state)
            certain[couple] += sure
            unsure[couple] += not sure
            same[couple] += sure and a.text is not None and a.text == b.text
    for couple in certain:
        of = starts[couple[0]]
        yield (*couple, kind_of(*couple), certain[couple], same[couple], runs[couple], of,
               *share(runs[couple], of), unsure[couple])  # fmt: skip


def flow_steps(study: Study) -> Own:
    """Every step that is not a plain stay."""
    columns = ("evaluator", "run_id", "factor_id", *NAMES, "arm", "unit", "step", "place",
               "from_role", "from_no", "to_role", "to_no", "from_state", "to_state", "kind",
               "n_unknown", "development")  # fmt: skip
    rows = [row for walk in walks(study) for row in _step_rows(study, walk)]
    return Own(name="flow_steps", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id", "unit", "place"))  # fmt: skip


def _head(walk: Walk) -> tuple[Any, ...]:
    arm = walk.arm
    return (arm.evaluator, arm.run.run_id, arm.factor_id, *arm.run.names, arm.side)


def _step_rows(study: Study, walk: Walk) -> Iterator[Row]:
    apart = walk.arm.run.names[3] in study.development
    for place, (a, b, unknown, certain) in enumerate(walk.steps(), start=1):
        kind = kind_of(a.state, b.state) if certain else "uncertain"
        if kind != "stay":
            yield (*_head(walk), walk.kind, _step_name(a, b), place, a.role, a.number, b.role,
                   b.number, a.state, b.state, kind, unknown, apart)  # fmt: skip


@cache
def expected(shown: int, absent: int, unknown: int) -> tuple[float, float, float]:
    """Strict gaps, uncertain gaps and the chance of a strict one, all orders being alike."""
    if shown < 2:
        return 0.0, 0.0, 0.0
    inner, clear, total = shown - 1, shown + unknown, shown + unknown + absent
    strict = inner * (Fraction(shown, clear) - Fraction(shown, total))
    every = comb(total, absent) * comb(clear, unknown)
    chance = 1 - Fraction(_without(shown, absent, unknown), every)
    return float(strict), float(Fraction(inner * unknown, clear)), float(chance)


def _without(shown: int, absent: int, unknown: int) -> int:
    """Orders without a strict gap: coefficient of xᵃyᵘ in (1/(1−x−y) − x/(1−x))ᵏ⁻¹ / (1−x−y)²."""
    found = 0
    for j in range(shown):
        power, sign = shown + 1 - j, -1 if j % 2 else 1
        for i in range(j, absent + 1):
            ways = comb(i - 1, j - 1) if j else int(i == 0)
            if ways:
                rest = absent - i
                words = comb(rest + unknown, rest) * comb(rest + unknown + power - 1, power - 1)
                found += sign * comb(shown - 1, j) * ways * words
    return found


@dataclass(frozen=True, kw_only=True)
class _Path:
    """What a run's path shows of re-entry."""

    status: str
    reason: str | None
    letters: str | None
    counts: tuple[int | None, ...]
    expected: tuple[float, float, float] | None
    gaps: tuple[tuple[int, int, int, bool], ...]
    """Ends, unknown units inside, whether strict."""


def _path(walk: Walk) -> _Path:
    if walk.reason:
        return _Path(status="unknown", reason=walk.reason, letters=None, counts=(None,) * 9,
                     expected=None, gaps=())  # fmt: skip
    units = walk.units
    shown = sum(u.state in ("OWN_ONLY", "BOTH") for u in units)
    unknown = sum(u.state == "UNKNOWN" for u in units)
    steps = list(walk.steps())
    changes = sum(sure and a.state != b.state for a, b, _, sure in steps)
    unsure = sum(not sure for *_, sure in steps)
    gaps = []
    for a, b in walk.gaps():
        blank = sum(u.state == "UNKNOWN" for u in units[a + 1 : b])
        gaps.append((a, b, blank, walk.in_full and not blank))
    strict = sum(g[3] for g in gaps)
    absent = len(units) - unknown - shown
    bars = ("|" if u.role == "final" else "" for u in units)
    return _Path(
        status="ok",
        reason=None if walk.in_full else "observed_in_part",
        letters="".join(bar + LETTERS[u.state] for bar, u in zip(bars, units, strict=True)),
        counts=(len(units), len(units) - unknown, shown, absent, unknown, changes, unsure, strict,
                len(gaps) - strict),
        expected=expected(shown, absent, unknown) if walk.in_full else None,
        gaps=tuple(gaps),
    )  # fmt: skip


def path_of(walk: Walk) -> str | None:
    """A letter a unit; none where there is nothing to show."""
    return _path(walk).letters


def flow_runs(study: Study) -> Own:
    """One path a run."""
    columns = ("evaluator", "run_id", "factor_id", *NAMES, "arm", "replicate", "unit", "status",
               "reason", "path", "n_units", "n_known", "n_expressed", "n_absent", "n_unknown",
               "n_changes", "n_uncertain", "n_reentry", "n_reentry_uncertain", "reentry_expected",
               "reentry_chance", "development")  # fmt: skip
    rows = []
    for walk in walks(study):
        path = _path(walk)
        hoped = (path.expected[0], path.expected[2]) if path.expected else (None, None)
        rows.append((*_head(walk), walk.arm.run.cell.replicate, walk.kind, path.status, path.reason,
                     path.letters, *path.counts, *hoped,
                     walk.arm.run.names[3] in study.development))  # fmt: skip
    return Own(name="flow_runs", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id", "unit"))  # fmt: skip


def reentry_cases(study: Study) -> Own:
    """Every gap between two units that express the own side."""
    columns = ("evaluator", "run_id", "factor_id", *NAMES, "arm", "unit", "place", "from_role",
               "from_no", "to_role", "to_no", "case", "gap", "n_absent", "n_unknown",
               "development")  # fmt: skip
    rows = []
    for walk in walks(study):
        for place, (a, b, blank, strict) in enumerate(_path(walk).gaps, start=1):
            start, end = walk.units[a], walk.units[b]
            letters = "".join(LETTERS[u.state] for u in walk.units[a + 1 : b])
            rows.append((*_head(walk), walk.kind, place, start.role, start.number, end.role,
                         end.number, "strict" if strict else "uncertain", letters,
                         b - a - 1 - blank, blank,
                         walk.arm.run.names[3] in study.development))  # fmt: skip
    return Own(name="reentry_cases", columns=columns, rows=rows,
               keys=("evaluator", "run_id", "factor_id", "unit", "place"))  # fmt: skip


def reentry(study: Study) -> Own:
    """Strict gaps beside what random order gives."""
    columns = (
        "evaluator", "harness", "model", "unit", "status", "reason", "n_runs", "n_runs_in_part",
        "n_runs_possible", "n_strict", "n_uncertain", "n_uncertain_left", "n_in_part",
        "expected_strict", "expected_uncertain", "n_runs_strict", "n_runs_uncertain_only",
        "run_share", "run_lo", "run_hi", "expected_runs", "p_more", "p_fewer", "development",
    )  # fmt: skip
    rows = []
    for names, found in _groups(walks(study)).items():
        for unit in ("request", "document"):
            paths = [_path(w) for w in found if w.kind == unit]
            rows.append((*names, unit, *_reentry(paths), names[1] in study.development))
    return Own(name="reentry", columns=columns, rows=rows, keys=columns[:4],
               loose=frozenset(("p_more", "p_fewer", "expected_runs")))  # fmt: skip


def _reentry(paths: list[_Path]) -> Iterator[Any]:
    full = [p for p in paths if p.expected is not None]
    part = [p for p in paths if p.status == "ok" and p.expected is None]
    chances = [p.expected[2] for p in full if p.expected]
    strict = [sum(g[3] for g in p.gaps) for p in full]
    unsure = [sum(not g[3] for g in p.gaps) for p in full]
    left = sum(not g[3] and g[1] - g[0] - 1 > g[2] for p in full for g in p.gaps)
    n, hits = len(full), sum(s > 0 for s in strict)
    yield "ok" if n else "unknown"
    yield None if n else "no_run_observed_in_full"
    yield n
    yield len(part)
    yield sum(c > 0 for c in chances)
    yield sum(strict)
    yield sum(unsure)
    yield left
    yield sum(len(p.gaps) for p in part)
    yield sum(p.expected[0] for p in full if p.expected) if n else None
    yield sum(p.expected[1] for p in full if p.expected) if n else None
    yield hits
    yield sum(not s and u > 0 for s, u in zip(strict, unsure, strict=True))
    yield from share(hits, n)
    yield sum(chances) if n else None
    yield _at_least(chances, hits) if n else None
    yield _at_least([1 - c for c in chances], n - hits) if n else None


def _at_least(chances: list[float], hits: int) -> float:
    """Chance of so many of independent events, one event added after the other."""
    spread = np.zeros(len(chances) + 1)
    spread[0] = 1.0
    for chance in chances:
        spread[1:] = spread[1:] * (1 - chance) + spread[:-1] * chance
        spread[0] *= 1 - chance
    return float(min(1.0, spread[hits:].sum()))
