"""Tables of inference beside the estimates, made anew."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from draligned.verify import intervals as iv
from draligned.verify import panels as ps
from draligned.verify.clustered import GENERATOR, share
from draligned.verify.compare import Own
from draligned.verify.estimates import Cells, groups_of, is_primary, rows_of, sums_of, task_mean
from draligned.verify.pairs import Pair, sign
from draligned.verify.panels import Panel, Target
from draligned.verify.study import ALL, Study

CLUSTERS = {"task": 0, "user": 1, "factor": 2, "model": 3}


def _both(panel: Panel) -> Iterator[Target]:
    yield ps.d_a(panel)
    yield ps.d_f(panel)


def leave_one_out(study: Study) -> Own:
    """D_A and D_F with one task, user, factor or model left out, by name."""
    columns = ("evaluator", "harness", "model", "estimand", "left_out", "name", "status", "value",
               "without", "change", "n_readable", "n_left", "development")  # fmt: skip
    rows = [
        (*names, target.estimand, kind, *row, names[1] in study.development)
        for names, panel in groups_of(study.pairs(), by_model=False)
        for target in _both(panel)
        for kind, at in CLUSTERS.items()
        for row in _without(panel, target, at)
    ]
    return Own(name="leave_one_out", columns=columns, rows=rows, keys=columns[:6])


def _without(panel: Panel, target: Target, at: int) -> Iterator[tuple[Any, ...]]:
    used = target.readable
    values, tasks = target.values[used], panel.tasks[used]
    names = np.array([p.cell[at] for p in panel.pairs])[used]
    for name in np.unique(names):
        kept = names != name
        value = task_mean(values, tasks)
        left = task_mean(values[kept], tasks[kept]) if kept.any() else None
        yield (str(name), "unknown" if left is None else "ok", value, left,
               None if left is None else left - value, len(values), int(kept.sum()))  # fmt: skip


def contrast_classes(study: Study) -> Own:
    """Tasks and factors by the size of their mean D."""
    columns = ("evaluator", "harness", "model", "estimand", "level", "threshold", "borrowed", "use",
               "n_units", "n_toward", "n_against", "n_small", "n_unknown", "n_sure_toward",
               "n_sure_against", "n_sure_small", "development")  # fmt: skip
    rows = [
        (*names, target.estimand, level, threshold, threshold == 0.10, "sensitivity",
         *_classes(_units(panel, target, level), threshold - iv.FLAT),
         names[1] in study.development)
        for names, panel in groups_of(study.pairs())
        for target in _both(panel)
        for level in ("task", "factor")
        for threshold in (0.05, 0.10, 0.20)
    ]  # fmt: skip
    return Own(name="contrast_classes", columns=columns, rows=rows, keys=columns[:6])


Means = list[tuple[float | None, float, float]]


def _units(panel: Panel, target: Target, level: str) -> Means:
    """Mean over readable pairs and sharp bounds of each task or factor."""
    names = np.array([p.cell[CLUSTERS[level]] for p in panel.pairs])
    known, sharp = target.readable, target.sharp or (target.values, target.values)
    out: Means = []
    for name in np.unique(names):
        mine = names == name
        seen = target.values[mine & known]
        ends = [float(np.where(known, target.values, s)[mine].mean()) for s in sharp]
        out.append((float(seen.mean()) if len(seen) else None, ends[0], ends[1]))
    return out


def _classes(units: Means, edge: float) -> Iterator[int]:
    means = [m for m, _, _ in units if m is not None]
    yield len(units)
    yield sum(m >= edge for m in means)
    yield sum(m <= -edge for m in means)
    yield sum(abs(m) < edge for m in means)
    yield len(units) - len(means)
    yield sum(low >= edge for _, low, _ in units)
    yield sum(high <= -edge for *_, high in units)
    yield sum(low > -edge and high < edge for _, low, high in units)


def recurrence(study: Study) -> Own:
    """Signs and means by model, harness, evaluator and environment."""
    copied = ("estimand", "status", "reason", "value", "n_readable_p", "n_readable_q",
              "signflip_p", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi",
              "boot_generator", "boot_seed", "boot_draws", "boot_tasks", "boot_empty",
              "boot_order")  # fmt: skip
    names = ("evaluator", "harness", "model", "environment", "channel")
    counted = ("n_planned", "n_readable", "n_positive", "n_zero", "n_negative", "readable_share",
               "readable_lo", "readable_hi", "positive_share", "positive_lo", "positive_hi",
               "n_tasks", "n_tasks_positive", "n_tasks_zero", "n_tasks_negative")  # fmt: skip
    columns = (*names, *copied, "ci_lo", "ci_hi", "ci_method", "sign", *counted, "development")
    rows = [tuple(row.get(c) for c in columns) for row in _recurrence(study)]
    return Own(name="recurrence", columns=columns, rows=rows, keys=names,
               loose=frozenset(("ci_lo", "ci_hi")))  # fmt: skip


def _recurrence(study: Study) -> Iterator[Cells]:
    pairs = study.pairs()
    for environment in (ALL, *sorted({p.cell[5] for p in pairs})):
        own = [p for p in pairs if environment in (ALL, p.cell[5])]
        panels = dict(groups_of(own))
        for row in rows_of(study, own, _readable, {}):
            panel = panels[row["evaluator"], row["harness"], row["model"]]
            value = row["value"]
            word = "unknown" if value is None else _SIGNS[sign(_near(value))]
            yield row | _signs(panel, row["channel"]) | {
                "environment": environment, "sign": word, "ci_lo": row.get("ci_union_lo"),
                "ci_hi": row.get("ci_union_hi"), "ci_method": row.get("ci_union_method"),
            }  # fmt: skip


_SIGNS = {1: "positive", 0: "zero", -1: "negative"}


def _readable(panel: Panel) -> Iterator[Target]:
    for target in _both(panel):
        yield ps.over(panel, target, "readable")


def _near(value: float) -> float:
    return 0.0 if abs(value) <= iv.FLAT else value


def _signs(panel: Panel, channel: str) -> Cells:
    low = channel.lower()
    used = [p for p in panel.pairs if p.status(low) == "readable"]
    values = [p.d_a if low == "a" else float(p.d_f) for p in used]
    signs = [sign(p.d_a_parts[0]) if low == "a" else p.d_f for p in used]
    means: dict[str, list[float]] = {}
    for pair, value in zip(used, values, strict=True):
        means.setdefault(pair.cell[0], []).append(value)
    tasks = [sign(_near(sum(v) / len(v))) for v in means.values()]
    row: Cells = {"n_planned": len(panel.pairs), "n_readable": len(used), "n_tasks": len(tasks)}
    for name, found in (("n", signs), ("n_tasks", tasks)):
        row |= {f"{name}_{word}": found.count(s) for s, word in _SIGNS.items()}
    parts = {"readable": (len(used), len(panel.pairs)), "positive": (signs.count(1), len(used))}
    for name, (top, bottom) in parts.items():
        row |= dict(zip((f"{name}_share", f"{name}_lo", f"{name}_hi"), share(top, bottom),
                        strict=True))  # fmt: skip
    return row


def simultaneous(study: Study) -> Own:
    """Max-t intervals of the primary estimates of one evaluator."""
    columns = ("evaluator", "harness", "model", "estimand", "population", "status", "reason",
               "value", "error", "ci_lo", "ci_hi", "p_adjusted", "critical", "n_family", "n_tasks",
               "n_draws_used", "boot_generator", "boot_seed", "boot_draws", "boot_tasks",
               "boot_order", "development")  # fmt: skip
    rows = [tuple(row.get(c) for c in columns) for row in _families(study)]
    return Own(name="simultaneous", columns=columns, rows=rows, keys=columns[:5],
               loose=frozenset(("ci_lo", "ci_hi", "critical", "p_adjusted")))  # fmt: skip


def _families(study: Study) -> Iterator[Cells]:
    measure = study.settings.measure
    for evaluator in study.evaluators:
        own = [p for p in study.pairs() if p.evaluator == evaluator]
        tasks = sorted({p.cell[0] for p in own})
        head = {
            "boot_generator": GENERATOR, "boot_seed": measure.seed, "boot_draws": measure.draws,
            "boot_tasks": len(tasks), "boot_order": "task_id ascending",
        }  # fmt: skip
        members = list(_members(study, own, tasks))
        for row in _family(members, iv.drawn(measure.seed, measure.draws, len(tasks))):
            yield row | head | {"development": row["harness"] in study.development}


Member = tuple[Cells, Target, Any, Any]


def _members(study: Study, pairs: list[Pair], tasks: list[str]) -> Iterator[Member]:
    """Names, target, and sums over the family's tasks."""
    for names, panel in groups_of(pairs, by_model=False):
        for target in ps.main_targets(panel):
            row: Cells = dict(zip(("evaluator", "harness", "model"), names, strict=True))
            row |= {"estimand": target.estimand, "population": target.population}
            if not is_primary(study, row):
                continue
            top, bottom = np.zeros(len(tasks)), np.zeros(len(tasks))
            whole = bool((target.readable | ~target.member).all())
            if target.population != "planned" or whole:
                at = [tasks.index(t) for t in panel.task_names]
                top[at], bottom[at] = sums_of(panel, target)
            yield row, target, top, bottom


