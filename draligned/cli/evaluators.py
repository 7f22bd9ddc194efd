"""evaluators: qualify."""

from typing import Annotated, Any

import typer

from draligned.cli.common import HERE, Progress, StudyArgument, open_study, say, table
from draligned.cli.execute import (
    DryRun,
    Limit,
    MaxCost,
    MaxTokens,
    Models,
    finish,
    leave,
    show_forecast,
)

evaluators_app = typer.Typer(
    help="Evaluators: qualify.", rich_markup_mode=None, no_args_is_help=True
)


@evaluators_app.callback()
def _evaluators() -> None:
    """Keep `qualify` a command of its own while it is the only one."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(
        evaluators_app,
        name="evaluators",
        epilog="Example: draligned evaluators qualify rehearsal-reader my-study",
    )


@evaluators_app.command(
    epilog="Example: draligned evaluators qualify rehearsal-reader my-study --lang zh"
)
def qualify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Name, as in study.toml.")],
    study: StudyArgument = HERE,
    lang: Annotated[str | None, typer.Option(help="zh or en; both if absent.")] = None,
    limit: Limit = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Reads at once.")] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    models: Models = "live",
    dry_run: DryRun = False,
) -> None:
    """Judge an evaluator by packets whose labels are known.

    It reads them blind, in both orientations, as it would read a study. What a stopped command
    left open goes on where it was. The verdict is kept in the study's folder.
    Exit code 1: not qualified. Exit code 3: reads were left open.
    """
    opened = open_study(study)
    if dry_run:
        show_forecast(opened.forecast_qualification(model, lang=lang))
        return
    with Progress().of(opened) as progress:
        found = opened.qualify(
            model, lang=lang, limit=limit, concurrency=concurrency,
            max_cost=max_cost, max_tokens=max_tokens, models=models, progress=progress,
        )  # fmt: skip
    finish(opened, found.summary)
    for one in found.verdicts:
        _show(one)
    leave(found.summary)
    if any(one.findings.verdict != "qualified" for one in found.verdicts):
        raise typer.Exit(1)


def _show(one: Any) -> None:
    """One verdict with all that it rests on."""
    found = one.findings
    say("", f"{one.evaluator} ({one.requested_model}), {one.lang}: {one.n_items} items, "
        f"{one.n_reads} of {one.n_planned} reads")  # fmt: skip
    if one.rehearsal:
        say("A rehearsal model: no evidence about any language model. It matches words, so items "
            "that only sense can label are counted apart.")  # fmt: skip
    _confusion(found.confusion)
    flips = found.flips
    say(f"order flips: {flips.n} of {flips.of} couples of decided reads "
        f"({flips.both_to_first} both to the endpoint shown first, {flips.both_to_second} both to "
        f"the second, {flips.other} other)")  # fmt: skip
    reasons = ", ".join(f"{n} × {reason}" for reason, n in found.unreadable.items())
    say(f"unreadable or dropped: {reasons or 'nothing'}", "")
    _counts("single reads by trap", found.traps)
    _counts("conflict reads that follow the action", found.conflicts)
    _counts("item field", (*found.fields, found.by_sense))
    rows = [
        (c.count.name, c.count.n, c.count.of, c.count.share, c.count.low, c.count.high,
         f"{c.sense} {c.bar:g}", {True: "met", False: "NOT MET", None: "nothing judged"}[c.met])
        for c in found.criteria
    ]  # fmt: skip
    table(rows, ("criterion", "n", "of", "share", "low", "high", "bar", ""))
    say(f"verdict in {one.lang}: {found.verdict}")


def _confusion(entries: Any) -> None:
    """Expected labels in rows, what was said in columns; a reason in words is an UNKNOWN."""
    for kind in sorted({e.kind for e in entries}, reverse=True):
        mine = [e for e in entries if e.kind == kind]
        said = sorted({e.said for e in mine}, key=lambda word: (word.islower(), word))
        cells = {(e.expected, e.said): e.n for e in mine}
        expected = sorted({e.expected for e in mine})
        rows = [(e, *(cells.get((e, word), 0) for word in said)) for e in expected]
        table(rows, (f"{kind}: right", *said))
        say("")


def _counts(title: str, counts: Any) -> None:
    rows = [(c.name, c.n, c.of, c.share, c.low, c.high) for c in counts]
    table(rows, (title, "right", "of", "share", "low", "high"))
    say("")
