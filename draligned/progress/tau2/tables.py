"""Tables of scored runs on tau2-bench (SI-68 … SI-85). Deployments stand in alphabetical order.

`population` is `main`, or `degenerate` for tasks that are done before anything happens. `reading`
says which change decides the truth: `latched` (Q32), or `unlatched` as it stands at the
checkpoint. `parser` is `strict`, or `stripped` of a JSON envelope, which is a diagnostic.
"""

import pandas as pd

from draligned.progress.statistics import Settings, shares, tabulate
from draligned.progress.tau2 import lanes, patterns
from draligned.progress.tau2.bins import ALL, MID, binned
from draligned.progress.tau2.columns import LANE, READINGS, asked, judged, populations
from draligned.progress.tau2.frame import PARSERS, Scored

EVIDENCE = "Observational"
BOUNDARY = (
    "Natural conversations: position, state and outcome go together, and no effect is isolated. "
    "A tag is a report and not the task's state; tags and reward do not stand for each other."
)


def build(scored: Scored, settings: Settings) -> dict[str, pd.DataFrame]:
    """All tables by name, each with what kind of evidence it is (SI-106, SI-107)."""
    rows = populations(scored.checkpoints)
    tagged, known = asked(rows), lanes.lanes(scored.runs, rows)
    by_stage = stages(tagged, settings)
    made = {
        "stages": by_stage,
        "pooled": pooled(by_stage, known),
        "positions": positions(tagged),
        "base_rates": base_rates(rows, settings),
        "latching": latching(tagged),
        "said": patterns.said(tagged),
        "wrong": patterns.wrong(tagged).merge(known[[*LANE, "usual"]], on=LANE, how="left"),
        "trajectories": patterns.trajectories(tagged),
        "completion": patterns.completion(tagged),
        "lanes": known,
        "left_out": lanes.left_out(scored.runs),
        "reasoning": lanes.reasoning(scored.calls),
        "simulators": lanes.simulators(tagged),
        "rewards": lanes.rewards(scored.runs, tagged),
        "no_user": lanes.no_user(scored.runs),
    }
    return {name: _labelled(table) for name, table in made.items()}


def _labelled(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(evidence=EVIDENCE, boundary=BOUNDARY)


def stages(tagged: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Correct tags by state, mid-task also by five bins, over tasks as clusters (Table 6)."""
    parts = [
        part.assign(reading=reading, parser=parser)
        for reading in READINGS
        for parser in PARSERS
        for part in _by_bin(judged(tagged, reading, parser))
    ]
    names = [*LANE, "reading", "parser", "bin"]
    found = _shares(pd.concat(parts, ignore_index=True), names, settings)
    return found.rename(columns={"k": "correct", "n": "total"})


def _by_bin(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Every checkpoint in its state; mid-task in its fifth, completed by what could be seen."""
    mid = rows[rows["state"] == "mid_task"]
    fifth = binned(mid, MID)
    done = rows[rows["state"] == "completed"]
    seen = done["unseen"].map({True: "completed_unseen", False: "completed_seen"})
    return [
        rows.assign(bin=rows["state"]),
        mid[fifth.notna()].assign(bin="mid_q" + fifth[fifth.notna()].astype(str)),
        done.assign(bin=seen),
    ]


def _shares(rows: pd.DataFrame, names: list[str], settings: Settings) -> pd.DataFrame:
    """`statistics.shares` of `correct` by cell, the tasks of a run being its cluster."""
    if rows.empty:
        return pd.DataFrame(columns=[*names, *_SHARES])
    cells = rows[[*names]].assign(scenario_id=rows["task_id"], k=rows["correct"], n=1)
    counted = cells.groupby([*names, "scenario_id"], sort=True).sum().reset_index()
    found = shares(tabulate(counted, names), names, settings)
    return found.rename(columns={"n_scenarios": "tasks"})


_SHARES = (
    "k", "n", "share", "tasks", "degenerate", "wilson_lo", "wilson_hi", "n_effective",
    "effective_lo", "effective_hi", "marked", "recommended", "ci_lo", "ci_hi",
)  # fmt: skip


def pooled(by_stage: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Means over the deployments that usually report: each deployment once, and each checkpoint
    once (SI-78)."""
    rows = by_stage.merge(known[known["usual"]][LANE], on=LANE)
    by = ["arm", "domain", "population", "reading", "parser", "bin"]
    cells = rows.groupby(by, sort=True)
    found = cells.agg(
        deployments=("deployment", "nunique"), mean=("share", "mean"),
        correct=("correct", "sum"), total=("total", "sum"),
    ).reset_index()  # fmt: skip
    return found.assign(weighted_mean=found["correct"] / found["total"])


def positions(tagged: pd.DataFrame) -> pd.DataFrame:
    """Correct tags in ten bins over a run's checkpoints, whatever the state (SI-77)."""
    parts = []
    for parser in PARSERS:
        rows = judged(tagged, "latched", parser)
        parts.append(rows.assign(parser=parser, bin=binned(rows, ALL)).dropna(subset=["bin"]))
    rows = pd.concat(parts, ignore_index=True)
    cells = rows.groupby([*LANE, "parser", "bin"], sort=True)
    found = cells.agg(correct=("correct", "sum"), total=("correct", "size")).reset_index()
    return found.assign(share=found["correct"] / found["total"])


def base_rates(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """How often each state is the truth, tags or none: what a tag that never changes would get."""
    every = []
    for reading in READINGS:
        read = rows.assign(reading=reading, truth=rows[READINGS[reading]])
        every += [
            read.assign(state=state, correct=(read["truth"] == state).astype(int))
            for state in ("before_acting", "mid_task", "completed")
        ]
    found = _shares(pd.concat(every, ignore_index=True), [*LANE, "reading", "state"], settings)
    return found.rename(columns={"k": "checkpoints", "n": "of"})


def latching(tagged: pd.DataFrame) -> pd.DataFrame:
    """Checkpoints whose truth depends on the reading of a change, and what is correct in each."""
    parts = []
    for parser in PARSERS:
        both = {reading: judged(tagged, reading, parser)["correct"] for reading in READINGS}
        differs = (tagged["state"] != tagged["state_unlatched"]).astype(int)
        parts.append(tagged[LANE].assign(parser=parser, checkpoints=1, differ=differs, **both))
    cells = pd.concat(parts, ignore_index=True).groupby([*LANE, "parser"], sort=True)
    return cells.sum().reset_index().rename(columns={r: f"correct_{r}" for r in READINGS})
