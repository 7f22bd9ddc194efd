"""registers: corrections, methods and limits."""

from typing import Annotated, Any

import typer

from draligned.cli.common import HERE, PageLang, StudyArgument, open_study, say, visible

registers_app = typer.Typer(
    help="Registers of corrections, methods and limits: list, add.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
NameArgument = Annotated[
    str, typer.Argument(metavar="REGISTER", help="corrections, methods or limits.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(
        registers_app, name="registers", epilog="Example: draligned registers list limits"
    )


@registers_app.command("list", epilog="Example: draligned registers list corrections my-study")
def list_entries(
    name: NameArgument,
    study: StudyArgument = HERE,
    lang: PageLang = None,
) -> None:
    """Print a register.

    First the entries that come with the project, then the study's own.

    A method of this instrument has run where one of its tables has a result in the study; a
    design does not show that it ran.
    """
    from draligned.api.registers import register_name
    from draligned.schema.errors import ConfigError

    if lang not in (None, "zh", "en"):
        raise ConfigError(f"lang is {lang!r}; registers are written in zh and en")
    opened = open_study(study)
    spoken = lang or (opened.design().lang if opened.has_design() else "en")
    for entry in opened.register(register_name(name), lang=spoken):
        own = "  (this study)" if entry.own else ""
        say(f"[{entry.standing}] {_line(entry.title)}{own}")
        say(f"    {_line(entry.text)}")
        for count in entry.counts:
            say(f"    {_line(count)}")
        say(f"    {entry.id}" + (f"  {_line(entry.source)}" if entry.source else ""))


def _line(text: str) -> str:
    return visible(text, 4000)


@registers_app.command(
    "add",
    epilog="Example: draligned registers add corrections my-study --id late-fix "
    "--standing WITHDRAWN --title 'A run of the wrong model' --text 'The route was wrong.' "
    "--exclude 0123456789abcdef",
)
def add_entry(
    name: NameArgument,
    study: StudyArgument = HERE,
    entry_id: Annotated[
        str, typer.Option("--id", help="A name of its own: small letters, digits, - . _")
    ] = "",
    title: Annotated[str, typer.Option(help="A few words.")] = "",
    text: Annotated[str, typer.Option(help="What happened and what follows.")] = "",
    standing: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a correction: RETRACTED, CORRECTED, WITHDRAWN, RECLASSIFIED, OPEN, NOT TESTED."
        ),
    ] = None,
    state: Annotated[
        str | None, typer.Option(help="Of a method: designed, piloted, run or retired.")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="Run, factor or packet that a correction leaves out of every table."),
    ] = None,
) -> None:
    """Add an entry to the study's own register. It stays: nothing is changed or taken away.

    What a correction leaves out is kept on disk and gets no label; `draligned measure` makes the
    tables without it.
    """
    from draligned.api.registers import register_name
    from draligned.schema.errors import ConfigError

    which = register_name(name)
    opened = open_study(study)
    given = {"--id": entry_id, "--title": title, "--text": text}
    if missing := [option for option, value in given.items() if not value.strip()]:
        raise ConfigError(f"an entry needs {', '.join(missing)}; `draligned registers add --help`")
    if exclude and which != "corrections":
        raise ConfigError("only a correction can leave records out (--exclude)")
    words = {"title": {"zh": title, "en": title}, "text": {"zh": text, "en": text}}
    fields: dict[str, Any] = {"id": entry_id, **words}
    if which == "corrections":
        excluded = opened.exclusions(exclude or ())
        fields |= {"standing": standing or (), "excludes": [e.model_dump() for e in excluded]}
    elif which == "methods":
        fields["state"] = state
    else:
        fields["holds"] = "always"
    line = opened.add_to_register(which, _entry(which, fields))
    say(f"{which}: added {line.entry.id}, entry {line.seq} of this study")
    if exclude:
        say("`draligned measure` makes the tables without what it leaves out")


def _entry(which: str, fields: dict[str, Any]) -> Any:
    """The entry, or a line that names the option to mend."""
    from pydantic import ValidationError

    from draligned.schema.base import Record
    from draligned.schema.errors import ConfigError
    from draligned.schema.registers import Correction, Limit, Method

    kinds: dict[str, type[Record]] = {
        "corrections": Correction, "methods": Method, "limits": Limit,
    }  # fmt: skip
    try:
        return kinds[which].model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(f"--{first['loc'][0]}: {first['msg']}") from error
