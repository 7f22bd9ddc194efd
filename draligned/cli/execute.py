"""run and evaluate."""

from typing import Annotated, Any

import typer

from draligned.cli.common import HERE, Progress, StudyArgument, open_study, say, say_spend, table

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, do nothing.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Do at most so many, then stop.")]
MaxCost = Annotated[float | None, typer.Option(min=0, help="Stop before spending more.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Stop before using more tokens.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: draligned run my-study --harness coupled --pilot 2")(run)
    app.command(epilog="Example: draligned evaluate my-study --mirrored")(evaluate)


def run(
    study: StudyArgument = HERE,
    harness: Annotated[list[str] | None, typer.Option(help="Harness; may be repeated.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Model; may be repeated.")] = None,
    replicates: Annotated[int | None, typer.Option(min=1, help="Runs of each cell.")] = None,
    pilot: Annotated[int | None, typer.Option(min=1, help="Only the first N pairs.")] = None,
    limit: Limit = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Episodes at once.")] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    dry_run: DryRun = False,
) -> None:
    """Run the open episodes; what a stopped run left open goes on where it was."""
    opened = open_study(study)
    asked = opened.plan_runs(harnesses=harness, models=model, replicates=replicates, pilot=pilot)
    if dry_run:
        _show_forecast(opened.forecast_runs(asked))
        return
    progress = Progress()
    summary = opened.run(
        asked, limit=limit, concurrency=concurrency,
        max_cost=max_cost, max_tokens=max_tokens, progress=progress,
    )  # fmt: skip
    progress.close()
    _finish(opened, summary)


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
    dry_run: DryRun = False,
) -> None:
    """Have blinded evaluators read requests and documents; then make the tables."""
    opened = open_study(study)
    if dry_run:
        _show_forecast(opened.forecast_reads(mirrored=mirrored, evaluators=evaluator))
        return
    progress = Progress()
    summary = opened.evaluate(
        mirrored=mirrored, evaluators=evaluator, limit=limit, concurrency=concurrency,
        max_cost=max_cost, max_tokens=max_tokens, progress=progress,
    )  # fmt: skip
    progress.close()
    if not mirrored:
        say("only one orientation was read: every label is UNKNOWN(single_read)")
    _finish(opened, summary)


def _show_forecast(forecast: Any) -> None:
    table(forecast.rows, forecast.header)
    for line in forecast.notes:
        say(line)


def _finish(opened: Any, summary: Any) -> None:
    say(f"{summary.done} done, {summary.left_open} left open.")
    for reason, count in summary.reasons.items():
        say(f"  {count} × {reason}")
    if summary.stopped:
        say(f"stopped: {summary.stopped}")
    say_spend(opened)
    if summary.left_open:
        say("The same command goes on with what is open.")
        raise typer.Exit(3)
