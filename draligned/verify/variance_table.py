"""Variance components of pair values, made anew from all couples of pairs."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from draligned.verify.arms import Arm
from draligned.verify.compare import Own
from draligned.verify.flip_tables import text_code
from draligned.verify.labels import readout
from draligned.verify.pairs import Pair, sign
from draligned.verify.study import Study

LEVELS = ("task", "user", "model", "environment", "task_model", "run")
Pattern = tuple[bool, ...]
Cells = dict[str, Any]


def variance_components(study: Study) -> Own:
    """Components of d_A and d_F, and what single reads add."""
    columns = ("evaluator", "harness", "channel", "estimand", "level", "basis", "status", "reason",
               "variance", "raw", "share", "n_pairs", "n_levels", "n_couples",
               "development")  # fmt: skip
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in study.pairs(None, "all_cross"):
        if pair.p and pair.q and pair.p.run.cell.replicate == pair.q.run.cell.replicate:
            groups.setdefault((pair.evaluator, pair.cell[4]), []).append(pair)
    rows = []
    for (evaluator, harness), pairs in groups.items():
        for channel, name in (("A", "D_A"), ("F", "D_F")):
            for row in (*_labels(pairs, channel.lower()), _reads(study, pairs, channel.lower())):
                head = {"evaluator": evaluator, "harness": harness, "channel": channel,
                        "estimand": name, "development": harness in study.development}  # fmt: skip
                full = head | row
                rows.append(tuple(full.get(c) for c in columns))
    loose = frozenset(("variance", "raw", "share"))
    return Own(name="variance_components", columns=columns, rows=rows, loose=loose,
               keys=("evaluator", "harness", "channel", "level"))  # fmt: skip


def _levels(pairs: list[Pair]) -> list[tuple[Any, ...]]:
    return [
        (p.cell[0], p.cell[1], p.cell[3], p.cell[5], (p.cell[0], p.cell[3]), n)
        for n, p in enumerate(pairs)
    ]


def _labels(every: list[Pair], channel: str) -> Iterator[Cells]:
    pairs = [p for p in every if p.status(channel) == "readable"]
    codes = _levels(pairs)
    values = [p.d_a if channel == "a" else float(p.d_f) for p in pairs]
    halves, counts = _halves(values, codes)
    together: dict[tuple[bool, ...], list[int]] = {}
    for k in range(len(LEVELS)):
        together.setdefault(tuple(pattern[k] for pattern in halves), []).append(k)
    groups = [ks for met, ks in together.items() if any(met)]
    solved = _solve(halves, counts, [ks[0] for ks in groups])
    total = sum(max(0.0, v) for v in solved if v is not None)
    sizes = [len({code[k] for code in codes}) for k in range(len(LEVELS))]
    for ks, raw in zip(groups, solved, strict=True):
        couples = sum(n for pattern, n in counts.items() if pattern[ks[0]])
        yield _row(ks, raw, "not_identified", couples, (len(pairs), total, sizes))
        if len(ks) > 1:
            for k in ks:
                yield _row([k], None, "not_separable", couples, (len(pairs), total, sizes))
    for ks in (ks for met, ks in together.items() if not any(met)):
        for k in ks:
            yield _row([k], None, "one_value", 0, (len(pairs), total, sizes))


def _row(
    ks: list[int], raw: float | None, reason: str, couples: int,
    about: tuple[int, float, list[int]],
) -> Cells:  # fmt: skip
    n, total, sizes = about
    row: Cells = {
        "basis": "labels", "level": "+".join(LEVELS[k] for k in ks), "n_pairs": n,
        "n_levels": min(sizes[k] for k in ks), "n_couples": couples,
    }  # fmt: skip
    if raw is None:
        return row | {"status": "unknown", "reason": "no_replication" if n < 2 else reason}
    kept = max(0.0, raw)
    part = kept / total if total > 0 else None
    return row | {"status": "ok", "variance": kept, "raw": raw, "share": part}


def _halves(
    values: list[float], codes: list[tuple[Any, ...]]
) -> tuple[dict[Pattern, float], dict[Pattern, int]]:
    """Mean half squared difference of couples by the levels in which they differ."""
    sums: dict[Pattern, float] = {}
    counts: dict[Pattern, int] = {}
    for (v, a), (w, b) in combinations(list(zip(values, codes, strict=True)), 2):
        apart = tuple(x != y for x, y in zip(a, b, strict=True))
        sums[apart] = sums.get(apart, 0.0) + (v - w) ** 2 / 2
        counts[apart] = counts.get(apart, 0) + 1
    return {pattern: total / counts[pattern] for pattern, total in sums.items()}, counts


def _solve(
    halves: dict[Pattern, float], counts: dict[Pattern, int], columns: list[int]
) -> list[float | None]:
    """Weighted least squares; none for what the equations do not tell."""
    if not columns:
        return []
    weight = np.sqrt([float(counts[p]) for p in halves])
    design = np.array([[float(p[k]) for k in columns] for p in halves]) * weight[:, None]
    solution = np.linalg.pinv(design) @ (np.array(list(halves.values())) * weight)
    rank = np.linalg.matrix_rank(design)
    return [
        float(solution[k]) if np.linalg.matrix_rank(np.delete(design, k, axis=1)) < rank else None
        for k in range(len(columns))
    ]


def _reads(study: Study, pairs: list[Pair], channel: str) -> Cells:
    """Half the mean squared difference of d by the first read alone and by the mirrored one."""
    squares = []
    for pair in pairs:
        found = [
            [_alone(study, arm, role, channel) for arm in (pair.p, pair.q)]
            for role in ("first", "mirror")
        ]
        if all(x is not None for both in found for x in both):
            d = [float(p or 0.0) - float(q or 0.0) for p, q in found]
            d = [float(sign(x)) for x in d] if channel == "f" else d
            squares.append((d[0] - d[1]) ** 2)
    row: Cells = {"basis": "single_reads", "level": "read", "n_pairs": len(squares), "n_levels": 2,
                  "n_couples": len(squares)}  # fmt: skip
    if not squares:
        return row | {"status": "unknown", "reason": "no_replication"}
    raw = sum(squares) / len(squares) / 2
    return row | {"status": "ok", "variance": raw, "raw": raw}


def _alone(study: Study, arm: Arm | None, role: str, channel: str) -> float | None:
    """An arm's readout by one read."""
    if arm is None:
        return None
    if channel == "f":
        final = arm.run.seen.final if arm.run.seen else None
        packet = study.packet_of(final.sha256, arm.factor_id) if final else ""
        code = text_code(study.slots.get((packet, arm.evaluator, role)))
        return float(readout(code)) if code >= 0 else None
    labels = study.requests.get((arm.run.run_id, arm.factor_id, arm.evaluator), {})
    codes = [label.first if role == "first" else label.mirror for label in labels.values()]
    known = [readout(code) for code in codes if code >= 0]
    return sum(known) / len(known) if known else None
