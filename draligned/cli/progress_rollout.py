"""progress rollout: live trajectories under termination gates."""

from typing import Annotated, Literal

import typer

from draligned.cli.common import (
    HERE,
    Progress,
    StudyArgument,
    begin_study,
    open_study,
    say,
    say_spend,
    table,
)
from draligned.cli.execute import (
    DryRun,
    Limit,
    MaxCost,
    MaxTokens,
    Models,
    show_forecast,
)
from draligned.cli.progress import progress_app, say_lanes
from draligned.cli.rollouts import say_rollouts

Gates = Annotated[
    list[str] | None,
    typer.Option(
        "--gate",
        help="B1 marker, B2 no tool call, A runtime-owned, A-matched (with leave to use "
        "defaults); also B3 terminal tool, A1 typed state, A2 cap, C marker or state. Names with "
        "commas, or repeated.",
        show_default="B1,B2,A,A-matched",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the group that is there."""
    progress_app.command(
        epilog="Example: draligned progress rollout my-study --gate B1,B2,A --model rehearsal"
    )(rollout)
    progress_app.command(epilog="Example: draligned progress audit my-study")(audit)


def rollout(
    study: StudyArgument = HERE,
    gate: Gates = None,
    model: Annotated[
        list[str] | None, typer.Option(help="Deployment; may be repeated. Default: rehearsal.")
    ] = None,
    lang: Annotated[Literal["zh", "en"], typer.Option(help="Language of scenarios.")] = "zh",
    repetitions: Annotated[
        int, typer.Option(min=1, help="Of each scenario; fixed with a gate's first run.")
    ] = 6,
    limit: Limit = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Trajectories at once.")] = 16,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    models: Models = "live",
    dry_run: DryRun = False,
) -> None:
    """Let agents work in scenarios; see how gates end their sessions.

    Twelve scenarios, six repetitions of each under every gate.

    Calls change a typed state that refuses invalid ones; success is read from that state. What a
    stopped command left open goes on where it was. `--limit` is for each deployment.
    Exit code 3: trajectories were left open.
    """
    opened = begin_study(study)
    rollouts = opened.rollouts
    chosen = {"gates": gate or (), "deployments": model or ["rehearsal"], "lang": lang,
              "repetitions": repetitions}  # fmt: skip
    if dry_run:
        show_forecast(rollouts.forecast(**chosen))
        return
    with Progress().of(opened) as progress:
        done = rollouts.run(
            **chosen, limit=limit, concurrency=concurrency, max_cost=max_cost,
            max_tokens=max_tokens, models=models, progress=progress,
        )  # fmt: skip
    left = say_lanes(done)
    say_spend(begin_study(study))
    say_rollouts(rollouts)
    if left:
        say("The same command goes on with what is open.")
        raise typer.Exit(3)


def audit(study: StudyArgument = HERE) -> None:
    """Check the store of rollouts: does it refuse what it should?

    First a set of calls with known verdicts. Then every recorded refusal is put to the store again;
    a suspect one would have been executed if it were read leniently, and is for you to judge.
    """
    number, found = open_study(study).rollouts.audit()
    say(f"{number} calls of the audit set come to what is known of them.")
    say(f"{len(found)} recorded refusals, {int(found['suspect'].sum())} suspect:")
    counted = found.groupby(["arm", "deployment", "refused", "suspect"]).size().reset_index()
    table(counted.itertuples(index=False), ("gate", "deployment", "refused", "suspect", "n"))
    suspects = found[found["suspect"]]
    columns = ["arm", "deployment", "scenario_id", "tool", "arguments", "refused", "outcome"]
    if len(suspects):
        say("Suspects; all of them stand in progress/rollout/tables/rejections.parquet:")
        table(suspects[columns].head(_SHOWN).itertuples(index=False), columns)


_SHOWN = 10
"""Suspects printed one by one."""
