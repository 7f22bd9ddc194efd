"""review: blind reviews by people, and how they agree."""

from typing import Annotated, Any

import typer

from draligned.cli.common import (
    HERE,
    REHEARSAL,
    BrowserOption,
    PageLang,
    PortOption,
    StudyArgument,
    note,
    open_study,
    say,
    table,
)

KINDS = ("cards", "items", "decisions")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: draligned review my-study --reviewer 'reviewer 1'")(review)


def review(
    study: StudyArgument = HERE,
    reviewer: Annotated[
        str | None, typer.Option(help="Who reviews; each reviewer has a name of their own.")
    ] = None,
    kind: Annotated[
        str, typer.Option(help="cards, items, or decisions: items that reviewers disagree on.")
    ] = "cards",
    items: Annotated[
        int | None, typer.Option(min=1, help="How many items to draw, once for all reviewers.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws other items.")] = 1,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Show how the reviewers agree; open no page.")
    ] = False,
    scaled_to: Annotated[
        int | None, typer.Option(min=1, help="Also write matched items as of so many.")
    ] = None,
    port: PortOption = 0,
    browser: BrowserOption = True,
    lang: PageLang = None,
) -> None:
    """Review cards or directions blind, in the browser.

    cards: every construction card against the five fatal problems. items: main advice in finals,
    against both endpoints. Pages say nothing of arm, model, run or labels, and each reviewer sees
    their own answers alone. --agreement shows how they agree. Answers are kept with the page they
    were given on; the same command goes on where it stopped. Ctrl-C ends it.
    """
    from draligned.schema.errors import ConfigError

    opened = open_study(study)
    if agreement:
        _agreement(opened, scaled_to)
        return
    if reviewer is None:
        raise ConfigError("name who reviews: --reviewer NAME; or --agreement shows the tables")
    if kind not in KINDS:
        raise ConfigError(f"--kind {kind!r} is none of {', '.join(KINDS)}")
    _serve(opened.review_app(reviewer, kind=kind, items=items, seed=seed, lang=lang), port, browser)


def _serve(app: Any, port: int, browser: bool) -> None:
    from draligned.view.serve import listen, serve

    note("Open this address; it holds the token of this reviewer's pages. Ctrl-C ends it.")
    serve(app, listen(port), say, path="/review", browser=browser)


def _agreement(opened: Any, scaled_to: int | None) -> None:
    found = opened.reviews()
    if opened.plays_rehearsal():
        note(REHEARSAL)
    if found.cards is None and found.items is None:
        say("no review was begun: draligned review STUDY --reviewer NAME")
    if found.cards is not None:
        _cards(found.cards)
    if found.items is not None:
        _items(found.items, scaled_to)


def _cards(found: Any) -> None:
    say(f"Construction review, {found.cards} cards", "")
    problems = list(found.rows[0].fatal) if found.rows else []
    table(
        [(r.reviewer, r.seen, r.passed, r.undecided, *(r.fatal[p] for p in problems),
          found.changed.get(r.reviewer, 0)) for r in found.rows],
        ("reviewer", "seen", "pass all five", "cannot tell", *(p.value for p in problems),
         "changed"),
    )  # fmt: skip
    if found.gone:
        say(f"{found.gone} cards were answered and have changed since or left; they do not count")
    for pair in found.pairs:
        say("", f"{pair.first} and {pair.second}, {pair.seen} cards seen by both")
        table(
            [(pair.both_passed, pair.only_first, pair.only_second, pair.neither)],
            ("both pass", "first only", "second only", "neither"),
        )
        say(*_nesting(pair))
    if found.agreed:
        say("")
        table(
            [(a.of, a.first, a.second, a.n_both, a.n_same, a.kappa, a.alpha)
             for a in found.agreed],
            ("question", "first", "second", "both", "same", "kappa", "alpha"),
        )  # fmt: skip


def _nesting(pair: Any) -> list[str]:
    if not pair.seen or not pair.nested:
        return []
    wide, narrow = (pair.second, pair.first) if not pair.only_first else (pair.first, pair.second)
    return [
        f"nested: {wide} passed every card that {narrow} passed, so both together decide what "
        f"{narrow} decides alone"
    ]


def _items(found: Any, scaled_to: int | None) -> None:
    say("", f"Direction review, {found.items} items drawn from {found.population}", "")
    words = sorted({p for said in found.marginals.values() for p in said})
    table(
        [(name, sum(said.values()), *(said[w] for w in words), found.changed.get(name, 0))
         for name, said in found.marginals.items()],
        ("reviewer", "answered", *(w.value for w in words), "changed"),
    )  # fmt: skip
    if found.pairs:
        say("")
        table(
            [(p.first, p.second, p.n_both, p.n_matched, p.n_opposite, p.n_other, p.n_undecided,
              p.kappa, p.alpha) for p in found.pairs],
            ("first", "second", "both", "matched", "opposite", "other", "undecided", "kappa",
             "alpha"),
        )  # fmt: skip
    if scaled_to is not None:
        say(*(f"matched, {p.first} and {p.second}: {p.scaled(scaled_to)}" for p in found.pairs))
    g = found.gated
    say("", f"Pre-check readings of {g.evaluator} beside final labels of people")
    table(
        [(g.n_items, g.n_final, g.n_gated, g.n_same, g.n_opposite, g.n_other)],
        ("items", "final", "gated", "same", "opposite", "other"),
    )
    say("The items are a selection: none of this is an estimate of accuracy.")
