"""retrieval stats, export and import."""

from pathlib import Path
from typing import Annotated

import typer

from draligned.cli.common import HERE, StudyArgument, open_study, say, table

retrieval_app = typer.Typer(
    help="Recorded answers of search and read: stats, export, import.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(
        retrieval_app, name="retrieval", epilog="Example: draligned retrieval stats my-study"
    )


@retrieval_app.command(epilog="Example: draligned retrieval stats my-study")
def stats(study: StudyArgument = HERE) -> None:
    """Count requests, hits, misses and failures, and what is recorded."""
    found = open_study(study).retrieval_stats()
    if not found:
        say("nothing was asked yet, and nothing is recorded")
        return
    rows = [(s.environment, s.requests, s.hits, s.misses, s.live, s.stored, s.bytes) for s in found]
    table(rows, ("environment", "requests", "hits", "misses", "live", "stored", "bytes"))
    for one in found:
        for kind, count in one.failures.items():
            say(f"{one.environment}: {count} × {kind}")


@retrieval_app.command(epilog="Example: draligned retrieval export pages.tar my-study --replies")
def export(
    file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    study: StudyArgument = HERE,
    replies: Annotated[
        bool, typer.Option("--replies", help="The recorded replies of models, too.")
    ] = False,
) -> None:
    """Write what is recorded to one file.

    Imported elsewhere, it lets the study be replayed there. The same records make the same bytes.
    """
    members, size = open_study(study).export_retrieval(file, replies=replies)
    say(f"{file}: {members} records and texts, {size} bytes")


@retrieval_app.command("import", epilog="Example: draligned retrieval import pages.tar my-study")
def import_(
    file: Annotated[Path, typer.Argument(help="A file that `retrieval export` wrote.")],
    study: StudyArgument = HERE,
) -> None:
    """Take recorded answers from a file. What the study has already stays as it is.

    The whole file is checked first: of a damaged one, nothing is taken.
    """
    taken = open_study(study).import_retrieval(file)
    say(f"{taken.added} added, {taken.same} were there already")
    if taken.kept:
        say(f"{taken.kept} were not taken: this study has a recording of its own in their place")
