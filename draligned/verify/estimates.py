"""Tables of estimates, made anew: value, counts, intervals, tests, bounds of every row."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from draligned.verify import intervals as iv
from draligned.verify import panels as ps
from draligned.verify.compare import DECIMALS, Own, Row
from draligned.verify.count_tables import wilson
from draligned.verify.pairs import Pair
from draligned.verify.panels import Floats, Limits, Panel, Target
from draligned.verify.student import both_sides
from draligned.verify.study import ALL, Study

Cells = dict[str, Any]
Targets = Callable[[Panel], Iterable[Target]]
GENERATOR = "numpy.random.Generator(PCG64(seed)).integers(0, tasks, (draws, tasks))"
CLUSTERS = {"user": 1, "factor": 2, "model": 3}
"""Where a pair's cell names what pairs share beside the task."""
COLUMNS = (
    "evaluator", "harness", "model", "estimand", "channel", "operator", "population", "status",
    "reason", "value", "n_pairs", "n_readable_p", "n_readable_q", "n_readable",
    "n_planned", "n_tasks", "n_tasks_planned", "ci_lo", "ci_hi", "ci_method", "degenerate",
    "ci_expanded_lo", "ci_expanded_hi", "ci_bca_lo",
    "ci_bca_hi", "ci_t_lo", "ci_t_hi", "ci_score_lo", "ci_score_hi", "ci_union_lo", "ci_union_hi",
    "ci_union_method", "signflip_p", "signflip_method", "loo_task_lo", "loo_task_hi",
    "loo_user_lo", "loo_user_hi", "loo_factor_lo", "loo_factor_hi", "loo_model_lo", "loo_model_hi",
    "twoway_lo", "twoway_hi", "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "open_lo",
    "open_hi", "im_coarse_lo", "im_coarse_hi", "im_lo", "im_hi", "im_open_lo", "im_open_hi",
    "tipping", "tipping_reachable", "range_lo", "range_hi", "boot_generator", "boot_seed",
    "boot_draws", "boot_tasks", "boot_empty", "boot_flat", "boot_order", "unresolved_items",
    "pairing", "primary", "development",
)  # fmt: skip
LOOSE = frozenset(
    name for name in COLUMNS
    if name.startswith(("ci_", "im_", "twoway_")) and not name.endswith("method")
)  # fmt: skip


def named(name: str, ends: tuple[Any, Any] | None) -> Cells:
    """Columns of an interval."""
    return {} if ends is None else {f"{name}_lo": ends[0], f"{name}_hi": ends[1]}


def sums_of(panel: Panel, target: Target) -> tuple[Floats, Floats]:
    """Numerator and denominator of each planned task."""
    used = target.member & target.readable
    top, size = np.zeros(len(panel.task_names)), np.zeros(len(panel.task_names))
    np.add.at(top, panel.tasks[used], target.values[used])
    np.add.at(size, panel.tasks[used], 1.0)
    if target.weighting == "pair":
        return top, size
    return np.divide(top, size, out=np.zeros_like(top), where=size > 0), (size > 0).astype(float)


def row_of(panel: Panel, target: Target, seed: int, draws: int) -> Cells:
    """One row, without its names."""
    top, bottom = sums_of(panel, target)
    redone = iv.Redone(top, bottom, iv.drawn(seed, draws, len(panel.task_names)))
    row = _head(panel, target, top, bottom)
    if row["status"] == "ok" and row["n_tasks"] > 0:
        row |= _intervals(target, row, (top, bottom), redone)
        if target.contrast and target.weighting == "task":
            row |= _robust(panel, target, row["value"], seed, draws)
    row |= _bounds(panel, target)
    return row | {
        "boot_generator": GENERATOR, "boot_seed": seed, "boot_draws": draws,
        "boot_tasks": len(panel.task_names), "boot_empty": redone.empty,
        "boot_flat": redone.flat, "boot_order": "task_id ascending",
    }  # fmt: skip