def _varies(member: Member) -> bool:
    _, _, top, bottom = member
    means = top[bottom > 0] / bottom[bottom > 0]
    return len(means) > 1 and bool(means.max() - means.min() > iv.FLAT)


def _family(members: list[Member], index: Any) -> Iterator[Cells]:
    family = [m for m in members if _varies(m)]
    for row, _, _, bottom in (m for m in members if not _varies(m)):
        n = int((bottom > 0).sum())
        reason = "degenerate" if n > 1 else "one_task" if n else "no_value"
        yield row | {"status": "unknown", "reason": reason, "n_tasks": n, "n_family": len(family)}
    if family:
        yield from _intervals(family, index)


def _intervals(family: list[Member], index: Any) -> Iterator[Cells]:
    redone = [iv.Redone(top, bottom, index, whole=True) for *_, top, bottom in family]
    used = np.logical_and.reduce([r.filled & (r.errors > 0) for r in redone])
    values = [float(top.sum() / bottom.sum()) for *_, top, bottom in family]
    t = [np.abs(r.values[used] - v) / r.errors[used] for r, v in zip(redone, values, strict=True)]
    n_used = int(used.sum())
    enough = 2 * n_used >= len(index)
    largest = np.max(t, axis=0) if enough else np.zeros(0)
    critical = iv.quantiles(largest, 0.95, 0.95)[0] if enough else None
    for (row, target, top, bottom), value in zip(family, values, strict=True):
        error = iv.error_of(top, bottom)
        cells: Cells = {
            "status": "ok" if enough else "unknown", "reason": None if enough else "flat_draws",
            "value": value, "error": error, "critical": critical, "n_family": len(family),
            "n_tasks": int((bottom > 0).sum()), "n_draws_used": n_used,
        }  # fmt: skip
        if critical is not None:
            ends = iv.cut((value - critical * error, value + critical * error), target.ends)
            hits = int((largest >= abs(value) / error * (1 - 1e-9)).sum())
            cells |= {"ci_lo": ends[0], "ci_hi": ends[1], "p_adjusted": (1 + hits) / (1 + n_used)}
        yield row | cells


