"""Scoring results files of tau2-bench, and the tables that are kept of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.progress.tau2.results import ResultsFile, read_results
from draligned.progress.tau2.usage import simulators_of
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InputError
from draligned.schema.tau2 import DutyScore, ScoredFile, TauRun, TauUnread
from draligned.store.protocol import Store

if TYPE_CHECKING:
    import pandas as pd

    from draligned.progress.tau2.frame import Scored

ROOT = "progress/tau2"
RECORD = "score.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
REHEARSED = "rehearsal"
"""How the names of scripted models begin."""
Files = list[tuple[str, ResultsFile]]
"""Each with the name of its deployment."""


@dataclass(frozen=True, kw_only=True)
class Tau2Score:
    """A score and its tables by name; `checkpoints` and `runs` hold what they were made from."""

    record: DutyScore
    tables: "dict[str, pd.DataFrame]"


def score_results(
    paths: Sequence[Path],
    *,
    deployments: Sequence[str] = (),
    name: str | None = None,
    simulator: str | None = None,
    measure: MeasureConfig | None = None,
) -> Tau2Score:
    """Score results files together; files of one deployment are pooled.

    `deployments` names them in the order of the files, by default by the agent's model. Raises
    `InputError` for a file that is none, `ConfigError` where tau2-bench is not installed.
    """
    files = _named([read_results(path) for path in paths], deployments)
    named = key_of(name or _own_name(files[0][1]))
    from draligned.progress.rehearsed import marked
    from draligned.progress.statistics import Settings
    from draligned.progress.tau2.benchmark import load_benchmark
    from draligned.progress.tau2.frame import left_out, score_files
    from draligned.progress.tau2.tables import build

    chosen = Settings()
    if measure is not None:
        chosen = Settings(seed=measure.seed, draws=measure.draws)
    benchmark = load_benchmark()
    rehearsals = {deployment for deployment, file in files if _rehearsed(file)}
    kept, excluded = _kept(files, simulator)
    scored = score_files(kept, benchmark)
    record = DutyScore(
        name=named,
        files=tuple(_told(deployment, file, scored) for deployment, file in files),
        tau2=benchmark.version, cues_sha256=_cues(), seed=chosen.seed, draws=chosen.draws,
        simulator=simulator, excluded_runs=excluded,
        rehearsal=bool(rehearsals), left_out=left_out(scored),
    )  # fmt: skip
    tables = build(scored, chosen) | {"runs": scored.runs, "checkpoints": scored.checkpoints}
    played = {name: marked(table, rehearsals) for name, table in tables.items()}
    return Tau2Score(record=record, tables=played)


def key_of(name: str) -> str:
    """A name that can be part of a storage key. Raises `InputError`."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name for a score: letters, digits, dot, dash alone")
    return name


def _own_name(file: ResultsFile) -> str:
    """That of the run which made a file, else the file's."""
    return file.name.removesuffix(".json") if file.duty is None else file.duty.name


def _named(files: Sequence[ResultsFile], deployments: Sequence[str]) -> Files:
    if deployments and len(deployments) != len(files):
        raise InputError(f"{len(files)} results files, {len(deployments)} names; give one each")
    names = deployments or [f.results.info.agent_info.llm or "unknown" for f in files]
    return list(zip(names, files, strict=True))


def _kept(files: Files, simulator: str | None) -> tuple[Files, int]:
    """Runs on one simulator of customers alone, and how many were left out (SI-82).

    One that cannot be read is on no other simulator that is known, and stays.
    """
    if simulator is None:
        return files, 0
    who = [[_simulator(file, run) for run in file.results.simulations] for _, file in files]
    known = {name for own in who for name in own if name is not None}
    if simulator not in known:
        there = ", ".join(sorted(known))
        raise InputError(f"no run has the simulator {simulator!r}; there are {there}")
    kept = [
        (name, _with(file, [run for run, by in zip(file.results.simulations, own, strict=True)
                            if by in (simulator, None)]))
        for (name, file), own in zip(files, who, strict=True)
    ]  # fmt: skip
    return kept, sum(name not in (simulator, None) for own in who for name in own)


def _simulator(file: ResultsFile, run: TauRun) -> str | None:
    """Who played the customer; none where the run cannot be read."""
    if isinstance(run, TauUnread):
        return None
    return simulators_of(run, file.results.info.user_info.llm)


def _with(file: ResultsFile, runs: Sequence[TauRun]) -> ResultsFile:
    return replace(file, results=file.results.model_copy(update={"simulations": tuple(runs)}))


def _told(deployment: str, file: ResultsFile, scored: "Scored") -> ScoredFile:
    info, own = file.results.info, scored.runs[scored.runs["results_sha256"] == file.sha256]
    return ScoredFile(
        deployment=deployment, name=file.name, results_sha256=file.sha256,
        domain=info.environment_info.domain_name,
        arm="none" if own.empty else own["arm"].iloc[0],
        agent_llm=info.agent_info.llm, user_llm=info.user_info.llm,
        block_sha256=None if file.duty is None else file.duty.block_sha256,
    )  # fmt: skip


def _rehearsed(file: ResultsFile) -> bool:
    llm = file.results.info.agent_info.llm or ""
    return llm.rsplit("/", 1)[-1].startswith(REHEARSED)


def _cues() -> str:
    from draligned.progress.tau2.cues import CUES_SHA256

    return CUES_SHA256


def write_score(store: Store, prefix: str, score: Tau2Score, *, csv: bool) -> int:
    """Replace the tables under `prefix`, as parquet and, if asked for, as CSV; their number."""
    from draligned.study.spreadsheet import to_csv
    from draligned.study.tables import to_bytes

    for name, table in score.tables.items():
        store.replace(f"{prefix}tables/{name}.parquet", to_bytes(table))
        if csv:
            store.replace(f"{prefix}csv/{name}.csv", to_csv(table))
    store.replace(f"{prefix}{RECORD}", score.record.to_json().encode("utf-8"))
    return len(score.tables)


def scores(store: Store) -> tuple[str, ...]:
    """Names of the scores that a study keeps."""
    found = (key.removeprefix(f"{ROOT}/").split("/") for key in store.list(ROOT))
    return tuple(sorted(parts[0] for parts in found if parts[1:] == [RECORD]))


def load_score(store: Store, name: str) -> Tau2Score:
    """A score that a study keeps. Raises `InputError`."""
    from draligned.study.tables import from_bytes

    prefix = f"{ROOT}/{name}/"
    data = store.get(f"{prefix}{RECORD}")
    if data is None:
        raise InputError(f"there is no score {name!r}; `progress tau2 score` makes one")
    folder = f"{prefix}tables"
    keys = [key for key in store.list(folder) if key.endswith(".parquet")]
    tables = {
        key.removeprefix(f"{folder}/").removesuffix(".parquet"): from_bytes(store.get(key) or b"")
        for key in keys
    }
    return Tau2Score(record=DutyScore.from_json(data), tables=tables)