def _head(panel: Panel, target: Target, top: Floats, bottom: Floats) -> Cells:
    used = int((target.member & target.readable).sum())
    n_pairs, n_tasks = int(target.member.sum()), int((bottom > 0).sum())
    status, reason = "ok", "one_task" if n_tasks < 2 else None
    if used == 0:
        status, reason = "unknown", "empty"
    elif target.population == "planned" and used < n_pairs:
        status, reason = "bounded", "unreadable_pairs"
    value = float(top.sum() / bottom.sum()) if status == "ok" else None
    return {
        "estimand": target.estimand, "channel": target.channel, "operator": target.operator,
        "population": target.population, "status": status, "reason": reason, "value": value,
        "n_pairs": n_pairs,
        **{f"n_readable_{s}": int((target.member & panel.read(target.channel.lower(), s)).sum())
           for s in "pq"},
        "n_readable": used if target.n_readable is None else target.n_readable,
        "n_planned": len(panel.pairs), "n_tasks": n_tasks,
        "n_tasks_planned": len(panel.task_names), "range_lo": target.ends[0],
        "range_hi": target.ends[1],
    }  # fmt: skip


def _intervals(
    target: Target, head: Cells, sums: tuple[Floats, Floats], redone: iv.Redone
) -> Cells:
    value, n = head["value"], head["n_tasks"]
    if n < 2:
        return {}
    top, bottom = sums
    means = top[bottom > 0] / bottom[bottom > 0]
    flat = bool(means.max() - means.min() < iv.FLAT)
    plain = iv.percentile(redone.values)
    row = named("ci", plain) | {"ci_method": "percentile", "degenerate": flat}
    if target.binomial:
        used = int((target.member & target.readable).sum())
        row = named("ci", wilson(value * used, used)) | {"ci_method": "wilson", "degenerate": False}
    if flat:
        return row | _flat(target, value, n)
    error = iv.error_of(top, bottom)
    t = iv.student(redone, value, error, target.ends)
    scored = iv.score(value, error, both_sides(n), target.ends)
    words = ["percentile", *(["t"] if t else []), *(["score"] if scored else [])]
    return (
        row
        | named("ci_expanded", iv.expanded(redone.values, n))
        | named("ci_bca", iv.bca(redone.values, top, bottom))
        | named("ci_t", t)
        | named("ci_score", scored)
        | named("ci_union", iv.union([plain, t, scored]))
        | {"ci_union_method": "_".join(words)}
    )


def _flat(target: Target, value: float, n: int) -> Cells:
    cautious = iv.scaled_wilson(value, n, target.ends)
    share = target.ends == (0.0, 1.0)
    method = "wilson_tasks" if share else "wilson_scaled"
    row = named("ci_union", cautious) | {"ci_union_method": method}
    if share and not target.binomial:
        row |= named("ci", cautious) | {"ci_method": method}
    return row


def _robust(panel: Panel, target: Target, value: float, seed: int, draws: int) -> Cells:
    """Sign-flip test, ranges with one cluster left out, two-way clusters."""
    used = target.member & target.readable
    values, tasks = target.values[used], panel.tasks[used]
    means = np.array([values[tasks == t].mean() for t in np.unique(tasks)])
    p, method = iv.sign_flip(means, seed, draws)
    row: Cells = {"signflip_p": p, "signflip_method": method}
    row |= named("loo_task", _without(values, tasks, tasks))
    for name, at in CLUSTERS.items():
        codes = panel.codes(lambda pair, i=at: pair.cell[i])[used]  # type: ignore[misc]
        row |= named(f"loo_{name}", _without(values, tasks, codes))
    users = panel.codes(lambda pair: pair.cell[1])[used]
    return row | named("twoway", _two_way(values, tasks, users, value))


def task_mean(values: Floats, tasks: Any) -> float:
    """Mean over tasks of the means within them."""
    return float(np.mean([values[tasks == t].mean() for t in np.unique(tasks)]))


def _without(values: Floats, tasks: Any, codes: Any) -> tuple[float, float] | None:
    found = np.unique(codes)
    if len(found) < 2:
        return None
    rest = [codes != code for code in found]
    means = [task_mean(values[kept], tasks[kept]) for kept in rest]
    return min(means), max(means)


