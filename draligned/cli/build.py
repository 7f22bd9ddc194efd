"""construct, freeze, design, card."""

from pathlib import Path
from typing import Annotated, Any

import typer

from draligned.cli.common import (
    HERE,
    WHOLE,
    StudyArgument,
    begin_study,
    cell_limit,
    lock_line,
    note,
    open_study,
    say,
    table,
    visible,
)

SubproblemsOption = Annotated[
    Path | None, typer.Option(help="TOML file: broad subproblems of tasks, with public words.")
]

design_app = typer.Typer(
    help="Look at the design, or add to a frozen one.", rich_markup_mode=None, no_args_is_help=True
)
card_app = typer.Typer(
    help="Factor cards: kinds, template, list, accept, reject.",
    rich_markup_mode=None,
    no_args_is_help=True,
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
    own: Annotated[
        Path | None,
        typer.Option(help="Folder with tasks.jsonl and personas.jsonl of your own."),
    ] = None,
    lang: Annotated[str | None, typer.Option(help="zh or en.")] = None,
    tasks: Annotated[int | None, typer.Option(min=1, help="How many tasks.")] = None,
    cards: Annotated[
        Path | None, typer.Option(help="Hand-written cards, checked like generated ones.")
    ] = None,
    two_factor: Annotated[
        int | None, typer.Option(min=0, help="Tasks that are also told two facts at once.")
    ] = None,
    subproblems: SubproblemsOption = None,
) -> None:
    """Make matched conditions P and Q from tasks and personas. They stay a draft until frozen."""
    opened = begin_study(study)
    built = opened.construct(
        pdr_bench=pdr_bench, own=own, lang=lang, tasks=tasks, cards=cards, two_factor=two_factor,
        subproblems=subproblems, progress=note,
    )  # fmt: skip
    _counts(built)
    n = len(built.design.cards)
    say(f"{n} cards, {len(built.design.conditions)} conditions (draft).")
    _controls(built.design, built.wanted_two_factor)
    _refused(built, f"the draft was written, with {n} cards, without", frozen=False)


def _counts(built: Any) -> None:
    """Tasks tried and fields considered, by outcome and kind of factor."""
    rows = [(c.unit, c.outcome.value, c.kind, c.n) for c in built.counts]
    table(rows, ("unit", "outcome", "kind", "n"))
    if built.wanted:
        say(f"{built.tried} tasks tried for {built.wanted} asked for.")


def _controls(design: Any, wanted_two_factor: int) -> None:
    """Conditions beside the pairs."""
    doubled = {c.task_id for c in design.conditions if len(c.assigned) > 1}
    say(f"{len(design.neutral)} neutral conditions, {len(doubled)} two-factor tasks beside them.")
    if len(doubled) < wanted_two_factor:
        say(f"{wanted_two_factor} two-factor tasks were asked for: no other task of the design has "
            "a second fact of its user that could be told.")  # fmt: skip
    mapped = {m.task_id for m in design.subproblems}
    n = sum(t.task_id in mapped for t in design.tasks)
    say(f"{n} of {len(design.tasks)} tasks have a list of subproblems.")


def _refused(built: Any, written: str, *, frozen: bool) -> None:
    """Name the hand-written cards that did not get in, why and what to do; then exit code 1."""
    from draligned.constructors.human import next_step, told

    refused = built.refused_by_hand
    for card in refused:
        note(visible(f"not in the design: your {told(card)}", WHOLE))
        note(visible(f"  next: {next_step(card, frozen=frozen)}", WHOLE))
    if refused:
        note(f"{written} {len(refused)} of your own cards")
        raise typer.Exit(1)


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
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Tasks to add, those of your cards included.")
    ] = None,
    cards: Annotated[
        Path | None, typer.Option(help="Hand-written cards to add; these alone without --tasks.")
    ] = None,
    pdr_bench: Annotated[
        Path | None, typer.Option(help="Folder of PDR-Bench, if the design was made from it.")
    ] = None,
    own: Annotated[
        Path | None, typer.Option(help="Folder of your own, if the design was made from it.")
    ] = None,
    accept_why: Annotated[
        str,
        typer.Option(help="Accept your cards that rules leave open, for this reason; it is kept."),
    ] = "",
    subproblems: SubproblemsOption = None,
) -> None:
    """Add tasks or factors to a frozen design as a new, chained lock."""
    built, entry = open_study(study).amend(
        pdr_bench=pdr_bench, own=own, tasks=tasks, cards=cards, accept_why=accept_why,
        subproblems=subproblems, progress=note,
    )  # fmt: skip
    _counts(built)
    say(f"amended: {entry.n_cards} cards over {entry.n_tasks} tasks, {entry.design_sha256[:16]}")
    _refused(built, "the design was amended, without", frozen=True)


