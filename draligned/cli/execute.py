"""run and evaluate."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from draligned.cli.common import (
    HERE,
    Progress,
    StudyArgument,
    open_study,
    say,
    say_spend,
    say_tables,
    table,
    visible,
)

_SHOWN = 5
"""Reasons printed one by one."""

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, do nothing.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Do at most so many, then stop.")]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="Stop once this command spent so much."),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Stop once this command used so many tokens."),
]
Retrieval = Annotated[
    Literal["live", "record", "replay"] | None,
    typer.Option(
        help="Ask afresh, ask once and record, or use the record alone.",
        show_default="as study.toml says",
    ),
]
Models = Annotated[
    Literal["live", "replay"],
    typer.Option(help="Call models, or repeat their recorded replies."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: draligned run my-study --harness coupled --pilot 2")(run)
    app.command(epilog="Example: draligned evaluate my-study --mirrored")(evaluate)


def run(
    study: StudyArgument = HERE,
    harness: Annotated[list[str] | None, typer.Option(help="Harness; may be repeated.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Model; may be repeated.")] = None,
    replicates: Annotated[int | None, typer.Option(min=1, help="Runs of each cell.")] = None,
    pilot: Annotated[
        int | None, typer.Option(min=1, help="Only the first N pairs of each model and harness.")
    ] = None,
    progress_duty: Annotated[
        bool,
        typer.Option(
            "--progress-duty",
            help="Ask agents for a stage tag in every turn; each harness then counts as another "
            "one, e.g. H-W+duty.",
        ),
    ] = False,
    limit: Limit = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Episodes at once.")] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    retrieval: Retrieval = None,
    models: Models = "live",
    dry_run: DryRun = False,
) -> None:
    """Run the open episodes. What a stopped run left open goes on where it was.

    Limits are of this one command, and calls under way are finished.
    A replay of both reaches no network; what was not recorded ends it, by name.
    Exit code 3: cells were left open.
    """
    opened = open_study(study)
    asked = opened.plan_runs(
        harnesses=harness, models=model, replicates=replicates, pilot=pilot,
        progress_duty=progress_duty,
    )  # fmt: skip
    if progress_duty:
        named = sorted({block.harness.name for block in asked.blocks})
        say(f"stage tags are asked for: {', '.join(named)}")
    if dry_run:
        show_forecast(opened.forecast_runs(asked))
        return
    with Progress().of(opened) as progress:
        summary = opened.run(
            asked, limit=limit, concurrency=concurrency,
            max_cost=max_cost, max_tokens=max_tokens,
            retrieval=retrieval, models=models, progress=progress,
        )  # fmt: skip
    finish(opened, summary)
    leave(summary)


def evaluate(
    study: StudyArgument = HERE,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="Read twice, endpoints swapped.")
    ] = False,
    evaluator: Annotated[list[str] | None, typer.Option(help="Evaluator model.")] = None,
    limit: Limit = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Reads at once.")] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    models: Models = "live",
    dry_run: DryRun = False,
) -> None:
    """Read requests and documents blind, then make the tables.

    Limits are of this one command, and calls under way are finished.
    Exit code 3: reads were left open.
    """
    opened = open_study(study)
    if dry_run:
        show_forecast(opened.forecast_reads(mirrored=mirrored, evaluators=evaluator))
        return
    with Progress().of(opened) as progress:
        summary = opened.evaluate(
            mirrored=mirrored, evaluators=evaluator, limit=limit, concurrency=concurrency,
            max_cost=max_cost, max_tokens=max_tokens, models=models, progress=progress,
        )  # fmt: skip
    if apart := opened.left_out():
        say(apart)
    if not any(e.mirrored for e in opened.plan().evaluators):
        say("only one orientation was read: every label is UNKNOWN(single_read)")
    finish(opened, summary)
    if not summary.done and not summary.left_open:
        say(_why_nothing(opened))
    if not summary.left_open:
        _tables(opened)
    leave(summary)


def _why_nothing(opened: Any) -> str:
    if opened.readings().units:
        return "Everything was read before."
    return "There is nothing to read: no run made a request or a document (`draligned status`)."


def show_forecast(forecast: Any) -> None:
    """Print a forecast."""
    table(forecast.rows, forecast.header)
    for line in forecast.notes:
        say(line)


def finish(opened: Any, summary: Any) -> None:
    """Say what became of the work, and what the study has used."""
    say_work(summary)
    say_spend(opened)


def say_work(summary: Any) -> None:
    """Say what became of the work."""
    failed = sum(summary.failed.values())
    ended = f"{summary.done} done" + (f", {failed} of them failed" if failed else "")
    say(f"{ended}, {summary.left_open} left open.")
    _counted(summary.failed, "failed")
    _counted(summary.reasons, "left open")
    if summary.stopped:
        say(f"stopped: {visible(summary.stopped, 300)}")


def leave(summary: Any) -> None:
    """Exit code 3 while cells are open, 1 if every one of them failed."""
    if summary.left_open:
        say("The same command goes on with what is open.")
        raise typer.Exit(3)
    if summary.done and summary.done == sum(summary.failed.values()):
        raise typer.Exit(1)


def _counted(reasons: Mapping[str, int], what: str) -> None:
    ordered = sorted(reasons.items(), key=lambda r: (-r[1], r[0]))
    for reason, count in ordered[:_SHOWN]:
        say(f"  {count} × {what}: {visible(reason, 300)}")
    if rest := sum(count for _, count in ordered[_SHOWN:]):
        say(f"  {rest} × {what} for other reasons")


def _tables(opened: Any) -> None:
    """Make the tables, or say in a line what is still open."""
    from draligned.schema.errors import InventoryError

    try:
        made = opened.measure()
    except InventoryError as error:
        say(f"no tables yet: {error}")
        return
    say_tables(made)
