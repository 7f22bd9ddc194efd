"""Running tau2-bench with the progress duty, in a process of its own."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from draligned.api.tau2 import ROOT, key_of
from draligned.progress.tau2.agents import block
from draligned.progress.tau2.benchmark import MISSING, installed_version
from draligned.progress.tau2.results import RESULTS, SIDECAR, read_results
from draligned.schema.base import sha256_text
from draligned.schema.errors import ConfigError, InputError
from draligned.schema.tau2 import DutyArm, DutyRun
from draligned.study.folder import StudyFolder

SECRETS = ("key", "token", "secret", "password", "authorization", "headers")
_GO_ON = "y\ny\n"
"""Older versions ask whether to go on with a run, and once more where they take its settings for
changed; `duty.json` has said before that they are the same."""
FAILED = ("infrastructure_error", "agent_error", "user_error", "unexpected_error")
"""Endings that say nothing of the agent's work."""


@dataclass(frozen=True, kw_only=True)
class Tau2Run:
    """What a run left behind."""

    results: Path
    endings: dict[str, int]
    """Runs by how they ended."""

    @property
    def failed(self) -> int:
        """Runs that ended by a failure and not by the conversation."""
        return sum(n for ending, n in self.endings.items() if ending in FAILED)


def duty_run(
    name: str, *, arm: DutyArm, domain: str, agent_llm: str, user_llm: str,
    agent_args: dict[str, Any], user_args: dict[str, Any], trials: int, max_steps: int, seed: int,
    split: str, tasks: Sequence[str],
) -> DutyRun:  # fmt: skip
    """What is to be run, with the block's text and hash in the arms that have it.

    Raises `ConfigError` where tau2-bench is not installed, `InputError` for a secret among the
    settings: the benchmark would write it into the results file.
    """
    for settings in (agent_args, user_args):
        _without_secrets(settings)
    if find_spec("tau2") is None:
        raise ConfigError(MISSING)
    text = None if arm == "none" else block()
    return DutyRun(
        name=key_of(name), arm=arm, block=text,
        block_sha256=None if text is None else sha256_text(text),
        domain=domain, agent_llm=agent_llm, agent_args=agent_args, user_llm=user_llm,
        user_args=user_args, trials=trials, max_steps=max_steps, seed=seed, split=split,
        tasks=tuple(tasks), tau2=installed_version(),
    )  # fmt: skip


def _without_secrets(settings: dict[str, Any]) -> None:
    named = next(_secrets(settings), None)
    if named is not None:
        raise InputError(
            f"tau2-bench would write {named!r} into the results file; put keys in the "
            "environment, e.g. OPENAI_API_KEY"
        )


def _secrets(held: Any) -> Iterator[str]:
    """Names of settings that may hold a secret, at any depth; a number such as that of
    `max_tokens` is none."""
    if isinstance(held, dict):
        for key, value in held.items():
            plain = value is None or isinstance(value, bool | int | float)
            if not plain and any(word in key.lower() for word in SECRETS):
                yield key
            yield from _secrets(value)
    elif isinstance(held, list):
        for value in held:
            yield from _secrets(value)


def run_duty(folder: StudyFolder, duty: DutyRun, *, concurrency: int = 1) -> Tau2Run:
    """Run, or go on with, what `duty` asks for, under `progress/tau2/NAME` of a study.

    Raises `InputError` where another run has that name, `ConfigError` where tau2-bench stops.
    """
    prefix = f"{ROOT}/{duty.name}"
    kept, place = folder.store.get(f"{prefix}/{SIDECAR}"), folder.root / prefix
    if kept is None or not (place / RESULTS).exists():  # what never began binds no name
        folder.store.replace(f"{prefix}/{SIDECAR}", duty.to_json().encode("utf-8"))
    elif DutyRun.from_json(kept) != duty:
        raise InputError(f"{prefix} holds another run; choose another name")
    done = subprocess.run(
        [sys.executable, "-m", "draligned.progress.tau2.launch", str(place), str(concurrency)],
        input=_GO_ON, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ConfigError(
            f"tau2-bench stopped (exit code {done.returncode}); "
            + (
                f"what is done stays in {prefix}/{RESULTS}, and the same command goes on"
                if (place / RESULTS).exists()
                else "nothing was run, and why it says above"
            )
        )
    runs = read_results(place).results.simulations
    endings = Counter(run.termination_reason or "unknown" for run in runs)
    return Tau2Run(results=place / RESULTS, endings=dict(sorted(endings.items())))
