"""verify: the second, independent path."""

from typing import TYPE_CHECKING, Annotated

import typer

from draligned.cli.common import HERE, Progress, StudyArgument, open_study, say, visible

if TYPE_CHECKING:
    from draligned.verify.check import Verification
    from draligned.verify.found import Part

FIRST = 20
"""Mismatches of one part that are printed unless all are asked for."""
_LINE = 2_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: draligned verify my-study")(verify)


def verify(
    study: StudyArgument = HERE,
    everything: Annotated[
        bool, typer.Option("--all", help="Name every mismatch, however many there are.")
    ] = False,
) -> None:
    """Recompute all from raw replies and logs, and compare.

    Labels, pairs and every table cell, by a second implementation that shares no code with the
    first. Also checks hashes, chains, seals,
    inventory and blinding. Exit code 1 if anything differs.
    """
    opened = open_study(study)
    with Progress() as progress:
        found = opened.verify(progress=progress)
    for part in found.parts:
        _part(part, everything=everything)
    _remarks(found)
    say(f"all: matched {found.matched} of {found.total}")
    if not found.ok:
        raise typer.Exit(1)


def _part(part: "Part", *, everything: bool) -> None:
    say(f"{part.name}: matched {part.matched} of {part.total}")
    for note in part.notes:
        say(f"  {note}")
    shown = part.mismatches if everything else part.mismatches[:FIRST]
    for mismatch in shown:
        say(f"  MISMATCH {visible(mismatch.line(), _LINE)}")
    if len(shown) < len(part.mismatches):
        say(f"  … and {len(part.mismatches) - len(shown)} more; --all names every one")


def _remarks(found: "Verification") -> None:
    if found.not_recomputed:
        say(f"tables not recomputed: {', '.join(found.not_recomputed)}")
    if found.without_tables and found.ok:
        say("no tables yet: `draligned measure` makes them")
    for line in found.stale:
        say(f"{line}; no table was compared")
    if found.on_trust:
        say(f"taken on trust: why {found.on_trust} void reads were refused or cut by length, which "
            "the text of a reply does not show")  # fmt: skip
    for line in found.meaning:
        say(line)
    if found.rehearsal:
        from draligned.api.summary import REHEARSAL

        say(REHEARSAL)
