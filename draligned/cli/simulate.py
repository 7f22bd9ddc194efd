"""simulate: how large a study must be, and tables to try analyses on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draligned.cli.common import Progress, note, open_study, say, table

if TYPE_CHECKING:
    from draligned.simulate.asked import Pilot as PilotParts
    from draligned.simulate.power import Question
    from draligned.simulate.power_words import Words
    from draligned.simulate.specimen import Specimen

simulate_app = typer.Typer(
    help="Studies with planted behaviour, whose truth is known.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
_TABLES_EXAMPLE = "Example: draligned simulate tables trial-tables --d-f 0.5"
_EXAMPLE = "Example: draligned simulate power --tasks 24 --models 5"

Tasks = Annotated[int, typer.Option(min=2, max=1000, help="Tasks of the study.")]
Models = Annotated[int, typer.Option(min=1, max=100, help="Models, each on every task.")]
Replicates = Annotated[
    int, typer.Option(min=1, max=20, help="Runs in each arm of a pair; all are crossed.")
]
Users = Annotated[int | None, typer.Option(min=1, help="Users; half as many as tasks by default.")]
ReadableA = Annotated[
    float | None,
    typer.Option(min=0.01, max=1, help="Share of pairs whose requests are readable [0.79]."),
]
ReadableF = Annotated[
    float | None,
    typer.Option(min=0.01, max=1, help="Share of pairs whose finals are readable [0.63]."),
]
MissingWord = Annotated[
    str, typer.Option(help="random, or state: runs of their own side are read more often.")
]
Abstain = Annotated[
    float, typer.Option(min=0, max=0.99, help="Requests of which one read says UNKNOWN.")
]
Error = Annotated[
    float, typer.Option(min=0, max=1, help="Units in which every read takes P for Q.")
]
Noise = Annotated[float, typer.Option(min=0, max=1, help="Reads with a label drawn anew.")]
SlotBias = Annotated[
    float, typer.Option(min=0, max=1, help="Units labelled ALPHA whatever stands there.")
]
EffectA = Annotated[
    list[float] | None, typer.Option(help="A D_A to look for, within ±2; may be repeated.")
]
EffectF = Annotated[
    list[float] | None, typer.Option(help="A D_F to look for, within ±1; may be repeated.")
]
Pilot = Annotated[
    Path | None,
    typer.Option(metavar="STUDY", help="A measured study: its variances and readability."),
]
Harness = Annotated[str | None, typer.Option(help="Of the pilot, where it has several.")]
Studies = Annotated[
    int, typer.Option(min=20, max=100_000, help="Studies simulated for each effect.")
]
Requests = Annotated[int, typer.Option(min=1, max=500, help="Requests of each run.")]
Evaluators = Annotated[int, typer.Option(min=1, max=10, help="Evaluators, all alike.")]
Seed = Annotated[int, typer.Option(help="Decides every draw.")]
Lang = Annotated[str, typer.Option(help="zh or en: of what is printed.")]


DRAWS = 2_000
"""Of each bootstrap; a study's own tables take more."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(simulate_app, name="simulate", epilog=_EXAMPLE)


@simulate_app.command("power", epilog=_EXAMPLE)
def power(
    tasks: Tasks = 24,
    models: Models = 5,
    replicates: Replicates = 1,
    users: Users = None,
    readability_a: ReadableA = None,
    readability_f: ReadableF = None,
    missing: MissingWord = "random",
    abstain: Abstain = 0.15,
    error: Error = 0.0,
    noise: Noise = 0.0,
    slot_bias: SlotBias = 0.0,
    effect_a: EffectA = None,
    effect_f: EffectF = None,
    pilot: Pilot = None,
    harness: Harness = None,
    studies: Studies = 400,
    seed: Seed = 20260929,
    lang: Lang = "en",
) -> None:
    """Size a study: say how often an effect would be told from zero.

    Simulated studies of this shape are measured as real ones are. The row of effect 0 shows how
    often nothing is taken for something. Nothing here is evidence about any language model.
    """
    from draligned.simulate.asked import Wanted, question_of
    from draligned.simulate.parameters import Reader, alike

    words = _words(lang)
    wanted = Wanted(
        tasks=tasks,
        models=models,
        replicates=replicates,
        users=users,
        readability={"A": readability_a, "F": readability_f},
        missing=missing,
        reader=Reader(abstain=alike(abstain), error=error, noise=noise, slot_bias=slot_bias),
        effects={"A": tuple(effect_a or ()), "F": tuple(effect_f or ())},
    )
    _answer(question_of(wanted, _components(pilot, harness)), studies, seed, words)


