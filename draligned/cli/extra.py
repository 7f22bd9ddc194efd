"""demo and rehearsal."""

from pathlib import Path
from typing import Annotated

import typer

from draligned.cli.common import Progress, begin_study, note, say

rehearsal_app = typer.Typer(
    help="The offline stand-in for a provider.", rich_markup_mode=None, no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: draligned demo demo-study")(demo)
    app.add_typer(
        rehearsal_app, name="rehearsal", epilog="Example: draligned rehearsal serve --port 8099"
    )


def demo(
    study: Annotated[Path, typer.Argument(help="New or unfinished folder.")] = Path("demo-study"),
    lang: Annotated[str, typer.Option(help="zh or en.")] = "zh",
) -> None:
    """Make a whole study offline, with rehearsal models.

    Its numbers are no evidence about any language model.
    """
    from draligned.cli.execute import finish, leave
    from draligned.cli.results import report

    opened = begin_study(study)
    if not opened.has_design():
        built = opened.construct(pdr_bench=None, lang=lang, tasks=None, cards=None, progress=note)
        say(f"constructed {len(built.design.cards)} cards")
    with Progress() as progress:
        ran = opened.run(opened.plan_runs(), progress=progress)
    if ran.left_open:
        finish(opened, ran)
        leave(ran)
    with Progress() as progress:
        read = opened.evaluate(mirrored=True, progress=progress)
    say(f"ran {ran.done} episodes and made {read.done} reads")
    report(study)


@rehearsal_app.command("serve", epilog="Example: draligned rehearsal serve --port 8099")
def serve(
    port: Annotated[int, typer.Option(help="Loopback port; 0 picks a free one.")] = 0,
) -> None:
    """Serve the rehearsal models on loopback, until interrupted. The first line is the base_url.

    They speak both interfaces of the OpenAI protocol, streamed or not, and take any key.
    A model's name begins with "rehearsal-" and its role: agent, reader, constructor or reviewer.
    """
    from draligned.rehearsal.serve import serve as run_server

    run_server(port=port, ready=say)