def _two_way(values: Floats, tasks: Any, users: Any, value: float) -> tuple[float, float] | None:
    names, sizes = np.unique(tasks, return_counts=True)
    if len(names) < 2 or len(np.unique(users)) < 2:
        return None
    size = dict(zip(names.tolist(), sizes.tolist(), strict=True))
    share = np.array([1.0 / (size[t] * len(names)) for t in tasks.tolist()])
    parts = share * (values - value)

    def spread(groups: Sequence[Any]) -> float:
        totals: dict[Any, float] = {}
        for group, part in zip(groups, parts.tolist(), strict=True):
            totals[group] = totals.get(group, 0.0) + part
        n = len(totals)
        return sum(t * t for t in totals.values()) * n / max(n - 1, 1)

    by_task, by_user = spread(tasks.tolist()), spread(users.tolist())
    both = spread(list(zip(tasks.tolist(), users.tolist(), strict=True)))
    half = iv.Z * sqrt(max(by_task + by_user - both, by_task, by_user))
    return value - half, value + half


def _bounds(panel: Panel, target: Target) -> Cells:
    """Bounds over all pairs of the population, readable or not."""
    if target.sharp is None or not target.member.any():
        return {}
    known = target.readable
    limits: dict[str, Limits] = {
        "coarse": tuple(np.where(known, target.values, end) for end in target.ends),  # type: ignore[dict-item]
        "sharp": tuple(np.where(known, target.values, end) for end in target.sharp),  # type: ignore[dict-item]
    }
    if target.opened is not None:
        limits["open"] = target.opened
    row: Cells = {}
    inside = target.member
    tasks = panel.tasks[inside]
    for name, (low, high) in limits.items():
        if target.weighting == "pair":
            row |= named(name, (float(low[inside].mean()), float(high[inside].mean())))
            continue
        each = [
            np.array([side[inside][tasks == t].mean() for t in np.unique(tasks)])
            for side in (low, high)
        ]
        row |= named(name, (float(each[0].mean()), float(each[1].mean())))
        if target.population == "planned":
            im = "im" if name == "sharp" else f"im_{name}"
            row |= named(im, iv.imbens_manski(each[0], each[1], target.ends))
    return row | _tipping(panel, target, row)


def _tipping(panel: Panel, target: Target, row: Cells) -> Cells:
    """What unreadable pairs would have to be, on average, for the planned mean to be zero."""
    if not target.contrast or target.weighting != "task":
        return {}
    tasks, known = panel.tasks[target.member], target.readable[target.member]
    sizes = np.bincount(tasks)
    weight = 1.0 / sizes[tasks]
    missing = float(weight[~known].sum())
    if not missing:
        return {}
    point = -float((weight * target.values[target.member])[known].sum()) / missing
    low, high = (round(row[f"sharp_{end}"], DECIMALS) for end in ("lo", "hi"))
    return {"tipping": point, "tipping_reachable": low <= 0 <= high}


def groups_of(
    pairs: Sequence[Pair], *, by_model: bool = True
) -> Iterator[tuple[tuple[str, str, str], Panel]]:
    """Panels of every evaluator × harness, all models together and one by one."""
    groups: dict[tuple[str, str, str], list[Pair]] = {}
    for pair in pairs:
        for model in (ALL, pair.cell[3]) if by_model else (ALL,):
            groups.setdefault((pair.evaluator, pair.cell[4], model), []).append(pair)
    for names in sorted(groups):
        yield names, ps.panel_of(groups[names])


def rows_of(
    study: Study, pairs: Sequence[Pair], targets: Targets, choices: Cells, *, by_model: bool = True,
    primary: bool = False,
) -> Iterator[Cells]:  # fmt: skip
    """Rows of pairs in the layout of the estimates; `choices` replace those of the study."""
    measure = study.settings.measure
    for names, panel in groups_of(pairs, by_model=by_model):
        for target in targets(panel):
            row = dict(zip(COLUMNS[:3], names, strict=True))
            row |= row_of(panel, target, measure.seed, measure.draws)
            row |= {"unresolved_items": study.policy, "pairing": study.pairing} | choices
            chosen = primary and is_primary(study, row)
            yield row | {"primary": chosen, "development": names[1] in study.development}