def role_balance(study: Study) -> Own:
    """How often each value of a kind is the recorded one."""
    columns = ("evaluator", "harness", "kind", "recorded", "counterfactual", "roles", "n_factors",
               "n_factors_reversed", "n_pairs", "n_pairs_reversed", "n_tasks", "n_readable_a",
               "n_readable_f", "d_a", "d_f", "development")  # fmt: skip
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in study.pairs():
        card = study.design.cards[pair.cell[2]]
        values = (card.ends["P"].value, card.ends["Q"].value)
        groups.setdefault((pair.evaluator, pair.cell[4], card.kind, *values), []).append(pair)
    rows = []
    for key, pairs in groups.items():
        turned = groups.get((*key[:3], key[4], key[3]), [])
        roles = "both" if turned else "one_way"
        roles = "balanced" if turned and len(turned) == len(pairs) else roles
        rows.append((*key, roles, *_balance(pairs, turned), key[1] in study.development))
    return Own(name="role_balance", columns=columns, rows=rows, keys=columns[:5])


def _balance(pairs: list[Pair], turned: list[Pair]) -> Iterator[Any]:
    for some in (pairs, turned):
        yield len({p.cell[2] for p in some})
    yield len(pairs)
    yield len(turned)
    yield len({p.cell[0] for p in pairs})
    read = {c: [p for p in pairs if p.status(c) == "readable"] for c in "af"}
    yield from (len(read[c]) for c in "af")
    yield _mean(p.d_a for p in read["a"])
    yield _mean(p.d_f for p in read["f"])


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
