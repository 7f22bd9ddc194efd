"""harness list, show, check and template."""

from collections import Counter
from typing import Annotated

import typer

from draligned.cli.common import say, table, visible

harness_app = typer.Typer(
    help="Harnesses: list, show, check, template.", rich_markup_mode=None, no_args_is_help=True
)
Named = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="A built-in harness, or a file FILE.toml.")
]
_MARKS = {"passed": "passed ", "failed": "FAILED ", "unknown": "unknown"}
_FAILED, _UNKNOWN = 1, 3


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(harness_app, name="harness", epilog="Example: draligned harness show H-W")


@harness_app.command("list", epilog="Example: draligned harness list")
def list_() -> None:
    """List the built-in harnesses."""
    from draligned.api import harness

    header = ("name", "acquisition→workspace", "workspace→finalization", "topology", "gate",
              "submits", "development only")  # fmt: skip
    table(harness.rows(), header)


@harness_app.command(epilog="Example: draligned harness show H-W")
def show(name: Named) -> None:
    """Print a harness and its graph, as Mermaid text."""
    from draligned.api import harness

    say(*harness.describe(name))


@harness_app.command(epilog="Example: draligned harness check my-harness.toml")
def check(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME|FILE", help="A built-in harness, or a file FILE.toml."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All built-in harnesses.")] = False,
) -> None:
    """Run a harness through every rule of the suite.

    Offline, with scripted models; nothing is written.
    Exit code 1: a rule failed. 3: none failed, but some cannot be checked here.
    """
    from draligned.api import harness

    if every == (name is not None):
        from draligned.schema.errors import ConfigError

        raise ConfigError("name one harness, or give --all; see `draligned harness list`")
    counts: Counter[str] = Counter()
    for one in harness.names() if every else (name or "",):
        if every:
            say(one)
        counts.update(finding.status for finding in harness.check(one, _say))
    say(", ".join(f"{counts[status]} {status}" for status in _MARKS if counts[status]))
    if counts["failed"] or counts["unknown"]:
        raise typer.Exit(_FAILED if counts["failed"] else _UNKNOWN)


@harness_app.command(epilog="Example: draligned harness template > my-harness.toml")
def template() -> None:
    """Print a commented file to begin a harness of your own from."""
    from draligned.api import harness

    typer.echo(harness.template(), nl=False)


def _say(finding: object) -> None:
    status, rule, detail = (getattr(finding, key) for key in ("status", "rule", "detail"))
    say(f"{_MARKS[status]}  {rule:<24}{visible(detail, 400)}".rstrip())
