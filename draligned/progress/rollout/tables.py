"""Tables of rollouts: outcomes by gate and deployment, contrasts, reports, inputs (SI-91 … 96).

Every trajectory that has ended is in the denominator, transport and cap included (SI-94). Rows
stand in the order of arms and in alphabetical order of deployments; nothing ranks them.
"""

from collections.abc import Collection
from itertools import combinations

import pandas as pd

from draligned.measure.restore import Flags
from draligned.progress.metrics import Metric, counts
from draligned.progress.rehearsed import ALL, marked
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.frame import CAUSES, HASHES
from draligned.progress.statistics import Settings, difference, shares, tabulate
from draligned.schema.progress import Stage
from draligned.schema.rollout import RolloutOutcome

PAIRS = (("B2", "B1"), ("A-matched", "A"), ("A-matched", "B2"))
CONFIGURATION = (
    "Configurations, not gates, are compared: equal user turns are no equal input, since B1 alone "
    "carries reporting instructions, and A changes who speaks next. Nothing of it shows why a "
    "task failed elsewhere."
)
SURVIVORS = (
    "Survivors only: a session must outlive every earlier report to have a last one, so this share "
    "gives no difference between stages."
)
ENDINGS = (
    "Of sessions that ended so: the kinds of their last replies are counted, and no arms compared. "
    "What a cut or filtered reply would have said is unknown."
)
OBSERVED, INTERVENED, SELECTED, AUDIT = (
    "Observational", "Controlled intervention", "Post-treatment descriptive", "Audit/engineering",
)  # fmt: skip


def build(
    frame: pd.DataFrame, spoken: pd.DataFrame, settings: Settings, rehearsals: Collection[str] = ()
) -> dict[str, pd.DataFrame]:
    """All tables by name; rows of `rehearsals`, which play scripted behaviour, say so."""
    pooled = pd.concat([frame, frame.assign(deployment=ALL)], ignore_index=True)
    found = outcomes(pooled, settings)
    made = {
        "outcomes": _labelled(found, OBSERVED, CONFIGURATION),
        "gates": _labelled(wide(found[found["deployment"] == ALL]), OBSERVED, CONFIGURATION),
        "deployments": _labelled(wide(found[found["deployment"] != ALL]), OBSERVED, CONFIGURATION),
        "causes": _labelled(causes(pooled), SELECTED, ENDINGS),
        "contrasts": _labelled(contrasts(pooled, settings), INTERVENED, CONFIGURATION),
        "concentration": _labelled(concentration(frame), OBSERVED, CONFIGURATION),
        "reports": reports(spoken, settings),
        "inputs": _labelled(inputs(frame), AUDIT, CONFIGURATION),
    }
    return {name: marked(table, rehearsals) for name, table in made.items()}


def _labelled(table: pd.DataFrame, evidence: str, boundary: str) -> pd.DataFrame:
    ordered = table
    if "arm" in table:
        place = {name: n for n, name in enumerate(ARMS)}
        keys = [c for c in ("arm", "deployment") if c in table]
        ordered = table.sort_values(
            keys, kind="stable", ignore_index=True,
            key=lambda column: column.map(place) if column.name == "arm" else column,
        )  # fmt: skip
    return ordered.assign(evidence=evidence, boundary=boundary)


def _everything(frame: pd.DataFrame) -> Flags:
    flags: Flags = frame["outcome"].notna().to_numpy(dtype=bool)
    return flags


def _came_to(outcome: RolloutOutcome) -> Metric:
    def hit(frame: pd.DataFrame) -> Flags:
        flags: Flags = (frame["outcome"] == outcome.value).to_numpy(dtype=bool)
        return flags

    return Metric(outcome.value, _everything, hit)


OUTCOMES = tuple(_came_to(outcome) for outcome in RolloutOutcome)
_BY = ["arm", "deployment"]