@simulate_app.command("tables", epilog=_TABLES_EXAMPLE)
def tables(
    folder: Annotated[Path, typer.Argument(help="New folder for the CSV files.")],
    tasks: Tasks = 24,
    models: Models = 2,
    replicates: Replicates = 1,
    requests: Requests = 8,
    evaluators: Evaluators = 1,
    d_a: Annotated[float, typer.Option(help="True D_A, within ±2.")] = 0.15,
    d_f: Annotated[float, typer.Option(help="True D_F, within ±1.")] = 0.83,
    missing: MissingWord = "random",
    abstain: Abstain = 0.15,
    error: Error = 0.0,
    noise: Noise = 0.0,
    slot_bias: SlotBias = 0.0,
    seed: Seed = 20260929,
) -> None:
    """Write one simulated study's tables as CSV, to try analyses on.

    All tables that `draligned measure` makes; planted.csv says what is true. Nothing in them is
    evidence about any language model.
    """
    from draligned.simulate.asked import Wanted, question_of
    from draligned.simulate.parameters import Reader, alike
    from draligned.simulate.specimen import Specimen

    wanted = Wanted(
        tasks=tasks,
        models=models,
        replicates=replicates,
        readability={},
        missing=missing,
        reader=Reader(abstain=alike(abstain), error=error, noise=noise, slot_bias=slot_bias),
        effects={"A": (d_a,), "F": (d_f,)},
    )
    question = question_of(wanted, None, beside_zero=False)
    _write(Specimen(question=question, requests=requests, evaluators=evaluators, seed=seed), folder)


def _write(asked: "Specimen", folder: Path) -> None:
    from draligned.schema.config import MeasureConfig
    from draligned.schema.errors import ConfigError
    from draligned.simulate.specimen import specimen_tables
    from draligned.study.spreadsheet import to_csv

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already; name a new or empty folder")
    made = specimen_tables(asked, MeasureConfig(draws=DRAWS, seed=asked.seed))
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in made.items():
        (folder / f"{name}.csv").write_bytes(to_csv(rows))
    say(f"{folder}: {len(made)} tables; a simulated study, no evidence about any language model")


def _components(pilot: Path | None, harness: str | None) -> "PilotParts | None":
    """A pilot's variance components."""
    from draligned.schema.errors import ConfigError

    if pilot is None:
        if harness is not None:
            raise ConfigError("--harness names one of a pilot's: add --pilot STUDY")
        return None
    from draligned.api.sizing import pilot_components

    return pilot_components(open_study(pilot), harness)


def _answer(question: "Question", studies: int, seed: int, words: "Words") -> None:
    from draligned.simulate.power import power_table
    from draligned.simulate.trials import Trials

    note(words.about(question, studies))
    for line in words.pilot_lines(question):
        say(line)
    with Progress() as progress:
        found = power_table(question, Trials(studies=studies, seed=seed, draws=DRAWS), progress)
    rows = list(found.itertuples(index=False, name=None))
    table(rows, words.header)
    for line in words.notes(found, studies):
        say(line)


def _words(lang: str) -> "Words":
    from draligned.simulate.power_words import words_in

    return words_in(lang)
