"""The command line: thin, and light to start."""

import sys

import typer

from draligned.cli import build, execute, extra, results

app = typer.Typer(
    name="draligned",
    help="Ask where one fact about a user shows in a deep-research agent's behaviour.",
    epilog=(
        "Start with: draligned construct; draligned run --harness coupled; "
        "draligned evaluate --mirrored; draligned report"
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for room in (build, execute, results, extra):
    room.register(app)


_USAGE_ERROR: type[typer.BadParameter] = typer.BadParameter.__mro__[2]
"""What typer raises for wrong options, under whatever name it ships that class."""


def main() -> None:
    """Entry point: one clear line for what the user can mend, exit code 2."""
    from draligned.schema.errors import DralignedError, UserError
    from draligned.schema.strictjson import visible

    try:
        code = app(standalone_mode=False)
        raise SystemExit(code or 0)
    except typer.Exit as ended:
        raise SystemExit(ended.exit_code) from None
    except _USAGE_ERROR as error:
        error.show()
        raise SystemExit(2) from None
    except UserError as error:
        _fail(f"draligned: {visible(str(error), 1000)}", 2)
    except DralignedError as error:
        _fail(f"draligned: {type(error).__name__}: {visible(str(error), 1000)}", 1)
    except (KeyboardInterrupt, typer.Abort):
        _fail("draligned: stopped; what is done stays done, the same command goes on", 130)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(1) from None


def _fail(line: str, code: int) -> None:
    typer.echo(line, err=True)
    raise SystemExit(code)
