"""What commands print of rollouts."""

from typing import Any

from draligned.cli.common import REHEARSAL, say, table


def say_rollouts(rollouts: Any) -> None:
    """Print how every deployment stands under every gate."""
    found = rollouts.status()
    rows = [
        (s.deployment, s.arm, s.lang, s.planned, s.ended, s.begun, s.transport, s.superseded,
         "yes" if s.counts else "no", s.reason)
        for s in found
    ]  # fmt: skip
    header = ("deployment", "gate", "lang", "planned", "ended", "under way", "transport",
              "superseded", "counts", "reason")  # fmt: skip
    table(rows, header)
    if any(s.rehearsal for s in found):
        say(REHEARSAL)


def say_outcomes(rollouts: Any) -> None:
    """Print outcomes by gate, what ended sessions, and the contrasts over all deployments."""
    from draligned.progress.rehearsed import ALL

    found = rollouts.table("gates")
    columns = ["panel", "arm", "ok", "dead_end", "premature", "stall", "turn_cap", "transport", "n",
               "ok_pct", "dead_end_pct", "premature_pct", "stall_pct"]  # fmt: skip
    say("Outcomes by gate, deployments together:")
    table(found[columns].itertuples(index=False), columns)
    ends = rollouts.table("causes")
    ends = ends[(ends["deployment"] == ALL) & (ends["k"] > 0)]
    columns = ["arm", "outcome", "cause", "k", "of"]
    if len(ends):
        say(f"What dead ends and stalls came of, by the last reply. {ends['boundary'].iloc[0]}")
        table(ends[columns].itertuples(index=False), columns)
    pooled = rollouts.table("contrasts")
    pooled = pooled[pooled["deployment"] == ALL]
    columns = ["contrast", "points", "ci_lo", "ci_hi", "n_scenarios", "n_deployments"]
    say("Differences in task success, in points; scenarios are the clusters:")
    table(pooled[columns].itertuples(index=False), columns)
    say(f"{found['evidence'].iloc[0]}. {found['boundary'].iloc[0]}")
