"""measure, report, status, show."""

from pathlib import Path
from typing import Annotated, Any

import typer

from draligned.cli.common import (
    HERE,
    PageLang,
    StudyArgument,
    lock_line,
    open_study,
    say,
    say_spend,
    say_tables,
    table,
)

Partial = Annotated[
    bool, typer.Option("--partial", help="Go on although cells are open; everything says so.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: draligned measure my-study")(measure)
    app.command(epilog="Example: draligned report my-study")(report)
    app.command(epilog="Example: draligned status my-study")(status)
    app.command(epilog="Example: draligned show 0123456789abcdef my-study")(show)


def measure(study: StudyArgument = HERE, partial: Partial = False) -> None:
    """Make the tables from runs and reads, deterministically."""
    opened = open_study(study)
    say_tables(opened.measure(partial=partial))
    _summary(opened)


def report(study: StudyArgument = HERE, partial: Partial = False, lang: PageLang = None) -> None:
    """Write the report: one self-contained HTML page."""
    opened = open_study(study)
    path: Path = opened.report(partial=partial, lang=lang)
    _summary(opened)
    say(f"report: {path}")


def status(study: StudyArgument = HERE) -> None:
    """Say what is planned, done, failed, censored and open."""
    opened = open_study(study)
    say(lock_line(opened))
    if not opened.has_design():
        return
    found = opened.status()
    if found.blocks or found.left_out:
        table(*_blocks(found))
    else:
        say("runs: none planned yet; `draligned run` plans and makes them")
    if any(b.stored for b in (*found.blocks, *found.left_out)):
        say(STORED)
    if found.note:
        say(found.note)
    reads = [
        (r.evaluator, r.kind, r.planned, r.read, r.void, r.open)
        for r in (*found.reads, *found.sentinels)
    ]
    if reads:
        table(reads, ("evaluator", "packets", "planned", "read", "void", "open"))
    elif found.blocks:
        say("reads: none planned yet; `draligned evaluate --mirrored` plans and makes them")
    if found.rehearsal:
        from draligned.api.summary import REHEARSAL

        say(REHEARSAL)
    say_spend(opened)


STORED = (
    "stored: attempts kept and not analysed; the first attempt with model output is the analysed "
    "one, whatever became of it."
)
_COLUMNS = (
    "model", "harness", "planned", "started", "done", "failed", "censored", "open", "stored",
)  # fmt: skip


def _blocks(found: Any) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    """Rows and header; sets of runs, the environment, and what is for development only, are
    columns where there is something to tell apart."""
    from draligned.study.status import SET_NAMES

    blocks = [(b, True) for b in found.blocks] + [(b, False) for b in found.left_out]
    blocks.sort(key=lambda row: (row[0].model, row[0].harness, row[0].environment))
    rows: list[tuple[Any, ...]] = [tuple(getattr(b, c) for c in _COLUMNS) for b, _ in blocks]
    header: tuple[str, ...] = _COLUMNS
    if len({b.run_set for b, _ in blocks}) > 1:
        rows = [(*row, SET_NAMES[b.run_set]) for row, (b, _) in zip(rows, blocks, strict=True)]
        header = (*header, "set")
    if len({b.environment for b, _ in blocks}) > 1:
        rows = [(*row, b.environment) for row, (b, _) in zip(rows, blocks, strict=True)]
        header = (*header, "environment")
    if any(b.development for b, _ in blocks):
        rows = [(*row, _analysis(*block)) for row, block in zip(rows, blocks, strict=True)]
        header = (*header, "analysis")
    return rows, header


def _analysis(block: Any, analysed: bool) -> str:
    if not block.development:
        return "yes"
    return "development only, taken in" if analysed else "development only, left out"


def show(
    what: Annotated[str, typer.Argument(help="Id of a factor, condition, run, pair or packet.")],
    study: StudyArgument = HERE,
) -> None:
    """Print a factor, condition, run, pair or packet as text.

    A packet with its reads; factors and conditions in full, before any run.
    """
    for line in open_study(study).show(what):
        say(line)


def _summary(opened: Any) -> None:
    from draligned.api.summary import summarise

    summary = summarise(opened)
    table(summary.rows, summary.header)
    for line in summary.notes:
        say(line)
