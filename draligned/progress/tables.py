"""Tables of a design: shares, layers, confusion, contrasts, each with its evidence label (SI-106).

Rows stand in alphabetical order of deployments; nothing ranks them (SI-109). `group` names the
rows that count: a checkpoint, `nonterminal` and `terminal` (a report is due), `undue`, or `all`;
`intermediate` are unfinished checkpoints on a tool result, whatever the duty, where some have none.
Encodings stand apart and pooled as `both` (SI-36).
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product

import pandas as pd

from draligned.progress.metrics import METRICS, confusion, counts, layers
from draligned.progress.models import regressions
from draligned.progress.statistics import (
    BOOTSTRAP,
    STUDENT,
    Counts,
    Difference,
    Settings,
    combination,
    shares,
    tabulate,
)
from draligned.schema.progress import Arm, Stage, StageDesign

BOTH, ALL, NONTERMINAL, TERMINAL, UNDUE = "both", "all", "nonterminal", "terminal", "undue"
INTERMEDIATE = "intermediate"
Cells = dict[Hashable, float]
"""Weights of cells in a contrast."""


def build(design: StageDesign, frame: pd.DataFrame, settings: Settings) -> dict[str, pd.DataFrame]:
    """Tables by name: `shares`, `layers`, `confusion`, `contrasts`; `mixed` and `gee` where the
    design has one baseline, without factors, at finished and unfinished checkpoints."""
    factors = [name for name in frame.columns if name.startswith("factor_")]
    by = ["deployment", "encoding", "arm", *factors, "group"]
    rows = grouped(frame)
    counted = counts(rows, by)
    made = {
        "shares": shares(tabulate(counted, [*by, "metric"]), [*by, "metric"], settings),
        "layers": layers(rows, by),
        "confusion": confusion(rows[rows["group"] == ALL], by[:-1]),
        "contrasts": contrasts(design, counted, by, settings),
    }
    if not factors:
        made |= regressions(frame)
    return {name: _labelled(table, design) for name, table in made.items()}


def grouped(frame: pd.DataFrame) -> pd.DataFrame:
    """Every position once in each group it belongs to, and in its encoding and in both."""
    due, done = frame["due"], frame["stage"] == Stage.COMPLETED.value
    kinds = {ALL: due | True, NONTERMINAL: due & ~done, TERMINAL: due & done, UNDUE: ~due}
    if (frame["occasion"] & ~due).any():
        kinds[INTERMEDIATE] = frame["occasion"] & ~done
    parts = [frame.assign(group=frame["point"])]
    parts += [frame[chosen].assign(group=name) for name, chosen in kinds.items()]
    rows = pd.concat(parts, ignore_index=True)
    if rows["encoding"].nunique() < 2:
        return rows
    return pd.concat([rows, rows.assign(encoding=BOTH)], ignore_index=True)


def _labelled(table: pd.DataFrame, design: StageDesign) -> pd.DataFrame:
    """With what kind of evidence it is, and what it does not show (SI-106, SI-107)."""
    columns = [
        c
        for c in table.columns
        if c in ("deployment", "left_out", "encoding", "arm", "group", "metric")
    ]
    ordered = table.sort_values(columns, kind="stable", ignore_index=True)
    evidence = pd.Series(design.evidence, index=ordered.index)
    if "metric" in ordered:
        described = {m.name for m in METRICS if m.descriptive}
        evidence = evidence.mask(ordered["metric"].isin(described), "Post-treatment descriptive")
    return ordered.assign(design=design.name, evidence=evidence, boundary=design.boundary)


def contrasts(
    design: StageDesign, counted: pd.DataFrame, by: Sequence[str], settings: Settings
) -> pd.DataFrame:
    """The contrasts that a design was made for, by deployment and encoding."""
    made = []
    for (deployment, encoding), own in counted.groupby(["deployment", "encoding"], sort=True):
        cells = tabulate(own, [*by[2:], "metric"])
        for name, metric, group, weights in _planned(design, by[3:-1]):
            found = _of(cells, weights, metric, group, settings)
            if found is not None:
                head = {"deployment": deployment, "encoding": encoding, "contrast": name,
                        "metric": metric, "group": group}  # fmt: skip
                made.append({**head, **_written(found)})
    return pd.DataFrame(made, columns=[*_HEAD, *_VALUES])


_HEAD = ("deployment", "encoding", "contrast", "metric", "group")
_VALUES = (
    "value", "ci_lo", "ci_hi", "excludes_zero", "t_lo", "t_hi", "marked", "recommended",
    "signflip_p", "n_scenarios", "degenerate",
)  # fmt: skip


def _written(found: Difference) -> dict[str, object]:
    return {
        "value": found.value, "ci_lo": found.ci[0], "ci_hi": found.ci[1],
        "excludes_zero": found.excludes_zero, "t_lo": found.t_ci[0], "t_hi": found.t_ci[1],
        "marked": found.marked, "recommended": STUDENT if found.marked else BOOTSTRAP,
        "signflip_p": found.p,
        "n_scenarios": found.n_scenarios, "degenerate": found.degenerate,
    }  # fmt: skip


def _of(
    cells: Counts, weights: Mapping[tuple[str, ...], float], metric: str, group: str,
    settings: Settings,
) -> Difference | None:  # fmt: skip
    """A contrast, if all of its cells have rows. A weight's key is (arm, *factors[, group])."""
    size = len(cells.cells[0]) if cells.cells else 0
    full: Cells = {}
    for key, weight in weights.items():
        ending = (metric,) if len(key) == size - 1 else (group, metric)
        full[(*key, *ending)] = weight
    if not all(cell in cells.cells for cell in full):
        return None
    return combination(cells, full, settings)


