"""construct, freeze, design, card."""

from pathlib import Path
from typing import Annotated, Any

import typer

from draligned.cli.common import (
    HERE,
    StudyArgument,
    begin_study,
    lock_line,
    note,
    open_study,
    say,
    table,
    visible,
)

design_app = typer.Typer(
    help="Look at the design, or add to a frozen one.", rich_markup_mode=None, no_args_is_help=True
)
card_app = typer.Typer(
    help="Factor cards: template, list, reject.", rich_markup_mode=None, no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(epilog="Example: draligned construct my-study --tasks 8 --lang zh")(construct)
    app.command(epilog="Example: draligned freeze my-study")(freeze)
    app.add_typer(design_app, name="design", epilog="Example: draligned design show my-study")
    app.add_typer(card_app, name="card", epilog="Example: draligned card template > cards.toml")


def construct(
    study: StudyArgument = HERE,
    pdr_bench: Annotated[
        Path | None,
        typer.Option(help="Folder of PDR-Bench as published; the bundled set if absent."),
    ] = None,
    lang: Annotated[str | None, typer.Option(help="zh or en.")] = None,
    tasks: Annotated[int | None, typer.Option(min=1, help="How many tasks.")] = None,
    cards: Annotated[
        Path | None, typer.Option(help="Hand-written cards, checked like generated ones.")
    ] = None,
) -> None:
    """Make matched conditions P and Q from tasks and personas. They stay a draft until frozen."""
    opened = begin_study(study)
    built = opened.construct(
        pdr_bench=pdr_bench, lang=lang, tasks=tasks, cards=cards, progress=note
    )
    _counts(built)
    _refused(built)
    say(f"{len(built.design.cards)} cards, {len(built.design.conditions)} conditions (draft).")
    if not built.design.cards:
        raise typer.Exit(1)


def _counts(built: Any) -> None:
    """Tasks tried and fields considered, by outcome and kind of factor."""
    rows = [(c.unit, c.outcome.value, c.kind, c.n) for c in built.counts]
    table(rows, ("unit", "outcome", "kind", "n"))
    say(f"{built.tried} tasks tried for {built.wanted} asked for.")


def _refused(built: Any) -> None:
    """Hand-written cards that were not accepted, and why: their author wants to know."""
    for card in built.set_aside:
        if card.source == "hand":
            why = "; ".join(f.reason for f in card.findings if f.verdict != "ok")
            said = f"{card.outcome.value} ({why})" if why else card.outcome.value
            place = f"task {card.task_id}, {card.user_id}, {card.kind}"
            note(visible(f"set aside: your card for {place}: {said}", 500))


def freeze(study: StudyArgument = HERE) -> None:
    """Lock the design. The first `run` does it too."""
    entry = open_study(study).freeze()
    say(f"frozen: {entry.n_cards} cards over {entry.n_tasks} tasks, {entry.design_sha256[:16]}")


@design_app.command("show", epilog="Example: draligned design show my-study")
def design_show(study: StudyArgument = HERE) -> None:
    """Print the cards of the design."""
    opened = open_study(study)
    rows = [
        (c.task_id, c.domain, c.user_id, c.field_path, c.p.value, c.q.value, c.factor_id)
        for c in opened.design().cards
    ]
    table(rows, ("task", "domain", "user", "field", "P", "Q", "factor"))
    say(lock_line(opened))


@design_app.command("amend", epilog="Example: draligned design amend my-study --tasks 12")
def design_amend(
    study: StudyArgument = HERE,
    tasks: Annotated[int | None, typer.Option(min=1, help="Tasks to add.")] = None,
    cards: Annotated[Path | None, typer.Option(help="Hand-written cards to add.")] = None,
    pdr_bench: Annotated[Path | None, typer.Option(help="Folder of PDR-Bench.")] = None,
) -> None:
    """Add tasks or factors to a frozen design as a new, chained lock."""
    built, entry = open_study(study).amend(
        pdr_bench=pdr_bench, tasks=tasks, cards=cards, progress=note
    )
    _counts(built)
    _refused(built)
    say(f"amended: {entry.n_cards} cards over {entry.n_tasks} tasks, {entry.design_sha256[:16]}")


@design_app.command("decisions", epilog="Example: draligned design decisions my-study")
def design_decisions(study: StudyArgument = HERE) -> None:
    """Print every field considered, and why it was passed over."""
    rows = [
        (d.task_id, d.user_id, d.field_path, d.kind, d.outcome.value, d.reason)
        for d in open_study(study).decisions()
    ]
    table(rows, ("task", "user", "field", "kind", "outcome", "reason"))


@card_app.command("template", epilog="Example: draligned card template --lang zh > cards.toml")
def card_template(lang: Annotated[str, typer.Option(help="zh or en.")] = "zh") -> None:
    """Print a hand-written card to fill in."""
    from draligned.api.building import card_template as template

    typer.echo(template(lang), nl=False)


@card_app.command("reject", epilog="Example: draligned card reject FACTOR my-study --why '…'")
def card_reject(
    factor: Annotated[str, typer.Argument(help="Factor id, as `design show` prints it.")],
    study: StudyArgument = HERE,
    why: Annotated[str, typer.Option(help="The reason; it is kept.")] = "",
) -> None:
    """Take a card out of the draft. The reason goes into the construction record."""
    open_study(study).reject_card(factor, why)
    say(f"rejected {factor}")
