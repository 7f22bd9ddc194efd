"""Tables of controls, made anew: the placebo axis, masked restatements, two facts in one unit."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from draligned.verify.clustered import RESAMPLED, Drawn, by_task, share, status_of
from draligned.verify.compare import Own
from draligned.verify.flip_tables import seen_units, text_code
from draligned.verify.labels import readout, relative
from draligned.verify.logs import Run
from draligned.verify.packets import alpha_of, masked_unit, texts_of
from draligned.verify.study import ALL, Study

GROUP = ("evaluator", "harness", "model")
Group = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Label:
    """One labelled unit of a run."""

    task: str
    run_id: str
    bits: int


def _labels(study: Study, run: Run, kind: str, name: str) -> Iterator[Label]:
    """Labels of a run's requests or final on its primary factor."""
    factor = run.factors[0][0]
    if kind == "request":
        for label in study.requests.get((run.run_id, factor, name), {}).values():
            yield Label(run.names[0], run.run_id, label.bits)
    elif run.seen and run.seen.final:
        bits = study.text(run.seen.final.sha256, factor, name).label(study.policy).bits
        yield Label(run.names[0], run.run_id, bits)


def axis_labels(study: Study) -> Own:
    """How much is found on the placebo axis and on the assigned one, in the same runs."""
    columns = (*GROUP, "kind", "axis", "status", "reason", "n_runs", "n_units", "n_identified",
               "n_directional", "n_tasks", "directional_share", "directional_lo", "directional_hi",
               "directional_task_lo", "directional_task_hi", *RESAMPLED, "development")  # fmt: skip
    units: dict[tuple[str, ...], list[Label]] = {}
    placebo = study.sets.get("placebo")
    wanted = {run.run_id for run in placebo.runs} if placebo else set()
    for axis, own in (("placebo", placebo), ("assigned", study)):
        for run in own.runs if own else ():
            for name in study.evaluators if own and run.run_id in wanted else ():
                for kind in ("request", "final"):
                    found = list(_labels(own, run, kind, name)) if own else []
                    for model in (run.names[2], ALL) if found else ():
                        key = (name, run.names[3], model, kind, axis)
                        units.setdefault(key, []).extend(found)
    rows = [
        (*key, *_axis(study, key, found), key[1] in study.development)
        for key, found in units.items()
    ]
    return Own(name="axis_labels", columns=columns, rows=rows, keys=columns[:5])


def _axis(study: Study, key: tuple[str, ...], units: list[Label]) -> Iterator[Any]:
    known = [u for u in units if u.bits >= 0]
    pointing = [u for u in known if u.bits > 0]
    yield "ok" if known else "unknown"
    yield None if known else "empty"
    yield len({u.run_id for u in units})
    yield from map(len, (units, known, pointing))
    yield len({u.task for u in known})
    yield from share(len(pointing), len(known))
    drawn = Drawn(study, key[1], key[2])
    tops = by_task((u.task, 1.0) for u in pointing)
    yield from drawn.limits(tops, by_task((u.task, 1.0) for u in known))
    yield from drawn.header


Text = tuple[str, str]
"""Hash and factor."""


def _texts(study: Study) -> dict[Group, dict[Text, str]]:
    """Distinct texts × factors by evaluator, harness and model, with their tasks."""
    out: dict[Group, dict[Text, str]] = {}
    for run in study.runs:
        for factor, _ in run.factors:
            for _, text in texts_of(run):
                for name in study.evaluators:
                    for model in (run.names[2], ALL):
                        own = out.setdefault((name, run.names[3], model), {})
                        own.setdefault((text.sha256, factor), run.names[0])
    return out


Couple = tuple[str, int, int]
"""Task, code unmasked and code masked."""