def is_primary(study: Study, row: Cells) -> bool:
    """Whether a row is of an estimand of the lock, by the primary evaluator, all models."""
    who = study.plan.primary
    return (
        who in study.evaluators and row["evaluator"] == who and row["model"] == ALL
        and (row["estimand"], row["population"]) in study.design.estimands
    )  # fmt: skip


def _table(name: str, rows: Iterable[Cells], keys: tuple[str, ...], *more: str) -> Own:
    columns = (*more, *COLUMNS)
    made: list[Row] = [tuple(row.get(c) for c in columns) for row in rows]
    return Own(name=name, columns=columns, keys=keys, rows=made, loose=LOOSE)


def estimates(study: Study) -> Own:
    """The main table."""
    rows = rows_of(study, study.pairs(), ps.main_targets, {}, primary=True)
    return _table("estimates", rows, ("evaluator", "harness", "model", "estimand", "population"))


def operators(study: Study) -> Own:
    """The 2×2 of operator × channel."""
    keys = ("evaluator", "harness", "model", "channel", "operator", "population")
    return _table("operators", rows_of(study, study.pairs(), ps.operator_targets, {}), keys)


def sensitivity(study: Study) -> Own:
    """The main estimates with one setting changed at a time."""
    keys = ("setting", "choice", "evaluator", "harness", "model", "estimand", "population")
    return _table("sensitivity", _changed(study), keys, "setting", "choice")


def _changed(study: Study) -> Iterator[Cells]:
    def rows(setting: str, choice: str, pairs: list[Pair], targets: Targets, said: Cells) -> Any:
        for row in rows_of(study, pairs, targets, said, by_model=False):
            yield row | {"setting": setting, "choice": choice}

    for policy in ("block_none", "ignore", "block_all"):
        yield from rows("unresolved_items", policy, study.pairs(policy), ps.core_targets,
                        {"unresolved_items": policy})  # fmt: skip
    for way in ("first", "all_cross"):
        yield from rows("pairing", way, study.pairs(None, way), ps.core_targets, {"pairing": way})
    yield from rows("requests", "all_executed", study.pairs(), ps.core_targets, {})
    answered = study.pairs(answered=True)
    yield from rows("requests", "answered_only", answered, ps.core_targets, {})
    yield from rows("weighting", "pair", study.pairs(), ps.by_pair, {})
    for name in ("sign", "raw", "halved"):
        yield from rows("coding", name, study.pairs(), ps.coded(name), {})


def tasks(study: Study) -> Own:
    """D_A and D_F of each task."""
    columns = ("evaluator", "harness", "model", "estimand", "task_id", "status", "value",
               "coarse_lo", "coarse_hi", "sharp_lo", "sharp_hi", "n_readable", "n_planned",
               "development")  # fmt: skip
    rows = [
        (*names, target.estimand, task, *_task_row(panel, target, place),
         names[1] in study.development)
        for names, panel in groups_of(study.pairs())
        for target in (ps.d_a(panel), ps.d_f(panel))
        for place, task in enumerate(panel.task_names)
    ]  # fmt: skip
    return Own(name="tasks", columns=columns, rows=rows, keys=columns[:5])


def _task_row(panel: Panel, target: Target, place: int) -> Iterator[Any]:
    mine = panel.tasks == place
    known, values = target.readable[mine], target.values[mine]
    seen = bool(known.any())
    yield "ok" if seen else "unknown"
    yield float(values[known].mean()) if seen else None
    for end in target.ends:
        yield float(np.where(known, values, end).mean())
    for limit in target.sharp or ():
        yield float(np.where(known, values, limit[mine]).mean())
    yield int(known.sum())
    yield len(known)
