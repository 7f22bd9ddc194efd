"""A whole study whose models live on a loopback port: the real client, harness, log and reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import draligned
from draligned.api import Study
from draligned.study.attempts import events_key
from draligned.study.log import read_events

from .loopback import Answer, Loopback

TOML = """\
seed = 7

[construction]
lang = "{lang}"
tasks = {tasks}

[providers.loop]
base_url = "{url}"
concurrency = 8
attempts = {{ tries = {tries}, backoff_seconds = 0.0, timeout_seconds = 20.0, \
retry_after_cap_seconds = 2.0 }}
{provider}

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
{models}"""


def drafted(
    root: Path,
    loop: Loopback,
    agents: dict[str, Answer],
    evaluators: dict[str, Answer] | None = None,
    *,
    lang: str = "zh",
    tasks: int = 1,
    tries: int = 3,
    cards: Path | None = None,
    provider: str = "",
) -> Study:
    """A study with a draft design whose `agents` and `evaluators` are answered by `loop`."""
    loop.answers.update(agents | (evaluators or {}))
    names = [*agents, *(evaluators or {})]
    root.mkdir(parents=True)
    text = TOML.format(
        lang=lang, tasks=tasks, url=loop.url, tries=tries, provider=provider,
        models="".join(f'\n[models.{n}]\nprovider = "loop"\nmodel = "{n}"\n' for n in names),
    )  # fmt: skip
    (root / "study.toml").write_text(text, encoding="utf-8")
    study = draligned.open(root)
    study.construct(cards=cards)
    return study


def ran(study: Study, agents: Sequence[str], concurrency: int = 8) -> Study:
    """The study with its runs made."""
    summary = study.run(study.plan_runs(models=list(agents)), concurrency=concurrency)
    assert summary.left_open == 0, summary.reasons
    return study


class Run(NamedTuple):
    """A finished run of a study of one task."""

    run_id: str
    model: str
    arm: str
    outcome: str
    bodies: tuple[Any, ...]


def runs(study: Study) -> list[Run]:
    """All runs, with their events."""
    readings = study.readings()
    out = []
    for cell in readings.cells:
        state = readings.states[cell.run_id]
        assert state.end is not None
        assert state.attempt is not None
        events = read_events(study.folder.store, events_key(cell.run_id, state.attempt))
        bodies = tuple(e.body for e in events)
        out.append(
            Run(cell.run_id, cell.model_name, cell.arm.value, state.end.outcome.value, bodies)
        )
    return out