def masked_labels(study: Study) -> Own:
    """Labels of texts with and without the user's restatements."""
    columns = (
        *GROUP, "level", "status", "reason", "n_texts", "n_chosen", "n_restating", "n_compared",
        "n_changed", "n_opposite", "n_lost", "n_gained", "n_tasks", "changed_share", "changed_lo",
        "changed_hi", "changed_task_lo", "changed_task_hi", "n_baseline", "n_baseline_changed",
        "baseline_share", "baseline_lo", "baseline_hi", *RESAMPLED, "development",
    )  # fmt: skip
    masked = study.sets.get("masked")
    rows = []
    if masked is not None:
        chosen, seen = _texts(masked), seen_units(study)
        for group, texts in _texts(study).items():
            mine = chosen.get(group, {})
            sizes = (len(texts), len(mine), sum(_unit(t) in masked.units for t in mine))
            retests = [(u.first, u.retest) for u in seen.get((*group, "document"), [])
                       if min(u.first, u.retest) >= 0]  # fmt: skip
            for level in ("label", "read"):
                couples = list(_couples(study, masked, group[0], mine, level))
                row = _masked(study, group, sizes, couples, retests if level == "read" else None)
                rows.append((*group, level, *row, group[1] in study.development))
    return Own(name="masked_labels", columns=columns, rows=rows, keys=columns[:4])


def _unit(text: Text) -> str:
    return masked_unit(*text).packet_id


def _couples(
    study: Study, masked: Study, name: str, texts: dict[Text, str], level: str
) -> Iterator[Couple]:
    for text, task in texts.items():
        if level == "label":
            was, now = (s.text(*text, name).label(s.policy).bits for s in (study, masked))
            yield task, was, now
            continue
        unmasked, hidden = (dict(_by_alpha(s, text, name)) for s in (study, masked))
        for alpha, code in hidden.items():
            if alpha in unmasked:
                yield task, unmasked[alpha], code


def _by_alpha(study: Study, text: Text, name: str) -> Iterator[tuple[str, int]]:
    """First and mirrored reads of a text by the endpoint that stood first."""
    packet = study.packet_of(*text)
    for role in ("first", "mirror"):
        slot = study.slots.get((packet, name, role))
        if slot is not None:
            yield alpha_of(packet, study.design.seed, role), text_code(slot)


def _masked(
    study: Study, group: Group, sizes: tuple[int, int, int], couples: list[Couple],
    retests: list[tuple[int, int]] | None,
) -> Iterator[Any]:  # fmt: skip
    both = [c for c in couples if min(c[1:]) >= 0]
    changed = [c for c in both if c[1] != c[2]]
    tasks = {c[0] for c in both}
    status, reason = status_of(len(both), len(tasks))
    yield status
    yield "nothing_restated" if not both and not sizes[2] else reason
    yield from sizes
    yield len(both)
    yield len(changed)
    yield sum(readout(a) * readout(b) == -1 for _, a, b in both)
    yield sum((a & ~b) > 0 for _, a, b in both)
    yield sum((b & ~a) > 0 for _, a, b in both)
    yield len(tasks)
    yield from share(len(changed), len(both))
    drawn = Drawn(study, group[1], group[2])
    tops, bottoms = (by_task((c[0], 1.0) for c in some) for some in (changed, both))
    yield from drawn.limits(tops, bottoms)
    again = sum(a != b for a, b in retests or ())
    yield None if retests is None else len(retests)
    yield None if retests is None else again
    yield from share(again, len(retests or ()))
    yield from drawn.header if couples else (None,) * len(RESAMPLED)


def masked_transitions(study: Study) -> Own:
    """States of texts, unmasked and masked."""
    columns = (*GROUP, "from_state", "to_state", "n", "n_from", "of_from_share", "of_from_lo",
               "of_from_hi", "development")  # fmt: skip
    masked = study.sets.get("masked")
    tally: dict[Group, Counter[tuple[str, str]]] = {}
    for group, text, side in set(_sided(masked)) if masked else ():
        if masked and _unit(text) in masked.units:
            was, now = (s.text(*text, group[0]).label(s.policy).bits for s in (study, masked))
            couple = (relative(was, side), relative(now, side))
            tally.setdefault(group, Counter())[couple] += 1
    rows = []
    for group, counts in tally.items():
        starts = Counter[str]()
        for (start, _), n in counts.items():
            starts[start] += n
        for couple, n in counts.items():
            of = starts[couple[0]]
            rows.append((*group, *couple, n, of, *share(n, of), group[1] in study.development))
    return Own(name="masked_transitions", columns=columns, rows=rows, keys=columns[:5])


