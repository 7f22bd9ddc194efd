"""Tables of a design: shares, layers, confusion, contrasts, each with its evidence label (SI-106).

Rows stand in alphabetical order of deployments; nothing ranks them (SI-109). `group` names the
rows that count: a checkpoint, `nonterminal` and `terminal` (a report is due), `undue`, or `all`;
`intermediate` are unfinished checkpoints on a tool result, whatever the duty, where some have none.
Encodings stand apart and pooled as `both` (SI-36).
"""

from collections.abc import Collection, Hashable, Mapping, Sequence

import pandas as pd

from draligned.progress.contract import contract
from draligned.progress.contrasts import (
    ALL,
    BOTH,
    EVERY_WORDING,
    INTERMEDIATE,
    NONTERMINAL,
    ONE_WORDING,
    TERMINAL,
    UNDUE,
    Contrast,
    planned,
)
from draligned.progress.metrics import METRICS, confusion, counts, layers
from draligned.progress.models import regressions
from draligned.progress.rehearsed import marked
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
from draligned.schema.progress import Stage, StageDesign

Cells = dict[Hashable, float]
"""Weights of cells in a contrast."""


def build(
    design: StageDesign,
    frame: pd.DataFrame,
    settings: Settings,
    rehearsals: Collection[str] = (),
) -> dict[str, pd.DataFrame]:
    """Tables by name: `shares`, `layers`, `confusion`, `contrasts`; in a design without factors
    also `mixed` and `gee`, and `over_arms`, the shares of its arms together.

    `rehearsals`: deployments that play scripted behaviour; their rows say so.
    """
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
        if rows["arm"].nunique() > 1:
            whole = [name for name in (*by, "metric") if name != "arm"]
            made["over_arms"] = shares(tabulate(counted, whole), whole, settings)
    return {name: _labelled(table, design, rehearsals) for name, table in made.items()}


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


def _labelled(
    table: pd.DataFrame, design: StageDesign, rehearsals: Collection[str]
) -> pd.DataFrame:
    """With what kind of evidence it is, and how far it goes (SI-106, SI-107)."""
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
    said = ordered.assign(design=design.name, evidence=evidence, boundary=design.boundary)
    return marked(said, rehearsals)


def contrasts(
    design: StageDesign, counted: pd.DataFrame, by: Sequence[str], settings: Settings
) -> pd.DataFrame:
    """The contrasts that a design was made for, by deployment and encoding.

    `registered`: whether the design was frozen with it (SI-67); null where it was frozen without
    any. `wordings_agree`: of a contrast over all wordings, whether each has its sign (SI-66).
    """
    known, made = contract(design), []
    frozen = None if known is None else set(known.contrasts)
    for (deployment, encoding), own in counted.groupby(["deployment", "encoding"], sort=True):
        cells = tabulate(own, [*by[2:], "metric"])
        found = {c[:3]: d for c in planned(design) if (d := _of(cells, c, settings)) is not None}
        for head, difference in found.items():
            name, metric, group = head
            made.append(
                {
                    "deployment": deployment, "encoding": encoding, "contrast": name,
                    "metric": metric, "group": group, **_written(difference),
                    "wordings_agree": _agree(head, found),
                    "registered": None if frozen is None else head in frozen,
                }
            )  # fmt: skip
    flags = dict.fromkeys(("wordings_agree", "registered"), "boolean")
    return pd.DataFrame(made, columns=[*_HEAD, *_VALUES]).astype(flags)


Head = tuple[str, str, str]


def _agree(head: Head, found: Mapping[Head, Difference]) -> bool | None:
    """Whether every wording has the sign of all together; none of another contrast."""
    name, *rest = head
    stem, _, last = name.partition(f" ({EVERY_WORDING}")
    if not last:
        return None
    signs = {
        (d.value > 0) - (d.value < 0)
        for (other, *beside), d in found.items()
        if beside == rest and other.startswith((name, f"{stem} ({ONE_WORDING} "))
    }
    return len(signs) == 1 and signs != {0}


_HEAD = ("deployment", "encoding", "contrast", "metric", "group")
_VALUES = (
    "value", "ci_lo", "ci_hi", "excludes_zero", "t_lo", "t_hi", "marked", "recommended",
    "signflip_p", "n_scenarios", "degenerate", "wordings_agree", "registered",
)  # fmt: skip


def _written(found: Difference) -> dict[str, object]:
    return {
        "value": found.value, "ci_lo": found.ci[0], "ci_hi": found.ci[1],
        "excludes_zero": found.excludes_zero, "t_lo": found.t_ci[0], "t_hi": found.t_ci[1],
        "marked": found.marked, "recommended": STUDENT if found.marked else BOOTSTRAP,
        "signflip_p": found.p,
        "n_scenarios": found.n_scenarios, "degenerate": found.degenerate,
    }  # fmt: skip


def _of(cells: Counts, planned: Contrast, settings: Settings) -> Difference | None:
    """A contrast, if all of its cells have rows."""
    size = len(cells.cells[0]) if cells.cells else 0
    full: Cells = {}
    for key, weight in planned.weights.items():
        ending = (planned.metric,) if len(key) == size - 1 else (planned.group, planned.metric)
        full[(*key, *ending)] = weight
    if not all(cell in cells.cells for cell in full):
        return None
    return combination(cells, full, settings)
