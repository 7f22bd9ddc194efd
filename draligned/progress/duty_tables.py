"""Tables of stage tags in research episodes: what agents claim beside what their logs show.

They describe: counts of turns, by harness and model, never pooled over either, never ranked, and
never put beside StageIF, whose checkpoints are frozen and whose reports stand alone. Turns of one
run depend on one another, so shares stand without intervals.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from draligned.measure.layout import RUN, STAMP, Table, finish, typed
from draligned.progress.duty import DutyTurn
from draligned.schema.progress import Layer, WorkStage
from draligned.study.inventory import RunCell

EVIDENCE = "Observational"
BOUNDARY = (
    "Tags of agents that were asked for them, beside the log of the same episode. Not StageIF: "
    "checkpoints are the agents' own and differ by run. It says nothing of why a claim was made, "
    "nor of runs without the duty."
)
LAYERS = (Layer.TRANSPORT, Layer.OMISSION, Layer.MALFORMED, Layer.WRONG_VALUE, Layer.CLEAN)
ALL = "all"
NO_REPLY, NO_TAG, UNREADABLE = "no_reply", "no_tag", "unreadable"
"""What stands in the place of a claim where there is none."""
_N_LAYERS = tuple(f"n_{layer.value}" for layer in LAYERS)
_LAGS = ("n_ahead", "n_ahead_by_own_calls", "n_behind")
_LABELS = typed("string", "evidence", "boundary")
_GROUP = ("harness", "model")

TURNS = Table(
    name="duty_turns",
    columns=(
        *typed("string", "run_id"), *RUN, *typed("string", "run_set"),
        *typed("Int64", "turn", "sequence", "seq", "part"),
        *typed("string", "true_stage", "claimed_stage", "layer", "problem", "lag", "stage_after"),
        *typed("boolean", "early_by_own_calls"), *typed("Int64", "n_calls"),
        *typed("string", "stop"), *STAMP,
    ),
    keys=("harness", "model", "task_id", "run_id", "turn"),
)  # fmt: skip
RUNS = Table(
    name="duty_runs",
    columns=(
        *typed("string", "run_id"), *RUN, *typed("string", "run_set", "run_state"),
        *typed("Int64", "n_turns", *_N_LAYERS, *_LAGS, "n_tags_stripped"), *STAMP,
    ),
    keys=("harness", "model", "task_id", "run_id"),
)  # fmt: skip
STAGES = Table(
    name="duty_stages",
    columns=(
        *typed("string", "run_id"), *RUN, *typed("string", "run_set", "stage"),
        *typed("Int64", "first_true_turn", "first_claim_turn", "turns_late"),
        *typed("string", "status"), *STAMP,
    ),
    keys=("harness", "model", "task_id", "run_id", "stage"),
)  # fmt: skip
CLAIMS = Table(
    name="duty_layers",
    columns=(
        *typed("string", *_GROUP, "true_stage"), *typed("Int64", "n_runs", "n_turns", *_N_LAYERS),
        *typed("Float64", "clean_share"), *typed("Int64", *_LAGS), *_LABELS, *STAMP,
    ),
    keys=(*_GROUP, "true_stage"),
)  # fmt: skip
CONFUSION = Table(
    name="duty_confusion",
    columns=(*typed("string", *_GROUP, "true_stage", "claimed_stage"), *typed("Int64", "n"),
             *_LABELS, *STAMP),
    keys=(*_GROUP, "true_stage", "claimed_stage"),
)  # fmt: skip
STEPS = Table(
    name="duty_steps",
    columns=(
        *typed("string", *_GROUP, "true_from", "true_to", "claimed_from", "claimed_to"),
        *typed("Int64", "n"), *_LABELS, *STAMP,
    ),
    keys=(*_GROUP, "true_from", "true_to", "claimed_from", "claimed_to"),
)  # fmt: skip
TABLES = (TURNS, RUNS, STAGES, CLAIMS, CONFUSION, STEPS)
"""Made only where a study has a harness with the duty."""

Row = dict[str, object]
Make = Callable[[Sequence["DutyRun"]], Iterator[Row]]


class DutyRun(NamedTuple):
    """One run that has ended, and its checkpoints."""

    cell: RunCell
    state: str
    turns: tuple[DutyTurn, ...]
    n_tags_stripped: int | None
    """Null where nothing of the run is observed."""


def build(runs: Sequence[DutyRun]) -> dict[str, pd.DataFrame]:
    """All tables by name."""
    makers: Mapping[Table, Iterable[Row]] = {
        TURNS: _turns(runs),
        RUNS: (_run(run) for run in runs),
        STAGES: _stages(runs),
        CLAIMS: _grouped(_claims, runs),
        CONFUSION: _grouped(_confusion, runs),
        STEPS: _grouped(_steps, runs),
    }
    return {table.name: _frame(rows, table) for table, rows in makers.items()}


def _frame(rows: Iterable[Row], table: Table) -> pd.DataFrame:
    names = [name for name, _ in table.columns]
    return finish(pd.DataFrame(list(rows), columns=names, dtype=object), table)


def _named(cell: RunCell) -> Row:
    return {
        "run_id": cell.run_id, "task_id": cell.task_id, "user_id": cell.user_id,
        "model": cell.model_name, "harness": cell.harness_name, "environment": cell.environment,
        "run_set": cell.run_set.value, "development": cell.development,
    }  # fmt: skip


def _turns(runs: Sequence[DutyRun]) -> Iterator[Row]:
    for run in runs:
        for turn in run.turns:
            yield {
                **_named(run.cell), "turn": turn.turn, "sequence": turn.sequence, "seq": turn.seq,
                "part": turn.part, "true_stage": turn.truth.value, "claimed_stage": _word(turn),
                "layer": turn.layer.value, "problem": turn.problem, "lag": turn.lag,
                "stage_after": turn.after.value, "early_by_own_calls": turn.early_by_own_calls,
                "n_calls": turn.n_calls, "stop": turn.stop and turn.stop.value,
            }  # fmt: skip


def _word(turn: DutyTurn) -> str | None:
    return None if turn.claimed is None else turn.claimed.value


def said(turn: DutyTurn) -> str:
    """The claim, or what stands in its place."""
    if turn.claimed is not None:
        return turn.claimed.value
    absent = {Layer.TRANSPORT: NO_REPLY, Layer.OMISSION: NO_TAG}
    return absent.get(turn.layer, UNREADABLE)


def _counts(turns: Sequence[DutyTurn]) -> Row:
    by_layer = {f"n_{x.value}": sum(t.layer is x for t in turns) for x in LAYERS}
    return {
        "n_turns": len(turns), **by_layer,
        "n_ahead": sum(t.lag == "ahead" for t in turns),
        "n_ahead_by_own_calls": sum(t.early_by_own_calls for t in turns),
        "n_behind": sum(t.lag == "behind" for t in turns),
    }  # fmt: skip


def _run(run: DutyRun) -> Row:
    own = {"run_state": run.state, "n_tags_stripped": run.n_tags_stripped}
    return {**_named(run.cell), **own, **_counts(run.turns)}


def _stages(runs: Sequence[DutyRun]) -> Iterator[Row]:
    for run in runs:
        for stage in list(WorkStage)[1:]:
            true = _first(run.turns, stage, [t.truth for t in run.turns])
            claim = _first(run.turns, stage, [t.claimed for t in run.turns])
            late = None if true is None or claim is None else claim - true
            yield {
                **_named(run.cell), "stage": stage.value, "first_true_turn": true,
                "first_claim_turn": claim, "turns_late": late, "status": _status(true, claim, late),
            }  # fmt: skip


def _first(
    turns: Sequence[DutyTurn], stage: WorkStage, found: Sequence[WorkStage | None]
) -> int | None:
    """The first turn at which `found` is at `stage` or past it."""
    there = (t.turn for t, at in zip(turns, found, strict=True) if at and at.place >= stage.place)
    return next(there, None)


def _status(true: int | None, claim: int | None, late: int | None) -> str:
    if late is None:
        named = {(True, True): "neither", (True, False): "never_true"}
        return named.get((true is None, claim is None), "never_claimed")
    return "ahead" if late < 0 else "behind" if late else "same"


def _grouped(make: Make, runs: Sequence[DutyRun]) -> Iterator[Row]:
    """Rows of every harness × model, with what kind of evidence they are."""
    groups: dict[tuple[str, str], list[DutyRun]] = {}
    for run in runs:
        groups.setdefault((run.cell.harness_name, run.cell.model_name), []).append(run)
    for (harness, model), own in groups.items():
        head = {
            "harness": harness, "model": model, "evidence": EVIDENCE, "boundary": BOUNDARY,
            "development": any(run.cell.development for run in own),
        }  # fmt: skip
        yield from ({**head, **row} for row in make(own))


def _claims(runs: Sequence[DutyRun]) -> Iterator[Row]:
    for stage in (*(s.value for s in WorkStage), ALL):
        mine = [[t for t in run.turns if stage in (ALL, t.truth.value)] for run in runs]
        turns = [t for own in mine for t in own]
        replied = sum(t.layer is not Layer.TRANSPORT for t in turns)
        clean = sum(t.layer is Layer.CLEAN for t in turns)
        yield {
            "true_stage": stage, "n_runs": sum(bool(own) for own in mine), **_counts(turns),
            "clean_share": clean / replied if replied else None,
        }  # fmt: skip


def _confusion(runs: Sequence[DutyRun]) -> Iterator[Row]:
    found: dict[tuple[str, str], int] = {}
    for turn in (t for run in runs for t in run.turns):
        key = (turn.truth.value, said(turn))
        found[key] = found.get(key, 0) + 1
    for (true, claimed), n in found.items():
        yield {"true_stage": true, "claimed_stage": claimed, "n": n}


def _steps(runs: Sequence[DutyRun]) -> Iterator[Row]:
    """From each turn of a run to the next."""
    found: dict[tuple[str, str, str, str], int] = {}
    for one, other in (pair for run in runs for pair in pairwise(run.turns)):
        key = (one.truth.value, other.truth.value, said(one), said(other))
        found[key] = found.get(key, 0) + 1
    for (a, b, c, d), n in found.items():
        yield {"true_from": a, "true_to": b, "claimed_from": c, "claimed_to": d, "n": n}
