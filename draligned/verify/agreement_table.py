"""Evaluators side by side, made anew (DR-75)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from draligned.verify.clustered import RESAMPLED, Drawn, by_task, share
from draligned.verify.compare import Own
from draligned.verify.packets import texts_of
from draligned.verify.pairs import sign
from draligned.verify.study import ALL, Study

Key = tuple[Any, ...]


class Said(NamedTuple):
    """What an evaluator says of a unit."""

    task: str
    known: bool
    label: int
    sign: int


Told = dict[str, dict[tuple[Key, Key], Said]]
"""By evaluator: (harness, model) and unit."""
Row = tuple[str, str, str, Key, Said]


def agreement(study: Study) -> Own:
    """Two evaluators side by side, unit by unit."""
    counts = ("n_units", "n_evaluator", "n_other", "n_both", "n_same", "n_same_x", "n_opposite")
    shares = tuple(f"{name}_{end}" for name in ("coverage", "coverage_other", "same", "opposite")
                   for end in ("share", "lo", "hi"))  # fmt: skip
    columns = ("evaluator", "other", "harness", "model", "channel", "unit", "with_primary", *counts,
               *shares, "alpha", "same_task_lo", "same_task_hi", *RESAMPLED,
               "development")  # fmt: skip
    rows = [
        (*couple, *group, channel, unit, study.first_evaluator in couple,
         *_row(study, group, pairs), group[0] in study.development)
        for unit, channel, told in _told(study)
        for couple in combinations(study.evaluators, 2)
        for group, pairs in _joined(told, couple).items()
    ]  # fmt: skip
    return Own(name="agreement", columns=columns, rows=rows, keys=columns[:6])


def _joined(told: Told, couple: tuple[str, str]) -> dict[Key, list[tuple[Said, Said]]]:
    out: dict[Key, list[tuple[Said, Said]]] = {}
    one, other = (told[name] for name in couple)
    for place, said in one.items():
        if place in other:
            out.setdefault(place[0], []).append((said, other[place]))
    return out


def _row(study: Study, group: Key, pairs: list[tuple[Said, Said]]) -> Iterator[Any]:
    both = [(a, b) for a, b in pairs if a.known and b.known]
    same = [a for a, b in both if a.label == b.label]
    opposite = sum(a.sign * b.sign == -1 for a, b in both)
    one, other = sum(a.known for a, _ in pairs), sum(b.known for _, b in pairs)
    yield from (len(pairs), one, other, len(both), len(same))
    yield sum(a.sign == b.sign for a, b in both)
    yield opposite
    for top, bottom in ((one, len(pairs)), (other, len(pairs)), (len(same), len(both)),
                        (opposite, len(both))):  # fmt: skip
        yield from share(top, bottom)
    yield _alpha(both)
    drawn = Drawn(study, str(group[0]), str(group[1]))
    tops = by_task((a.task, 1.0) for a in same)
    yield from drawn.limits(tops, by_task((a.task, 1.0) for a, _ in both))
    yield from drawn.header


def _alpha(both: list[tuple[Said, Said]]) -> float | None:
    """Krippendorff's alpha of two readers, nominal: 1 − (N − 1) · unlike / unlike by chance."""
    values = Counter(said.label for couple in both for said in couple)
    n = values.total()
    by_chance = n * n - sum(k * k for k in values.values())
    unlike = 2 * sum(a.label != b.label for a, b in both)
    return 1.0 - (n - 1) * unlike / by_chance if by_chance else None


def _told(study: Study) -> Iterator[tuple[str, str, Told]]:
    """What each evaluator says of each unit, models apart and together."""
    yield "request", "A", _gather(study, _requests(study))
    yield "document", "W+F", _gather(study, _documents(study))
    for channel in "AF":
        yield "pair", channel, _gather(study, _pairs(study, channel.lower()))


def _gather(study: Study, rows: Iterable[Row]) -> Told:
    out: Told = {name: {} for name in study.evaluators}
    for evaluator, harness, model, unit, said in rows:
        for shown in (model, ALL):
            out[evaluator].setdefault(((harness, shown), unit), said)
    return out


def _label(task: str, bits: int) -> Said:
    return Said(task, bits >= 0, bits, {2: 1, 1: -1}.get(bits, 0))


def _requests(study: Study) -> Iterator[Row]:
    runs = {run.run_id: run.names for run in study.runs}
    for (run, factor, name), labels in study.requests.items():
        task, _, model, harness, _ = runs[run]
        for number, label in labels.items():
            yield name, harness, model, (run, factor, number), _label(task, label.bits)


def _documents(study: Study) -> Iterator[Row]:
    for run in study.runs:
        task, _, model, harness, _ = run.names
        for factor, _ in run.factors:
            for _, text in texts_of(run):
                for name in study.evaluators:
                    bits = study.text(text.sha256, factor, name).label(study.policy).bits
                    yield name, harness, model, (text.sha256, factor), _label(task, bits)


def _pairs(study: Study, channel: str) -> Iterator[Row]:
    for pair in study.pairs():
        value = sign(pair.d_a if channel == "a" else pair.d_f)
        said = Said(pair.cell[0], pair.status(channel) == "readable", value, value)
        yield pair.evaluator, pair.cell[4], pair.cell[3], (pair.pair_id,), said
