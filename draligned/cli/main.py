"""The command line: thin, and light to start."""

import contextlib
import errno
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from draligned.cli import (
    build,
    evaluators,
    execute,
    extra,
    harness,
    labels,
    progress,
    progress_pages,
    progress_regate,
    progress_rollout,
    progress_tau2,
    recordings,
    registers,
    results,
    review,
    simulate,
    tables,
    verify,
    view,
)

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


def _version(wanted: bool) -> None:
    if wanted:
        from draligned import __version__

        typer.echo(f"draligned {__version__}")
        raise typer.Exit


@app.callback()
def _app(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    """Hold the options of the program itself; commands stand beside it."""


for room in (
    build,
    execute,
    evaluators,
    labels,
    review,
    results,
    tables,
    registers,
    simulate,
    extra,
    harness,
    progress,
    progress_pages,
    progress_regate,
    progress_rollout,
    progress_tau2,
    recordings,
    verify,
    view,
):
    room.register(app)


_USAGE_ERROR: type[typer.BadParameter] = typer.BadParameter.__mro__[2]
"""What typer raises for wrong options, under whatever name it ships that class."""
STOPPED = "stopped; what is done stays done, the same command goes on"
_INTERRUPTED, _TERMINATED = 130, 143


def main() -> None:
    """Entry point: one clear line for what the user can mend, exit code 2."""
    terminated = _stop_on_sigterm()
    from draligned.schema.errors import DralignedError, UserError

    try:
        code = app(prog_name="draligned", standalone_mode=False)
    except typer.Exit as ended:
        code = ended.exit_code
    except _USAGE_ERROR as error:
        code = _usage(error)
    except UserError as error:
        _fail(str(error), 2)
    except DralignedError as error:
        _fail(f"{type(error).__name__}: {error}", 1)
    except (KeyboardInterrupt, typer.Abort):
        code = _INTERRUPTED
    except BrokenPipeError:
        code = _closed()
    except OSError as error:
        _fail(_disk(error), 2)
    if code == _INTERRUPTED:
        _fail(STOPPED, _TERMINATED if terminated else _INTERRUPTED)
    raise SystemExit(code or 0)


def _stop_on_sigterm() -> list[int]:
    """Let SIGTERM end work as ctrl-C does; the list is filled when one came."""
    came: list[int] = []

    def stop(number: int, _frame: object) -> None:
        came.append(number)
        signal.raise_signal(signal.SIGINT)

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Begun by a script with `&`: ctrl-C is ignored, and with it would be every SIGTERM.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, stop)
    return came


def _usage(error: typer.BadParameter) -> int:
    """Say what is wrong with the options on one line; the help, where no command was given."""
    said = error.format_message().rstrip(".")
    if "\n" in said:
        error.show()
        return 2
    path = error.ctx.command_path if error.ctx else "draligned"
    _fail(f"{said}; see `{path} --help`", 2)


def _disk(error: OSError) -> str:
    """What the system refused, and for which file."""
    where = f": {error.filename}" if error.filename else ""
    hint = _HINTS.get(error.errno or 0, "")
    return f"{error.strerror or error}{where}{hint}"


_HINTS = {
    errno.ENOSPC: "; make room and run the same command again: what is done stays done",
    errno.EDQUOT: "; make room and run the same command again: what is done stays done",
    errno.EFBIG: "; the system allows no larger file: what is done stays done",
    errno.EACCES: "; give yourself the right to it, or work in a copy of the study",
    errno.EROFS: "; work in a copy of the study",
}


def _closed() -> int:
    """Whoever read the output went away; keep the interpreter from saying so at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _fail(line: str, code: int) -> NoReturn:
    from draligned.schema.strictjson import visible

    with contextlib.suppress(OSError):
        typer.echo(f"draligned: {visible(line, 4000)}", err=True)
    raise SystemExit(code)
