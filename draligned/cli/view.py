"""view: look at a study in the browser."""

import typer

from draligned.cli.common import (
    HERE,
    BrowserOption,
    PageLang,
    PortOption,
    StudyArgument,
    note,
    open_study,
    say,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: draligned view my-study")(view)


def view(
    study: StudyArgument = HERE,
    port: PortOption = 0,
    browser: BrowserOption = True,
    lang: PageLang = None,
) -> None:
    """Look at a study in the browser: runs, pairs, reads and tables.

    Also while it is being run. Pages are served on this machine alone, to whoever has the address
    with its token; they change nothing. Ctrl-C ends it.
    """

    from draligned.api.reporting import page_language
    from draligned.view.app import make_app
    from draligned.view.serve import listen, serve

    opened = open_study(study)
    app = make_app(study, lang=page_language(lang, opened.design()))
    listening = listen(port)
    note("Open this address; it holds the token of this viewer. Ctrl-C ends it.")
    serve(app, listening, say, browser=browser)
    note("The viewer has ended.")
