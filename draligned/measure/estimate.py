"""From targets to rows of the table of estimates: value, status, counts, intervals, bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from draligned.measure import bootstrap, bounds, imbens_manski, robust
from draligned.measure import intervals as iv
from draligned.measure.layout import DECIMALS
from draligned.measure.panel import Panel, Target
from draligned.measure.proportions import wilson, wilson_scaled
from draligned.measure.resample import GENERATOR, ORDER, TaskDraws
from draligned.measure.restore import Flags
from draligned.measure.signflip import sign_flip

Floats = NDArray[np.float64]
Interval = tuple[float, float]
Cell = str | float | int | bool | None
Row = dict[str, Cell]
Whole = tuple[TaskDraws, bytes]
"""All that a row is made from: draws of tasks, and a hash of target and panel."""
Numbers = tuple[TaskDraws, Interval, bool, int, bytes, bytes]
"""All that an interval is made from: draws of tasks, range, whether it is Wilson's and over how
many pairs, numerators and denominators."""

PERCENTILE = "percentile"
WILSON = "wilson"
WILSON_TASKS = "wilson_tasks"
STUDENT = "t"
SCORE = "score"
WILSON_SCALED = "wilson_scaled"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Resampling settings, and the choices under which pairs were made (Q16, DESIGN §7)."""

    seed: int
    draws: int
    unresolved_items: str = "block_none"
    pairing: str = "first"
    known: dict[Whole | Numbers, Row] = field(default_factory=dict, repr=False, compare=False)
    """Rows and intervals found so far by what they were made from: tables share many estimates."""


@dataclass(frozen=True, kw_only=True)
class Sums:
    """A target's numerator and denominator per planned task, and the pairs they stand for."""

    numerator: Floats
    denominator: Floats
    used: Flags

    @property
    def value(self) -> float | None:
        total = float(self.denominator.sum())
        return float(self.numerator.sum()) / total if total else None

    @property
    def task_values(self) -> Floats:
        some = self.denominator > 0
        return self.numerator[some] / self.denominator[some]


def estimate(panel: Panel, targets: Sequence[Target], settings: Settings) -> list[Row]:
    """One row per target. No value is made up: n = 0 gives null and `empty`, one task gives a
    value without interval, an interval of no width is marked degenerate (HARD_CASES 24, 25)."""
    draws = TaskDraws(seed=settings.seed, draws=settings.draws, n_tasks=panel.n_tasks)
    known = settings.known
    if len(known) > _KEPT:
        known.clear()
    keys = [(draws, mark) for mark in _marks(panel, targets)]
    new = {key: target for key, target in zip(keys, targets, strict=True) if key not in known}
    known.update(zip(new, _rows(panel, tuple(new.values()), draws, known), strict=True))
    chosen: Row = {"unresolved_items": settings.unresolved_items, "pairing": settings.pairing}
    return [known[key] | chosen for key in keys]


_KEPT = 8192


def _marks(panel: Panel, targets: Sequence[Target]) -> Iterator[bytes]:
    """A hash of everything that the row of each target is made from."""
    whole = blake2b(digest_size=16)
    for codes in (panel.tasks, *panel.clusters.values()):
        whole.update(codes.tobytes())
    for target in targets:
        own, words = whole.copy(), []
        for item in fields(target):
            value = getattr(target, item.name)
            parts = (value.low, value.high) if isinstance(value, bounds.Limits) else (value,)
            arrays = [part for part in parts if isinstance(part, np.ndarray)]
            words.append((item.name, len(arrays) if arrays else value))
            for array in arrays:
                own.update(array.tobytes())
        own.update(repr(words).encode())
        yield own.digest()


def _rows(
    panel: Panel, targets: Sequence[Target], draws: TaskDraws, known: dict[Whole | Numbers, Row]
) -> list[Row]:
    """Rows of targets, each different from the others."""
    sums = [sums_of(panel, target) for target in targets]
    rows = []
    for target, own, drawn in zip(targets, sums, _drawn(targets, sums, draws, known), strict=True):
        row = _head(panel, target, own)
        if row["status"] == "ok" and own.used.any():
            row |= drawn | _sensitivity(panel, target, own, draws)
        counts = {name: drawn[name] for name in _COUNTED}
        rows.append(row | _bounds(panel, target) | resampled(draws) | counts)
    return rows


_COUNTED = ("boot_empty", "boot_flat")


