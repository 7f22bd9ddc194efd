"""progress tau2 run, score: the progress duty on tau2-bench."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from draligned.cli.common import HERE, REHEARSAL, StudyArgument, begin_study, say, table
from draligned.cli.progress import progress_app

tau2_app = typer.Typer(
    help="The progress duty on tau2-bench, an optional install: run, score.",
    rich_markup_mode=None, no_args_is_help=True,
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the group to the group that is there."""
    progress_app.add_typer(
        tau2_app, name="tau2", epilog="Example: draligned progress tau2 score results.json"
    )
    tau2_app.command(
        epilog="Example: draligned progress tau2 score results.json --out tau2-tables"
    )(score)
    tau2_app.command(
        epilog="Example: draligned progress tau2 run telecom-tag my-study --domain telecom "
        "--agent-llm openai/gpt-4.1 --user-llm openai/gpt-4.1"
    )(run)


def score(
    results: Annotated[
        list[Path],
        typer.Argument(metavar="RESULTS", help="Results files of tau2-bench, or their folders."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the tables, as CSV and parquet.")
    ] = None,
    study: Annotated[
        Path | None, typer.Option(help="Study that keeps the tables and shows them on its page.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the score; by default that of the first run or file."),
    ] = None,
    deployment: Annotated[
        list[str] | None,
        typer.Option("--as", help="Name of a file's deployment, once a file in their order."),
    ] = None,
    simulator: Annotated[
        str | None, typer.Option(help="Keep only runs whose customer this model played.")
    ] = None,
) -> None:
    """Say how far the tags in conversations of tau2-bench are true.

    The truth at each message to the customer comes from replaying the run in the benchmark's own
    environment. Files without tags give base rates. Files of one model are pooled.
    """
    from draligned.api.tau2 import ROOT, score_results, write_score
    from draligned.store.local import LocalStore

    opened = None if study is None else begin_study(study)
    found = score_results(
        results, deployments=deployment or (), name=name, simulator=simulator,
        measure=None if opened is None else opened.config.measure,
    )  # fmt: skip
    written: list[str] = []
    if opened is not None:
        prefix = f"{ROOT}/{found.record.name}/"
        number = write_score(opened.folder.store, prefix, found, csv=False)
        written.append(f"{prefix}tables: {number} tables; `draligned progress report` shows them")
    if out is not None:
        number = write_score(LocalStore(out), "", found, csv=True)
        written.append(f"{out}: {number} tables, as CSV and parquet")
    _summary(found)
    say(*written or ["Nothing was written; --out FOLDER or --study STUDY keeps the tables."])


class Arm(StrEnum):
    """Arms of a run."""

    TAG = "tag"
    HIDDEN = "hidden"
    NONE = "none"


def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the run in the study.")],
    study: StudyArgument = HERE,
    *,
    domain: Annotated[str, typer.Option(help="Domain of tau2-bench.")] = "telecom",
    agent_llm: Annotated[str, typer.Option(help="The agent's model, as litellm names it.")],
    user_llm: Annotated[str, typer.Option(help="The model that plays the customer.")],
    arm: Annotated[
        Arm,
        typer.Option(
            help="tag: asked for a tag; hidden: the same, and the customer sees none; none: the "
            "stock agent."
        ),
    ] = Arm.TAG,
    task: Annotated[
        list[str] | None, typer.Option(help="Id of a task; may be repeated. Default: the split.")
    ] = None,
    split: Annotated[str, typer.Option(help="Split of the domain's tasks.")] = "base",
    trials: Annotated[int, typer.Option(min=1, help="Runs of each task.")] = 1,
    max_steps: Annotated[int, typer.Option(min=1, help="Steps of a run at most.")] = 200,
    seed: Annotated[int, typer.Option(help="Forwarded to the models.")] = 300,
    concurrency: Annotated[int, typer.Option(min=1, help="Runs at once.")] = 1,
    agent_args: Annotated[
        str, typer.Option(help="Settings of the agent's model, as JSON; no keys.")
    ] = '{"temperature": 0.0}',
    user_args: Annotated[
        str, typer.Option(help="Settings of the customer's model, as JSON; no keys.")
    ] = '{"temperature": 0.0}',
) -> None:
    """Run tau2-bench with one block more in the agent's instructions.

    Tasks, tools, policy and the simulated customer are untouched. Keys of providers come from the
    environment. The same command goes on with what is open.
    """
    from draligned.api.tau2_run import duty_run, run_duty

    duty = duty_run(
        name, arm=arm.value, domain=domain, agent_llm=agent_llm, user_llm=user_llm,
        agent_args=_settings("--agent-args", agent_args),
        user_args=_settings("--user-args", user_args), trials=trials, max_steps=max_steps,
        seed=seed, split=split, tasks=task or (),
    )  # fmt: skip
    done = run_duty(begin_study(study).folder, duty, concurrency=concurrency)
    table(done.endings.items(), ("ended by", "runs"))
    if done.failed:
        say(f"{done.failed} runs failed before their end; see what tau2-bench says above.")
    say(f"Score it with: draligned progress tau2 score {done.results} --study {study}")


def _settings(option: str, text: str) -> dict[str, Any]:
    from draligned.schema.errors import InputError
    from draligned.schema.strictjson import loads

    try:
        held = loads(text)
    except ValueError:
        held = None
    if not isinstance(held, dict):
        raise InputError(f"{option} must be a JSON object, e.g. '{{\"temperature\": 0.0}}'")
    return held


def _summary(found: Any) -> None:
    from draligned.api.tau2_summary import CAPTIONS, summary
    from draligned.progress.tau2.tables import BOUNDARY, EVIDENCE

    for part, (header, rows) in summary(found.tables).items():
        say(f"{CAPTIONS[part]}")
        table(rows, header)
        say("")
    say(f"{EVIDENCE}. {BOUNDARY}")
    if found.record.left_out:
        every = len(found.tables["runs"])
        said = ", ".join(f"{n} {name}" for name, n in found.record.left_out.items())
        say(f"{sum(found.record.left_out.values())} of {every} runs are in no number: {said}.")
    if found.record.excluded_runs:
        say(f"{found.record.excluded_runs} runs on another simulator were left out.")
    if found.record.rehearsal:
        say(REHEARSAL)
