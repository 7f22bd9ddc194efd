"""progress report, survey: what the second instrument shows."""

from typing import Annotated

import typer

from draligned.cli.common import HERE, StudyArgument, begin_study, say
from draligned.cli.progress import REHEARSAL, progress_app

StageLang = Annotated[
    str | None,
    typer.Option("--lang", help="zh or en; the language of [construct] by default."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the group that is there."""
    progress_app.command(epilog="Example: draligned progress report my-study --lang en")(report)


def report(study: StudyArgument = HERE, lang: StageLang = None) -> None:
    """Make all tables, and one page of them.

    Of every design that was begun. Deployments that do not count are on the page with the reason;
    they enter no number.
    """
    from draligned.api.stage_reporting import write_stage_report

    opened = begin_study(study)
    say(str(write_stage_report(opened, lang=lang)))
    progress = opened.progress
    if any(s.rehearsal for name in progress.names() for s in progress.status(name)):
        say(REHEARSAL)