def _drawn(
    targets: Sequence[Target],
    sums: Sequence[Sums],
    draws: TaskDraws,
    known: dict[Whole | Numbers, Row],
) -> list[Row]:
    """Intervals of each target and counts of its draws; those in `known` are not made again."""
    numbers = [_numbers(t, own, draws) for t, own in zip(targets, sums, strict=True)]
    new = {key: k for k, key in enumerate(numbers) if key not in known}
    if new:
        redone = bootstrap.replicate(
            np.stack([sums[k].numerator for k in new.values()], axis=1),
            np.stack([sums[k].denominator for k in new.values()], axis=1),
            draws,
        )
    for place, (key, k) in enumerate(new.items()):
        filled = redone.filled[:, place]
        values, errors = redone.value[:, place], redone.error[:, place]
        if not filled.all():
            values, errors = values[filled], errors[filled]
        counts: Row = {"boot_empty": int((~filled).sum()), "boot_flat": int((errors == 0).sum())}
        known[key] = _intervals(targets[k], sums[k], values, errors) | counts
    return [known[key] for key in numbers]


def _numbers(target: Target, own: Sums, draws: TaskDraws) -> Numbers:
    ends, pairs = (target.low, target.high), int(own.used.sum()) if target.binomial else 0
    top, bottom = own.numerator.tobytes(), own.denominator.tobytes()
    return draws, ends, target.binomial, pairs, top, bottom


def sums_of(panel: Panel, target: Target) -> Sums:
    """Sums of a target per planned task."""
    used = target.member & target.readable
    tasks = panel.tasks[used]
    sizes = np.bincount(tasks, minlength=panel.n_tasks).astype(np.float64)
    totals: Floats = np.bincount(
        tasks, weights=target.values[used], minlength=panel.n_tasks
    ).astype(np.float64)
    if target.weighting == "pair":
        return Sums(numerator=totals, denominator=sizes, used=used)
    means = totals / np.maximum(sizes, 1.0)
    return Sums(numerator=means, denominator=(sizes > 0).astype(np.float64), used=used)


def _head(panel: Panel, target: Target, own: Sums) -> Row:
    n_pairs, n_readable = int(target.member.sum()), int(own.used.sum())
    n_tasks = int((own.denominator > 0).sum())
    status, reason = "ok", None
    if n_readable == 0:
        status, reason = "unknown", "empty"
    elif target.population == "planned" and n_readable < n_pairs:
        status, reason = "bounded", "unreadable_pairs"
    elif n_tasks < 2:
        reason = "one_task"
    return {
        "estimand": target.estimand,
        "channel": target.channel,
        "operator": target.operator,
        "population": target.population,
        "status": status,
        "reason": reason,
        "value": own.value if status == "ok" else None,
        "n_pairs": n_pairs,
        "n_readable_p": _arm(target, target.read_p),
        "n_readable_q": _arm(target, target.read_q),
        "n_readable": n_readable if target.n_readable is None else target.n_readable,
        "n_planned": panel.n_pairs,
        "n_tasks": n_tasks,
        "n_tasks_planned": panel.n_tasks,
        "range_lo": target.low,
        "range_hi": target.high,
    }


def _arm(target: Target, read: Flags | None) -> int | None:
    """Pairs of the population in which that arm was read, whatever the other one."""
    return None if read is None else int((target.member & read).sum())


def _intervals(target: Target, own: Sums, values: Floats, errors: Floats) -> Row:
    """Intervals of a value, by the draws that are not empty."""
    value, n_tasks = own.value, len(own.task_values)
    if value is None or n_tasks < 2:
        return {}
    flat = bool(np.ptp(own.task_values) < 1e-12)
    tails = None if flat else iv.bca(values, own.numerator, own.denominator)
    plain, wide, corrected = iv.at(values, iv.percentile(), iv.expanded(n_tasks), tails)
    row = _paper(target, own, plain) | {"degenerate": flat and not target.binomial}
    if flat:
        return row | _flat(target, value, n_tasks)
    error = bootstrap.ratio_error(own.numerator, own.denominator)
    ends = (target.low, target.high)
    student = iv.studentised(values, errors, value, error)
    student = student and iv.clip(student, *ends)
    scored = iv.score(value, error, n_tasks, ends)
    words = [word for word, found in ((STUDENT, student), (SCORE, scored)) if found]
    return (
        row
        | named("ci_expanded", wide)
        | named("ci_bca", corrected)
        | named("ci_t", student)
        | named("ci_score", scored)
        | named("ci_union", iv.union(plain, student, scored))
        | {"ci_union_method": "_".join([PERCENTILE, *words])}
    )


def _paper(target: Target, own: Sums, plain: Interval | None) -> Row:
    """The interval that the paper gives: percentile, for a share of pairs Wilson's."""
    if not target.binomial:
        return named("ci", plain) | {"ci_method": PERCENTILE}
    value, n_readable = float(own.value or 0.0), int(own.used.sum())
    return named("ci", wilson(value * n_readable, n_readable)) | {"ci_method": WILSON}