@design_app.command("decisions", epilog="Example: draligned design decisions my-study")
def design_decisions(
    study: StudyArgument = HERE,
    outcome: Annotated[
        str | None, typer.Option(help="Only this outcome, e.g. accepted or needs_review.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="Only this task.")] = None,
) -> None:
    """Print every field considered, and why it was passed over.

    Long reasons are cut on a terminal only.
    """
    wanted = _outcome(outcome)
    rows = [
        (d.task_id, d.user_id, d.field_path, d.kind, d.outcome.value, d.reason)
        for d in open_study(study).decisions()
        if wanted in (None, d.outcome.value) and task in (None, d.task_id)
    ]
    table(rows, ("task", "user", "field", "kind", "outcome", "reason"), cell_limit())


def _outcome(name: str | None) -> str | None:
    from draligned.schema.errors import ConfigError
    from draligned.schema.labels import CardOutcome

    known = [o.value for o in CardOutcome]
    if name is not None and name not in known:
        raise ConfigError(f"no outcome is called {name!r}; there are {', '.join(known)}")
    return name


@card_app.command("list", epilog="Example: draligned card list my-study")
def card_list(study: StudyArgument = HERE) -> None:
    """Print the cards of the design and those set aside.

    Each with its outcome and the reason; long reasons are cut on a terminal only.
    """
    from draligned.constructors.human import said_of

    opened = open_study(study)
    inside = {c.factor_id for c in opened.design().cards}
    rows = [
        (c.factor_id, "yes" if c.factor_id in inside else "no", c.task_id, c.user_id, c.kind,
         f"{c.p.value} / {c.q.value}", c.source, c.outcome.value, said_of(c))
        for c in opened.cards()
    ]  # fmt: skip
    header = ("factor", "in design", "task", "user", "kind", "P / Q", "source", "outcome", "reason")
    table(rows, header, cell_limit())
    say(lock_line(opened))


@card_app.command("kinds", epilog="Example: draligned card kinds --lang zh")
def card_kinds(lang: Annotated[str, typer.Option(help="zh or en.")] = "zh") -> None:
    """Print facts that rules know, and the decisions they change.

    `construct` makes cards of these alone: a fact whose field and value are known, in a domain
    that has a decision, where the task says what is in the last column. Other facts need a card
    by hand.
    """
    from draligned.api.building import known_decisions, known_kinds

    rows = [(k.name, k.title, ", ".join(k.paths), " ".join(v.name for v in k.values))
            for k in known_kinds(lang)]  # fmt: skip
    table(rows, ("kind", "title", "field", "values"), cell_limit())
    say("")
    found = [(r.kind, r.domain, r.decision, r.needs or "") for r in known_decisions(lang)]
    table(found, ("kind", "domain", "decision", "only if the task says"), cell_limit())


@card_app.command("template", epilog="Example: draligned card template --lang zh > cards.toml")
def card_template(lang: Annotated[str, typer.Option(help="zh or en.")] = "zh") -> None:
    """Print a hand-written card to fill in."""
    from draligned.api.building import card_template as template

    typer.echo(template(lang), nl=False)


@card_app.command("accept", epilog="Example: draligned card accept FACTOR my-study --why '…'")
def card_accept(
    factor: Annotated[str, typer.Argument(help="Factor id, as `card list` prints it.")],
    why: Annotated[str, typer.Option(help="Why the card is sound; it is kept.")],
    study: StudyArgument = HERE,
) -> None:
    """Accept a card that is set aside, by human review.

    It was left open (needs_review), or you rejected it; it is put into the draft.
    `draligned show FACTOR` prints all that there is to judge. A card with a fatal problem
    cannot be accepted. The reason goes into the card and the construction record.
    """
    open_study(study).accept_card(factor, why)
    say(f"accepted {factor} by human review")


@card_app.command("reject", epilog="Example: draligned card reject FACTOR my-study --why '…'")
def card_reject(
    factor: Annotated[str, typer.Argument(help="Factor id, as `card list` prints it.")],
    study: StudyArgument = HERE,
    why: Annotated[str, typer.Option(help="The reason; it is kept.")] = "",
) -> None:
    """Take a card out of the draft for good.

    `construct` will not draw it up again; the reason is kept, `card accept` takes it back.
    """
    open_study(study).reject_card(factor, why)
    say(f"rejected {factor}")