Planned = tuple[str, str, str, dict[tuple[str, ...], float]]


def _planned(design: StageDesign, factors: Sequence[str]) -> Iterator[Planned]:
    """Name, metric, group and weights of every contrast of a design."""
    arms = sorted({s.arm.value for s in design.stimuli})
    levels = [f.removeprefix("factor_") for f in factors]
    if not levels:
        for arm in arms:
            yield f"nonterminal - terminal ({arm})", "theta", ALL, {
                (arm, NONTERMINAL): 1.0, (arm, TERMINAL): -1.0,
            }  # fmt: skip
        yield from _arms(arms)
    if design.name == "bundle":
        for metric in ("emission", "false_completion", "theta"):
            yield "withdrawn - present", metric, ALL, _two("withdrawn", "present")
    if design.name == "thinking":
        for group in (NONTERMINAL, TERMINAL):
            yield "on - off", "theta", group, _two("on", "off")
    if design.name == "protocol-demand":
        for metric, group in (("speaks", ALL), ("speaks", INTERMEDIATE), ("task_passed", ALL)):
            yield "with - without", metric, group, _two("with_protocol", "without_protocol")
    if design.name == "factorial":
        yield from _factorial(design, levels)


def _two(plus: str, minus: str) -> dict[tuple[str, ...], float]:
    return {(Arm.BASELINE.value, plus): 1.0, (Arm.BASELINE.value, minus): -1.0}


ARM_CONTRASTS = (
    ("gold hint", Arm.GOLD, Arm.BASELINE),
    ("constant value", Arm.STATIC, Arm.BASELINE),
    ("salience", Arm.REMINDER, Arm.BASELINE),
    ("semantics", Arm.INERT, Arm.STATIC),
    ("reminder × constant", Arm.REMINDER_STATIC, Arm.STATIC),
)
"""E1 and E2 of the stage study; E − A, C − B and D − B of the five arms (SI-18, SI-35)."""


def _arms(arms: Sequence[str]) -> Iterator[Planned]:
    for name, plus, minus in ARM_CONTRASTS:
        if plus.value in arms and minus.value in arms:
            full = f"{name}: {plus.value} - {minus.value}"
            yield full, "broad", ALL, {(plus.value,): 1.0, (minus.value,): -1.0}


FACTORS = {
    "ownership": ("other", "self"),
    "executability": ("withdrawn", "available"),
    "cue": ("problem", "resolved"),
}
"""Level that is asked about, and the one it is compared with."""


def _factorial(design: StageDesign, levels: Sequence[str]) -> Iterator[Planned]:
    """Main effects, averaged over the other factors, pooled over wordings and in each, and the
    interaction of ownership and executability as a difference of differences, unhalved (SI-65)."""
    wordings = sorted({s.factors["wording"] for s in design.stimuli})
    for metric in ("theta", "emission", "false_completion"):
        for chosen in ([*wordings], *([w] for w in wordings)):
            at = "all wordings" if len(chosen) > 1 else f"wording {chosen[0]}"
            for name in FACTORS:
                yield f"{name} ({at})", metric, ALL, _effect(levels, chosen, (name,))
            both = ("ownership", "executability")
            yield f"{' × '.join(both)} ({at})", metric, ALL, _effect(levels, chosen, both)


def _effect(
    levels: Sequence[str], wordings: Sequence[str], names: Sequence[str]
) -> dict[tuple[str, ...], float]:
    averaged = 8 / 2 ** len(names) * len(wordings)
    out: dict[tuple[str, ...], float] = {}
    for wording, *values in product(wordings, *FACTORS.values()):
        cell = {"wording": wording, **dict(zip(FACTORS, values, strict=True))}
        turned = sum(cell[name] != FACTORS[name][0] for name in names)
        key = (Arm.BASELINE.value, *(cell[level] for level in levels))
        out[key] = (-1.0) ** turned / averaged
    return out