def outcomes(pooled: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Every outcome of every arm and deployment as a share of what ended; `possible` is false
    where the arm's construction excludes it (SI-92)."""
    counted = counts(pooled, _BY, OUTCOMES)
    made = shares(tabulate(counted, [*_BY, "metric"]), [*_BY, "outcome"], settings)
    made.insert(0, "panel", made["arm"].map({name: arm.panel for name, arm in ARMS.items()}))
    allowed = {name: {o.value for o in arm.possible} for name, arm in ARMS.items()}
    possible = [o in allowed[a] for a, o in zip(made["arm"], made["outcome"], strict=True)]
    made.insert(4, "possible", possible)
    return made


def wide(found: pd.DataFrame) -> pd.DataFrame:
    """Counts side by side, as Tables 19 and 20 have them, with the share of `ok`."""
    keys = ["panel", *_BY]
    table = found.pivot(index=keys, columns="outcome", values="k").reset_index()
    table.columns.name = None
    n = found.groupby(keys)["n"].first().reset_index()
    merged = table.merge(n, on=keys)[[*keys, *(o.value for o in RolloutOutcome), "n"]]
    for outcome in (RolloutOutcome.OK, RolloutOutcome.DEAD_END, RolloutOutcome.PREMATURE,
                    RolloutOutcome.STALL):  # fmt: skip
        merged[f"{outcome.value}_pct"] = 100 * merged[outcome.value] / merged["n"]
    return merged


def causes(pooled: pd.DataFrame) -> pd.DataFrame:
    """Dead ends and stalls by what the last reply was: `k` of the `of` sessions that ended so.

    Every cause that an outcome can have has its row, with 0 where it did not occur.
    """
    rows = [
        {"arm": arm, "deployment": deployment, "outcome": outcome, "cause": cause,
         "k": int((own["cause"] == cause).sum()), "of": len(own)}
        for (arm, deployment, outcome), own in pooled.groupby([*_BY, "outcome"], sort=True)
        for cause in CAUSES.get(RolloutOutcome(str(outcome)), ())
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=[*_BY, "outcome", "cause", "k", "of"])


def contrasts(pooled: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Differences in task success between arms, in points, scenarios as clusters (SI-95).

    Pooled over the deployments that have both arms.
    """
    rows = []
    for plus, minus in PAIRS:
        both = pooled[pooled["arm"].isin([plus, minus]) & (pooled["deployment"] != ALL)]
        have = both.groupby("deployment")["arm"].nunique() == 2
        names = sorted(have[have].index)
        own = both[both["deployment"].isin(names)]
        parts = [(name, own[own["deployment"] == name]) for name in names]
        for name, part in [*parts, (ALL, own)] if names else []:
            n = len(names) if name == ALL else 1
            rows.append({**_contrast(part, plus, minus, settings), "deployment": name,
                         "n_deployments": n})  # fmt: skip
    return pd.DataFrame(rows, columns=list(_CONTRAST))


_CONTRAST = (
    "contrast", "deployment", "points", "ci_lo", "ci_hi", "excludes_zero", "signflip_p",
    "n_scenarios", "n_deployments",
)  # fmt: skip


def _contrast(part: pd.DataFrame, plus: str, minus: str, settings: Settings) -> dict[str, object]:
    counted = counts(part, ["arm"], OUTCOMES[:1])
    found = difference(tabulate(counted, ["arm"]), (plus,), (minus,), settings)
    name = f"{plus} - {minus}"
    if found is None:
        return {"contrast": name}
    return {
        "contrast": name, "points": 100 * found.value, "ci_lo": 100 * found.ci[0],
        "ci_hi": 100 * found.ci[1], "excludes_zero": found.excludes_zero,
        "signflip_p": found.p, "n_scenarios": found.n_scenarios,
    }  # fmt: skip


def concentration(frame: pd.DataFrame) -> pd.DataFrame:
    """How many dead ends fall at most on so many deployments; which ones is not said here."""
    rows = []
    for arm, own in frame.groupby("arm", sort=False):
        if not ARMS[str(arm)].reads_markers:
            continue
        dead = own["outcome"] == RolloutOutcome.DEAD_END.value
        most = sorted(dead.groupby(own["deployment"]).sum(), reverse=True)
        for n in range(1, len(most) + 1):
            row = {"arm": arm, "n_deployments": n, "dead_ends": int(sum(most[:n]))}
            rows.append({**row, "of": int(dead.sum()), "deployments_in_all": len(most)})
    columns = ["arm", "n_deployments", "dead_ends", "of", "deployments_in_all"]
    return pd.DataFrame(rows, columns=columns)


GATE, METRIC = "every spoken reply", "after a tool result"
"""What the gate reads, and what the measure of progress reports counts (Q35)."""
EARLIER, LAST = "unfinished", "finished"


def reports(spoken: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Reports that tell the true stage, by both readings, before and after the work is done; the
    latter are survivors and say so (SI-96)."""
    done = spoken["stage"] == Stage.COMPLETED.value
    rows = spoken.assign(place=done.map({True: LAST, False: EARLIER}))
    both = pd.concat(
        [rows.assign(reading=GATE), rows[rows["due"]].assign(reading=METRIC)], ignore_index=True
    )
    both = pd.concat([both, both.assign(deployment=ALL)], ignore_index=True)
    by = ["arm", "deployment", "reading", "place"]
    if both.empty:
        return pd.DataFrame(columns=[*by, "k", "n", "share", "warning", "evidence", "boundary"])
    clean = Metric("clean", _spoken, _clean)
    made = shares(tabulate(counts(both, by, (clean,)), by), by, settings)
    late = made["place"] == LAST
    made["warning"] = late.map({True: SURVIVORS, False: ""})
    made = _labelled(made, OBSERVED, CONFIGURATION)
    late = made["place"] == LAST
    return made.assign(
        evidence=made["evidence"].mask(late, SELECTED),
        boundary=made["boundary"].mask(late, SURVIVORS),
    )


def _spoken(frame: pd.DataFrame) -> Flags:
    flags: Flags = frame["stage"].notna().to_numpy(dtype=bool)
    return flags


def _clean(frame: pd.DataFrame) -> Flags:
    flags: Flags = frame["clean"].to_numpy(dtype=bool)
    return flags


def inputs(frame: pd.DataFrame) -> pd.DataFrame:
    """Which parts of the input two arms share, over the cells of scenario and language that both
    have: a fact of the record, not of the plan (SI-89)."""
    cells = frame.drop_duplicates(["arm", "scenario_id", "lang", *HASHES])
    rows = []
    for one, other in combinations([a for a in ARMS if a in set(frame["arm"])], 2):
        left, right = (cells[cells["arm"] == name] for name in (one, other))
        both = left.merge(right, on=["scenario_id", "lang"], suffixes=("", "_other"))
        same = {f"same_{name}": _same(both, name) for name in HASHES}
        rows.append({"arm": one, "other": other, "n_cells": len(both), **same})
    return pd.DataFrame(rows, columns=["arm", "other", "n_cells", *(f"same_{n}" for n in HASHES)])


def _same(both: pd.DataFrame, name: str) -> bool | None:
    """Whether a part is the same in every cell; unknown without cells."""
    if both.empty:
        return None
    left, right = both[name], both[f"{name}_other"]
    return bool(((left == right) | (left.isna() & right.isna())).all())
