"""A whole study against the failing provider: `run` again and again, until nothing is open."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

import pytest

import draligned
from draligned.api import Study, environments, running
from draligned.harnesses.episode import run_episode
from draligned.harnesses.registry import HARNESSES
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.schema.errors import ProviderError
from draligned.schema.harness import EpisodeBudget, HarnessSpec
from draligned.study import folder
from draligned.study.inventory import RunCell

from .checks import check_folder
from .company import OPEN, Found, check_heard, check_run, notes_of, tries_by_run, unwritten
from .fold import Json
from .stage import KEY, KEY_NAME, POLICY
from .weather import FullDisk, Storm
from .wires import WIRES, Wire

ROUNDS = 40
BUDGETS = (
    EpisodeBudget(decisions=6, tools=9, acquisition=6, output_tokens=2_000),
    EpisodeBudget(decisions=12, tools=16, acquisition=5, output_tokens=600),
)
WRITTEN_IN_RUNS = ("runs/", "ledger/", "claims/", "launches/", "blobs/")
TOML = """\
seed = {seed}

[construction]
lang = "{lang}"
tasks = {tasks}

[controls]
aa_share = 0
neutral_share = 0
"""
ONE = """
[providers.{name}]
base_url = "{url}"
api_key_env = "{key}"
concurrency = 32
send_seed = true
api = "{api}"
stream = {stream}
attempts = {{ tries = {tries}, backoff_seconds = 0.002, backoff_cap_seconds = 0.01, \
retry_after_cap_seconds = 0.012, timeout_seconds = {timeout} }}

[models.{name}]
provider = "{name}"
model = "{name}"
"""


def written(url: str, seed: int, tasks: int, wires: Sequence[Wire] = WIRES) -> str:
    """study.toml: one provider and one model a wire."""
    parts = (
        ONE.format(
            name=wire.name, url=url, key=KEY_NAME, api=wire.api, stream=str(wire.stream).lower(),
            tries=POLICY.tries, timeout=POLICY.timeout_seconds,
        )
        for wire in wires
    )  # fmt: skip
    return TOML.format(seed=seed, lang="en" if tasks <= 4 else "zh", tasks=tasks) + "".join(parts)


def bring_the_weather(patch: pytest.MonkeyPatch, seed: int, full: float) -> None:
    """Small budgets, a source that fails, no waits for it, and a disk that fills in `run`."""
    for number, spec in enumerate(list(HARNESSES.values())):
        small = BUDGETS[number % len(BUDGETS)]
        patch.setitem(HARNESSES, spec.name, spec.model_copy(update={"budget": small}))

    def share(key: str) -> float:
        return full if key.startswith(WRITTEN_IN_RUNS) else 0.0

    patch.setattr(folder, "LocalStore", lambda root: FullDisk(root, seed, share))
    patch.setattr(running, "run_episode", partial(run_episode, retry_waits=(0.0, 0.0)))
    patch.setattr(
        environments, "EmbeddedRetrieval", lambda lang: Storm(seed, EmbeddedRetrieval(lang))
    )


def ran(root: Path, toml: str, specs: Sequence[HarnessSpec]) -> tuple[Study, Counter[str]]:
    """A study run until nothing is open, and why it was not, each time."""
    root.mkdir()
    (root / "study.toml").write_text(toml, encoding="utf-8")
    study = draligned.open(root)
    study.construct()
    study.freeze()
    asked = study.plan_runs(models=[w.name for w in WIRES], harnesses=[s.name for s in specs])
    why: Counter[str] = Counter()
    for _ in range(ROUNDS):
        try:
            summary = study.run(asked, concurrency=32)
        except (OSError, ProviderError) as error:
            why[type(error).__name__] += 1
            continue
        why += Counter(summary.reasons)
        if not summary.left_open:
            break
    return study, why


def check_study(study: Study, notes: Path) -> Found:
    """Check every run of a study; the counts."""
    store, found, heard = cast(FullDisk, study.folder.store), Found(), notes_of(notes)
    check_heard(heard, found)
    tries = tries_by_run(store.root)
    by_key = {b.harness.key: b.harness for b in study.plan().blocks}
    for cell in study.cells():
        spec = by_key[cell.harness_key]
        state = check_run(store, cell.run_id, spec, tries[cell.run_id], found)
        assert state.state != OPEN or _walled(study, cell, tries[cell.run_id])
    _check_lost(tries, unwritten(store))
    sent = [t for mine in tries.values() for t in mine if t["outcome"] != "lost"]
    sent += unwritten(store)
    asked, came = (Counter(t["requested_model"] for t in sent), Counter(n["model"] for n in heard))
    late = sum(t["outcome"] == "timeout" for t in sent)
    assert came <= asked, "the provider was asked more often than the ledger says"
    assert asked.total() - came.total() <= late, "the ledger says more than the provider"
    check_folder(store.root, KEY)
    return found


def _walled(study: Study, cell: RunCell, tries: Sequence[Json]) -> bool:
    """Whether the last that was heard of a run is a longer wait than is allowed."""
    return bool(tries) and tries[-1]["outcome"] in ("rate_limited", "server_error", "no_credit")


def _check_lost(tries: dict[str, list[Json]], unwritten: Sequence[Json]) -> None:
    """A call is entered as lost where an answer came that found no room, and nowhere else."""
    gone = {tuple(t["key"].values()) for t in unwritten}
    for mine in tries.values():
        for t in mine:
            assert t["outcome"] != "lost" or tuple(t["key"].values()) in gone, "nothing was lost"
