"""What stands behind the numbers: runs and followers, reasoning, simulators, rewards."""

import pandas as pd

from draligned.progress.tau2.bins import RUN
from draligned.progress.tau2.columns import DEGENERATE, LANE, MAIN, USUAL, judged
from draligned.progress.tau2.frame import LEFT_OUT, NO_USER, OK, PARSERS
from draligned.schema.tau2 import State

AGENT_STOP = "agent_stop"
"""How a run ends by the agent's own done signal."""
STATES: tuple[State, ...] = ("before_acting", "mid_task", "completed")


def lanes(runs: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a deployment, arm, domain and population: runs, checkpoints, tags (SI-73)."""
    apart = runs["degenerate"].fillna(False).astype(bool)
    of_runs = runs.assign(
        population=apart.map({True: DEGENERATE, False: MAIN}).astype("str"),
        scored=(runs["status"] == OK).astype(int),
        **{f"left_out_{name}": (runs["status"] == name).astype(int)
           for name in LEFT_OUT},
    )  # fmt: skip
    sums = [c for c in of_runs.columns if c == "scored" or c.startswith("left_out_")]
    found = of_runs.groupby(LANE, sort=True).agg(
        tasks=("task_id", "nunique"), runs=("task_id", "size"), **{c: (c, "sum") for c in sums}
    )  # fmt: skip
    both = found.join(_tags(rows)).reset_index()
    share = both["tagged"] / both["checkpoints"]
    return both.assign(follow_share=share, usual=(share > USUAL).fillna(False).astype(bool))


def left_out(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs that are in no number, by the reason; `of` are all runs of the deployment."""
    by = ["deployment", "arm", "domain"]
    every = runs.groupby(by, sort=True).size().rename("of").reset_index()
    apart = runs[runs["status"] != OK]
    found = apart.groupby([*by, "status"], sort=True).size().rename("runs").reset_index()
    return found.merge(every, on=by).assign(why=found["status"].map(LEFT_OUT).astype("str"))


def _tags(rows: pd.DataFrame) -> pd.DataFrame:
    """Checkpoints, those with a tag, and those in an envelope."""
    counted = rows[LANE].assign(
        checkpoints=1,
        tagged=rows["tag_present"].astype("Int64"),
        enveloped=rows["envelope_key"].notna().astype("Int64"),
        **{f"malformed_{p}": (rows[f"{p}_outcome"] == "malformed").astype("Int64")
           for p in PARSERS},
    )  # fmt: skip
    found = counted.groupby(LANE, sort=True).sum()
    keys = rows.groupby(LANE, sort=True)["envelope_key"].agg(
        lambda held: ", ".join(sorted(set(held.dropna())))
    )
    return found.astype("Int64").join(keys.rename("envelope_keys"))


def reasoning(calls: pd.DataFrame) -> pd.DataFrame:
    """Whether reasoning was asked for, and what came (SI-81): not asked for is not absent."""
    known = calls["known"] > 0
    return calls.assign(
        share=(calls["nonzero"] / calls["known"].where(known)).astype("Float64"),
        median=calls["median"].astype("Float64"),
        median_present=calls["median_present"].astype("Float64"),
    )


def simulators(tagged: pd.DataFrame) -> pd.DataFrame:
    """Correct tags by who simulated the customer and whether prompts were cached (SI-82)."""
    rows = pd.concat(
        [judged(tagged, "latched", p).assign(parser=p) for p in PARSERS], ignore_index=True
    )
    by = [*LANE, "simulator", "cache", "parser", "state"]
    found = rows.groupby(by, sort=True).agg(
        runs=("run_id", "nunique"), correct=("correct", "sum"), total=("correct", "size")
    )  # fmt: skip
    return found.reset_index().assign(share=lambda t: t["correct"] / t["total"])


def rewards(runs: pd.DataFrame, tagged: pd.DataFrame) -> pd.DataFrame:
    """One row a run: the benchmark's reward beside its tags. `rewarded_but_wrong` lists runs with
    reward 1 and a wrong tag (SI-84); unknown without a reward, or without tags that were judged."""
    keys = [*RUN, "arm", "domain"]
    wrong = [f"wrong_{p}_{s}" for p in PARSERS for s in STATES]
    counted = tagged[keys].assign(
        **{f"wrong_{p}_{s}": ((tagged[f"{p}_outcome"] != "correct") & (tagged["state"] == s))
           .astype("Int64") for p in PARSERS for s in STATES},
    )  # fmt: skip
    found = counted.groupby(keys, dropna=False, sort=True).sum().reset_index()
    told = [*keys, "family", "hand_off", "termination", "reward", "status", "checkpoints"]
    joined = runs[told].merge(found, on=keys, how="left")
    total = joined[[c for c in wrong if "strict" in c]].sum(axis=1)
    known = joined["reward"].notna() & joined[wrong[0]].notna()
    both = ((joined["reward"] >= 1) & (total > 0)).astype("boolean")
    return joined.assign(rewarded_but_wrong=both.where(known))


def no_user(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs without a customer: ended by the agent's own signal, and of these without reward
    (SI-83). That signal is not the tag."""
    alone = runs[runs["status"] == NO_USER]
    ended = alone["termination"] == AGENT_STOP
    zero = ended & (alone["reward"] == 0).fillna(False).astype(bool)
    counted = alone[["deployment", "domain"]].assign(
        runs=1, ended_by_agent=ended.astype(int), of_these_unrewarded=zero.astype(int)
    )
    return counted.groupby(["deployment", "domain"], sort=True).sum().reset_index()
