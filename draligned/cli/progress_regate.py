"""progress regate: gates applied to what was recorded under another."""

from typing import Annotated

import typer

from draligned.cli.common import HERE, REHEARSAL, StudyArgument, open_study, say, table
from draligned.cli.progress import progress_app


def register(app: typer.Typer) -> None:
    """Add the command to the group that is there."""
    progress_app.command(
        epilog="Example: draligned progress regate my-study --gate marker,no_tool_call"
    )(regate)


def regate(
    study: StudyArgument = HERE,
    gate: Annotated[
        list[str] | None,
        typer.Option(
            "--gate",
            help="hard_cap, marker, marker_strict, no_tool_call, runtime_owned, terminal_tool, "
            "typed_state. Names with commas, or repeated.",
            show_default="all",
        ),
    ] = None,
) -> None:
    """Ask where another gate would have ended recorded sessions.

    Of rollouts and of research episodes; nothing is called. Truth is read from the state: both
    steps done in a rollout, an accepted submission in an episode.
    """
    from draligned.progress.regate import REASONS

    opened = open_study(study)
    frame, found = opened.regate(gate or ())
    columns = ["source", "under", "deployment", "gate", "records", "right_stop",
               "false_completion", "missed_completion", "went_on", "unknown", "replies", "saved",
               "cut_off", "reason"]  # fmt: skip
    table(found[columns].itertuples(index=False), columns)
    for code in sorted({c for cell in found["reason"] for c in cell.split()}):
        say(f"{code}: {REASONS[code]}.")
    say(f"progress/regate/tables/: records {len(frame)} rows, gates {len(found)} rows")
    say("saved: replies after a right stop. cut_off: replies after a stop that came too early.")
    say(f"{found['evidence'].iloc[0]}. {found['boundary'].iloc[0]}")
    if frame["rehearsal"].any():
        say(REHEARSAL)