def _sided(masked: Study) -> Iterator[tuple[Group, Text, str]]:
    for run in masked.runs:
        factor, side = run.factors[0]
        for _, text in texts_of(run):
            for name in masked.evaluators:
                for model in (run.names[2], ALL):
                    yield (name, run.names[3], model), (text.sha256, factor), side


def coexpression(study: Study) -> Own:
    """Whether one unit expresses both facts that its run was told."""
    counts = ("n_units", "n_first_only", "n_second_only", "n_unidentified", "n_both_identified",
              "n_own_both", "n_own_first", "n_own_second", "n_own_neither",
              "n_any_both")  # fmt: skip
    columns = ("comparison", *GROUP, "unit", "status", "reason", "n_runs", *counts, "n_tasks",
               "own_both_share", "own_both_lo", "own_both_hi", "own_both_task_lo",
               "own_both_task_hi", *RESAMPLED, "development")  # fmt: skip
    rows = [
        (word, *key, *_coexpressed(own, key, found), key[1] in study.development)
        for word in ("primary", "complementary")
        if (own := study.sets.get(f"two_factor_{word}")) is not None
        for key, found in _doubled(own).items()
    ]
    return Own(name="coexpression", columns=columns, rows=rows, keys=columns[:5])


Double = tuple[str, str, int, int, int, int]
"""Task, run, bits on both factors, and the bit of the told endpoint of each."""


def _doubled(own: Study) -> dict[tuple[str, str, str, str], list[Double]]:
    out: dict[tuple[str, str, str, str], list[Double]] = {}
    for run in own.runs:
        told = [2 if side == "P" else 1 for _, side in run.factors]
        for name in own.evaluators:
            for unit, a, b in two_labels(own, run, name):
                for model in (run.names[2], ALL):
                    key = (name, run.names[3], model, unit)
                    row = (run.names[0], run.run_id, a, b, told[0], told[1])
                    out.setdefault(key, []).append(row)
    return out


def two_labels(own: Study, run: Run, name: str) -> Iterable[tuple[str, int, int]]:
    """Requests and final of a two-factor run with the bits of both factors."""
    factors = [factor for factor, _ in run.factors]
    first, second = (own.requests.get((run.run_id, f, name), {}) for f in factors)
    for number, label in first.items():
        if number in second:
            yield "request", label.bits, second[number].bits
    if run.seen and run.seen.final:
        final = run.seen.final.sha256
        a, b = (own.text(final, f, name).label(own.policy).bits for f in factors)
        yield "final", a, b


def _coexpressed(own: Study, key: tuple[str, ...], found: list[Double]) -> Iterator[Any]:
    both = [u for u in found if min(u[2:4]) >= 0]
    shown = [(bool(u[2] & u[4]), bool(u[3] & u[5])) for u in both]
    yield "ok" if both else "unknown"
    yield None if both else "empty"
    yield len({u[1] for u in found})
    yield len(found)
    yield sum(u[2] >= 0 > u[3] for u in found)
    yield sum(u[3] >= 0 > u[2] for u in found)
    yield sum(max(u[2:4]) < 0 for u in found)
    yield len(both)
    for wanted in ((True, True), (True, False), (False, True), (False, False)):
        yield shown.count(wanted)
    yield sum(min(u[2:4]) > 0 for u in both)
    yield len({u[0] for u in both})
    yield from share(shown.count((True, True)), len(both))
    drawn = Drawn(own, key[1], key[2])
    tops = by_task((u[0], 1.0) for u, s in zip(both, shown, strict=True) if s == (True, True))
    yield from drawn.limits(tops, by_task((u[0], 1.0) for u in both))
    yield from drawn.header
