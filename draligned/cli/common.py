"""What the commands share: the study argument, output and long work's progress."""

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

StudyArgument = Annotated[
    Path, typer.Argument(metavar="STUDY", help="Folder of the study; the current one if absent.")
]
HERE = Path()
PageLang = Annotated[
    str | None, typer.Option("--lang", help="zh or en; the design's language by default.")
]
PortOption = Annotated[int, typer.Option("--port", help="0 takes a free one.", max=65535)]
BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Whether to open the browser.")
]
REHEARSAL = (
    "Rehearsal deployments play scripted behaviour: their numbers are no evidence about any "
    "language model."
)


def begin_study(root: Path) -> Any:
    """Open a study that may be new; imported here so that `--help` stays light."""
    from draligned import api

    return api.open(root)


def open_study(root: Path) -> Any:
    """Open a study whose folder is there already."""
    from draligned.schema.errors import ConfigError

    opened = begin_study(root)
    if not root.exists():
        raise ConfigError(f"there is no folder {root}; `draligned construct {root}` begins a study")
    return opened


def say(*lines: str) -> None:
    """Print lines."""
    for line in lines:
        typer.echo(line)


def note(line: str) -> None:
    """Print a line beside the output, on standard error."""
    typer.echo(line, err=True)


def lock_line(opened: Any) -> str:
    """Whether the design is a draft or frozen."""
    if not opened.has_design():
        return "no design yet: draligned construct"
    chain = opened.locks()
    if not chain:
        return "design: draft (the first run freezes it)"
    last = chain[-1]
    return f"design: frozen {last.locked_utc}, {last.n_cards} cards, {last.design_sha256[:16]}"


def say_spend(opened: Any) -> None:
    """Print tries, tokens, cost and waiting by model; an unknown cost is a dash.

    `estimated` counts calls whose tokens the provider did not say, `unaccounted` tries that
    may have been billed although nothing came back.
    """
    rows = [
        (r.model, r.purpose, r.tries, r.failed, r.input_tokens, r.output_tokens, r.estimated,
         r.unaccounted, r.cost, r.currency, r.working_seconds, r.waited_seconds)
        for r in opened.spend()
    ]  # fmt: skip
    if rows:
        say("Used in this study so far:")
        table(rows, ("model", "purpose", "tries", "failed", "tokens in", "tokens out", "estimated",
                     "unaccounted", "cost", "currency", "working s", "waiting s"))  # fmt: skip
    unaccounted, estimated = (sum(getattr(r, n) for r in opened.spend())
                              for n in ("unaccounted", "estimated"))  # fmt: skip
    if unaccounted:
        say("Tokens and cost are lower bounds; tries that may have been billed without a record: "
            f"{unaccounted}.")  # fmt: skip
    if estimated:
        say(f"Calls whose tokens are estimates, since their providers said none: {estimated}.")


def say_tables(made: Mapping[str, int]) -> None:
    """Say how many tables were made, and which have no row."""
    say(f"tables: {len(made)} with {sum(made.values()):,} rows; `draligned tables` lists them")
    if empty := [name for name, rows in made.items() if not rows]:
        say(f"without a row: {', '.join(empty)}")


CELL, WHOLE = 80, 1_000_000
"""Characters of a cell shown on a terminal, and where nothing is to be cut."""


def cell_limit() -> int:
    """How much of a long cell to show: all of it where the output goes into a file or pipe."""
    return CELL if sys.stdout is not None and sys.stdout.isatty() else WHOLE


def table(rows: Iterable[Sequence[Any]], header: Sequence[str], limit: int = CELL) -> None:
    """Print columns aligned, wide characters counted as two; cells are cut at `limit`."""
    text = [[_cell(v, limit) for v in row] for row in [header, *rows]]
    widths = [max(map(_width, column)) for column in zip(*text, strict=True)]
    for row in text:
        line = "  ".join(c + " " * (w - _width(c)) for c, w in zip(row, widths, strict=True))
        typer.echo(line.rstrip())


def visible(text: str, limit: int) -> str:
    """One safe line: control and bidi characters escaped, cut at `limit`."""
    from draligned.schema.strictjson import visible as escaped

    return escaped(text, limit)


def _cell(value: Any, limit: int) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else visible(str(value), limit)


def _width(text: str) -> int:
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Progress:
    """Progress of long work: one live line on a terminal, else a plain line now and then.

    Leaving it ends the live line, or prints the last count if that was not printed.
    """

    def __init__(self, *, every: float = 5.0) -> None:
        self._live = sys.stderr is not None and sys.stderr.isatty()
        self._every = 0.1 if self._live else every
        self._last = -1e9
        self._unsaid: str | None = None
        self._counted = self._said = ""
        self._tries = self._failed = 0
        self._failure = ""

    def of(self, opened: Any) -> "Progress":
        """Tell of tries of models too: items can take long, and failures are tried again."""
        opened.watch(self.tried)
        return self

    def tried(self, attempt: Any) -> None:
        """Count one try of a model; what failed is said with the next line."""
        if attempt.outcome == "cancelled":
            return
        self._tries += 1
        if attempt.outcome != "ok":
            self._failed += 1
            self._failure = visible(attempt.detail or attempt.outcome, CELL)
        if self._counted:
            self._due(self._line())

    def _line(self) -> str:
        """The count; the calls where it stands still, and where some failed."""
        if self._failed:
            more = f"calls: {self._tries}, {self._failed} failed, the last: {self._failure}"
        elif self._tries and self._counted == self._said:
            more = f"calls: {self._tries}"
        else:
            return self._counted
        return f"{self._counted} ({more})"

    def __call__(self, label: str, done: int, total: int) -> None:
        """Report `done` of `total`."""
        self._counted = f"{label}: {done}/{total}"
        self._due(self._line())

    def _due(self, line: str) -> None:
        self._unsaid = line
        moment = time.monotonic()
        if moment - self._last >= self._every:
            self._last = moment
            self._say()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        """Print what was not printed, and end the line."""
        if self._unsaid is not None:
            self._say()
        if self._live and self._last >= 0:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _say(self) -> None:
        text, self._unsaid, self._said = self._unsaid, None, self._counted
        if self._live:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
        else:
            typer.echo(text, err=True)
