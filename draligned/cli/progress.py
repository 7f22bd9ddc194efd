"""progress designs, run, status, measure, show: the second instrument."""

from pathlib import Path
from typing import Annotated, Any

import typer

from draligned.cli.common import (
    HERE,
    REHEARSAL,
    Progress,
    StudyArgument,
    begin_study,
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
    say_work,
    show_forecast,
)
from draligned.cli.rollouts import say_outcomes, say_rollouts

progress_app = typer.Typer(
    help="Progress reports (StageIF): designs, run, status, measure.",
    rich_markup_mode=None, no_args_is_help=True,
)  # fmt: skip


def _no_folder(name: str) -> str:
    """A design's name; a study's folder in its place gets a hint."""
    if Path(name).is_dir():
        from draligned.progress.designs import DESIGNS
        from draligned.progress.followups import KINDS

        if name not in (*DESIGNS, *KINDS, ROLLOUT):
            raise typer.BadParameter(f"{name} is a folder; a design comes first: `stage {name}`")
    return name


DesignArgument = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN", help="Name of a design; see `draligned progress designs`.",
        callback=_no_folder,
    ),
]  # fmt: skip
ROLLOUT = "rollout"
"""Stands where a design has its name."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(
        progress_app, name="progress",
        epilog="Example: draligned progress run stage --model rehearsal",
    )  # fmt: skip


@progress_app.command(epilog="Example: draligned progress designs factorial")
def designs(
    name: Annotated[
        str | None, typer.Argument(metavar="DESIGN", help="Tell all of this one.")
    ] = None,
) -> None:
    """List the named designs, or tell all of one.

    What each may be asked, how far it goes, and what is frozen with it before the first reply.
    """
    from draligned.api.progress import catalogue
    from draligned.api.stage_told import told
    from draligned.progress.followups import EVIDENCE, KINDS, REPETITIONS

    if name is not None:
        say(*told(name))
        return
    rows: list[tuple[object, ...]] = [
        (d.name, len(d.stimuli), d.repetitions, len(d.stimuli) * d.repetitions, d.evidence,
         d.question)
        for d in catalogue()
    ]  # fmt: skip
    rows += [(name, None, REPETITIONS, None, EVIDENCE, k.question) for name, k in KINDS.items()]
    header = ("design", "stimuli", "repetitions", "a deployment", "evidence", "question")
    table(rows, header, limit=100)


@progress_app.command(epilog="Example: draligned progress run stage my-study --model rehearsal")
def run(
    design: DesignArgument,
    study: StudyArgument = HERE,
    model: Annotated[
        list[str] | None, typer.Option(help="Deployment; may be repeated. Default: rehearsal.")
    ] = None,
    limit: Limit = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Calls at once.")] = 16,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    models: Models = "live",
    dry_run: DryRun = False,
) -> None:
    """Freeze a design, precheck deployments, ask what is open.

    Each deployment is prechecked once. `--limit` is for each deployment, the other limits are of
    this one command. Exit code 3: positions were left open.
    """
    opened = begin_study(study)
    if dry_run:
        show_forecast(opened.progress.forecast(design, model or ["rehearsal"]))
        return
    with Progress().of(opened) as progress:
        done = opened.progress.run(
            design, model or ["rehearsal"], limit=limit, concurrency=concurrency,
            max_cost=max_cost, max_tokens=max_tokens, models=models, progress=progress,
        )  # fmt: skip
    left = say_lanes(done)
    say_spend(opened)
    _admission(opened, design)
    if left:
        say("The same command goes on with what is open.")
        raise typer.Exit(3)


@progress_app.command(epilog="Example: draligned progress status my-study")
def status(study: StudyArgument = HERE) -> None:
    """Print how designs and rollouts that were begun stand."""
    opened = begin_study(study)
    names, rollouts = opened.progress.names(), opened.rollouts.status()
    if not names and not rollouts:
        say(
            "no design was begun yet, and no rollout; `draligned progress run stage` or "
            "`draligned progress rollout` begins one"
        )
    for name in names:
        say(name)
        _admission(opened, name)
    if rollouts:
        say(ROLLOUT)
        say_rollouts(opened.rollouts)


@progress_app.command(epilog="Example: draligned progress measure stage my-study")
def measure(design: DesignArgument, study: StudyArgument = HERE) -> None:
    """Make a design's tables; `rollout` stands for the rollouts.

    From the deployments that are admitted and complete. The corruption gate comes first: where
    the metric calls corrupted replies clean, no table is written.
    """
    opened = begin_study(study)
    made = opened.rollouts if design == ROLLOUT else opened.progress
    found = made.measure() if design == ROLLOUT else made.measure(design)
    for name, rows in found.items():
        say(f"progress/{design}/tables/{name}.parquet: {rows} rows")
    say("Each stands beside as CSV; columns are told in docs/progress-tables.md.")
    if design == ROLLOUT:
        say_outcomes(made)
        say_rollouts(made)
    else:
        _admission(opened, design)


@progress_app.command(epilog="Example: draligned progress show 3f0c9a my-study")
def show(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="Id of a position or trajectory, or how it begins."
        ),
    ],
    study: StudyArgument = HERE,
) -> None:
    """Print one reply, or one trajectory of a rollout.

    What was asked, what is true, how it scores; or turn by turn, and how it ended.
    """
    opened = begin_study(study)
    say(*(opened.rollouts.show(position) or opened.progress.show(position)))


def say_lanes(done: Any) -> bool:
    """Say what became of each deployment; whether anything was left open."""
    left = False
    for deployment, summary in done.items():
        say(f"{deployment}:")
        if summary is None:
            say("  not admitted by the precheck; nothing was asked of it")
        else:
            say_work(summary)
            left = left or bool(summary.left_open)
    return left


def _admission(opened: Any, design: str) -> None:
    found = opened.progress.status(design)
    rows = [
        (s.deployment, s.planned, s.replied, s.transport, s.identity, f"{s.good}/{s.probes}",
         "yes" if s.counts else "no", s.reason)
        for s in found
    ]  # fmt: skip
    header = ("deployment", "planned", "replied", "transport", "identity", "probes", "counts",
              "reason")  # fmt: skip
    table(rows, header)
    if any(s.rehearsal for s in found):
        say(REHEARSAL)
