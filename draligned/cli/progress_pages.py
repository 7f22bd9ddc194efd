"""progress report, survey: what the second instrument shows."""

from typing import Annotated

import typer

from draligned.cli.common import HERE, REHEARSAL, StudyArgument, begin_study, say, table
from draligned.cli.progress import progress_app

StageLang = Annotated[
    str | None,
    typer.Option("--lang", help="zh or en; the language of [construction] by default."),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the group that is there."""
    progress_app.command(epilog="Example: draligned progress report my-study --lang en")(report)
    progress_app.command(epilog="Example: draligned progress survey")(survey)


def report(study: StudyArgument = HERE, lang: StageLang = None) -> None:
    """Write one page over all designs that were begun.

    Makes their tables first. Deployments that do not count are on the page with the reason; they
    enter no number.
    """
    opened = begin_study(study)
    say(str(opened.progress_report(lang=lang)))
    progress, rollouts = opened.progress, opened.rollouts.status()
    lanes = [s for name in progress.names() for s in progress.status(name)]
    if any(s.rehearsal for s in (*lanes, *rollouts)) or opened.regated_rehearsal:
        say(REHEARSAL)


def survey() -> None:
    """Print how frameworks decide whether to go on.

    Seventeen frameworks by what their loop reads, and five runtimes by their source, apart. Facts
    about documentation; nothing of it is pooled with replies.
    """
    from draligned.progress.survey import EVIDENCE, MEANING, forms, load_survey, owners

    found = load_survey()
    say(f"{found.question}\n{found.selection}\n{EVIDENCE}. {found.boundary}\n")
    rows = [
        (r.name, "+".join(r.reads) or "-", "+".join(r.also) or "-", r.owner, r.identifier or "-",
         r.accessed or "-", r.source)
        for r in sorted(found.framework, key=lambda r: r.name.casefold())
    ]  # fmt: skip
    header = ("framework", "reads", "also", "owner", "identifier", "accessed", "source")
    table(rows, header)
    total = len(found.framework)
    counted = ", ".join(f"{n}/{total} {owner}" for owner, n in owners(found.framework).items())
    say(f"in canonical usage: {counted}\n")
    listed = [
        (signal, MEANING[signal], len(names), ", ".join(names))
        for signal, names in forms(found.framework).items()
    ]
    overlapping = (
        "form",
        "the loop reads",
        "n",
        "frameworks (they overlap: no counts of prevalence)",
    )
    table(listed, overlapping, limit=200)
    say("\nSource audit of deployed runtimes, counted apart from the seventeen:")
    runtimes = sorted(found.runtime, key=lambda r: r.name.casefold())
    audit = [(r.name, r.family, r.cap or "-", r.commit, r.accessed, r.evidence) for r in runtimes]
    table(audit, ("runtime", "family", "cap", "commit", "accessed", "what it does"), limit=120)
    say("")
    table([(r.name, place) for r in runtimes for place in r.places], ("runtime", "place"))
