"""labels: sample, import."""

from pathlib import Path
from typing import Annotated

import typer

from draligned.cli.common import HERE, StudyArgument, open_study, say

labels_app = typer.Typer(
    help="Labels by people: sample, import.", rich_markup_mode=None, no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(
        labels_app, name="labels", epilog="Example: draligned labels sample sheet.csv my-study"
    )


@labels_app.command(epilog="Example: draligned labels sample sheet.csv my-study --pairs 20")
def sample(
    file: Annotated[Path, typer.Argument(help="The sheet to write; it must not exist.")],
    study: StudyArgument = HERE,
    pairs: Annotated[int, typer.Option(min=1, help="How many pairs to draw.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed draws another sample.")] = 1,
) -> None:
    """Draw pairs, write their finals, blinded, for a person.

    Pairs are drawn at random. The sheet says nothing of arm, model or run. Fill its last column
    with ALPHA_ONLY, BETA_ONLY, BOTH, NEITHER or UNKNOWN, and give it to `labels import`. Only
    labels of pairs drawn in this way correct an estimate. An apostrophe before a mark like - or =
    only keeps spreadsheets from running the text.
    """
    drawn = open_study(study).sample_labels(file, n=pairs, seed=seed)
    made = drawn.sample
    say(
        f"{drawn.sheet}: {len(made.texts)} finals of {len(made.drawn)} pairs, drawn from the "
        f"{len(made.population)} that have both; sample {made.sample_id}"
    )


@labels_app.command(
    "import", epilog="Example: draligned labels import sheet.csv my-study --who 'rater 1'"
)
def import_(
    file: Annotated[Path, typer.Argument(help="The filled sheet.")],
    who: Annotated[str, typer.Option(help="Who labelled; people are never pooled.")],
    study: StudyArgument = HERE,
) -> None:
    """Take a person's labels. They stay as they are once taken.

    `draligned measure` then makes the tables human_agreement and human_corrected.
    """
    taken = open_study(study).import_labels(file, who=who)
    blank = sum(one.label is None for one in taken.labels)
    say(f"{len(taken.labels)} items by {taken.labeller}, {blank} of them blank")