def _flat(target: Target, value: float, n_tasks: int) -> Row:
    """Where all tasks have one value: an interval as if each stood at an end of the range."""
    cautious = wilson_scaled(value, n_tasks, target.low, target.high)
    share = (target.low, target.high) == (0.0, 1.0)
    method = WILSON_TASKS if share else WILSON_SCALED
    row: Row = named("ci_union", cautious) | {"ci_union_method": method}
    if share and not target.binomial:
        row |= named("ci", cautious) | {"ci_method": WILSON_TASKS}
    return row


def _sensitivity(panel: Panel, target: Target, own: Sums, draws: TaskDraws) -> Row:
    """Sign-flip test, leave-one-out ranges, two-way clusters: for task-equal differences."""
    value = own.value
    if not target.contrast or target.weighting != "task" or value is None:
        return {}
    pairs = robust.Readable(
        values=target.values[own.used],
        tasks=panel.tasks[own.used],
        n_tasks=panel.n_tasks,
        clusters={name: codes[own.used] for name, codes in panel.clusters.items()},
    )
    test = sign_flip(own.task_values, seed=draws.seed, draws=draws.draws)
    row: Row = {f"signflip_{name}": word for name, word in asdict(test).items()} if test else {}
    for name, codes in {"task": pairs.tasks, **pairs.clusters}.items():
        row |= named(f"loo_{name}", robust.leave_one_out(pairs, codes))
    return row | named("twoway", robust.two_way(pairs, value))


def _bounds(panel: Panel, target: Target) -> Row:
    """Bounds of the mean over all pairs of the population, readable or not."""
    if target.sharp is None or not target.member.any():
        return {}
    known = {
        "coarse": bounds.coarse(target.values, target.readable, target.low, target.high),
        "sharp": bounds.Limits(
            low=np.where(target.readable, target.values, target.sharp.low),
            high=np.where(target.readable, target.values, target.sharp.high),
        ),
    }
    if target.opened is not None:
        known["open"] = target.opened
    row: Row = {}
    for name, limits in known.items():
        low, high, weights = _task_limits(panel, target, limits)
        row |= named(name, (float(weights @ low), float(weights @ high)))
        if target.population == "planned" and target.weighting == "task":
            ends = (target.low, target.high)
            row |= named(_PLANNED[name], imbens_manski.interval(low, high, ends))
    if target.contrast and target.weighting == "task":
        row |= _tipping(panel, target)
        row["tipping_reachable"] = holds_zero(row) if row["tipping"] is not None else None
    return row


_PLANNED = {"coarse": "im_coarse", "sharp": "im", "open": "im_open"}


def _task_limits(
    panel: Panel, target: Target, limits: bounds.Limits
) -> tuple[Floats, Floats, Floats]:
    """Least and greatest mean of each task that has members, and the tasks' weights."""
    inside = target.member
    tasks = panel.tasks[inside]
    sizes = np.bincount(tasks, minlength=panel.n_tasks)
    used = sizes > 0
    low, high = (
        np.bincount(tasks, weights=values[inside], minlength=panel.n_tasks)[used] / sizes[used]
        for values in (limits.low, limits.high)
    )
    equal = np.ones(len(low)) if target.weighting == "task" else sizes[used].astype(np.float64)
    return low, high, equal / equal.sum()


def _tipping(panel: Panel, target: Target) -> Row:
    inside = target.member
    point = bounds.tipping_point(
        target.values[inside], target.readable[inside], panel.tasks[inside], panel.n_tasks
    )
    return {"tipping": point}


def holds_zero(row: Row) -> bool:
    """Whether the sharp bounds contain zero, as they stand in the table: what summing leaves
    behind the last digit kept is no side of zero."""
    low, high = row["sharp_lo"], row["sharp_hi"]
    if not (isinstance(low, float) and isinstance(high, float)):
        return False
    return round(low, DECIMALS) <= 0 <= round(high, DECIMALS)


def named(name: str, interval: Interval | None) -> Row:
    """Columns of an interval; none where there is none."""
    if interval is None:
        return {}
    return {f"{name}_lo": interval[0], f"{name}_hi": interval[1]}


def resampled(draws: TaskDraws) -> Row:
    """How tasks were drawn, so that another program can redo it."""
    return {
        "boot_generator": GENERATOR,
        "boot_seed": draws.seed,
        "boot_draws": draws.draws,
        "boot_tasks": draws.n_tasks,
        "boot_order": ORDER,
    }
