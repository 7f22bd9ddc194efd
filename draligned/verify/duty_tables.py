"""Tables of stage tags made anew."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from draligned.verify.compare import Own
from draligned.verify.duty import LAYERS, Turn
from draligned.verify.logs import Run
from draligned.verify.study import Study
from draligned.verify.tags import STAGES

_RUN = ("run_id", "task_id", "user_id", "model", "harness", "environment", "run_set", "development")
_COUNTS = (
    "n_turns", *(f"n_{layer}" for layer in LAYERS), "n_ahead", "n_ahead_by_own_calls", "n_behind",
)  # fmt: skip
_BY = ("harness", "model")
_KEYS = (*_BY, "task_id", "run_id")
_SAID = ("evidence", "boundary")
_EVIDENCE = "Observational"
_BOUNDARY = (
    "Tags of agents that were asked for them, beside the log of the same episode. Not StageIF: "
    "checkpoints are the agents' own and differ by run. It says nothing of why a claim was made, "
    "nor of runs without the duty."
)
Rows = Iterator[tuple[Any, ...]]


def _asked(study: Study) -> list[Run]:
    """Ended runs of harnesses that ask for tags, less those that corrections exclude."""
    every = (study, *study.sets.values())
    without = {run.run_id for own in every for run in own.runs if run.state == "excluded"}
    return [r for r in study.every_run if r.turns is not None and r.run_id not in without]


def _head(run: Run) -> tuple[Any, ...]:
    task, user, model, harness, environment = run.names
    block = run.cell.block
    kind = run.cell.run_set
    return (run.run_id, task, user, model, harness, environment, kind, block.development)


def _of_runs(name: str, columns: tuple[str, ...], key: tuple[str, ...],
             make: Callable[[Run, list[Turn]], Rows]) -> Callable[[Study], Own]:  # fmt: skip
    def table(study: Study) -> Own:
        rows = [_head(r) + row for r in _asked(study) for row in make(r, list(r.turns or ()))]
        return Own(name=name, columns=(*_RUN, *columns), keys=(*_KEYS, *key), rows=rows)

    return table


def _turns(_: Run, turns: list[Turn]) -> Rows:
    for number, t in enumerate(turns, start=1):
        claim = None if t.claim is None else STAGES[t.claim]
        yield (number, t.sequence, t.seq, t.part, STAGES[t.before], claim, t.layer, t.problem,
               t.lag, STAGES[t.after], t.early, t.n_calls, t.stop)  # fmt: skip


def _counted(turns: list[Turn]) -> tuple[int, ...]:
    layers, lags = Counter(t.layer for t in turns), Counter(t.lag for t in turns)
    by_layer = (layers[layer] for layer in LAYERS)
    return (len(turns), *by_layer, lags["ahead"], sum(t.early for t in turns), lags["behind"])


def _runs(run: Run, turns: list[Turn]) -> Rows:
    yield (run.state, run.n_tags, *_counted(turns))


def _stages(_: Run, turns: list[Turn]) -> Rows:
    for place, stage in enumerate(STAGES[1:], start=1):
        true = [n for n, t in enumerate(turns, start=1) if t.before >= place]
        claim = [n for n, t in enumerate(turns, start=1) if (t.claim or 0) >= place]
        if true and claim:
            late = claim[0] - true[0]
            word = "ahead" if late < 0 else "behind" if late > 0 else "same"
            yield stage, true[0], claim[0], late, word
        else:
            word = "never_claimed" if true else "never_true" if claim else "neither"
            yield stage, true[0] if true else None, claim[0] if claim else None, None, word


def _of_groups(name: str, columns: tuple[str, ...], key: tuple[str, ...],
               make: Callable[[list[list[Turn]]], Rows]) -> Callable[[Study], Own]:  # fmt: skip
    def table(study: Study) -> Own:
        groups: dict[tuple[str, str], list[Run]] = {}
        for run in _asked(study):
            block = run.cell.block
            groups.setdefault((block.harness, block.model), []).append(run)
        rows = []
        for group, own in groups.items():
            said = (_EVIDENCE, _BOUNDARY, any(run.cell.block.development for run in own))
            rows += [(*group, *said, *row) for row in make([list(r.turns or ()) for r in own])]
        names = (*_BY, *_SAID, "development", *columns)
        return Own(name=name, columns=names, keys=(*_BY, *key), rows=rows)

    return table


def _layers(runs: list[list[Turn]]) -> Rows:
    for stage in (*STAGES, "all"):
        mine = [[t for t in own if stage in ("all", STAGES[t.before])] for own in runs]
        turns = [t for own in mine for t in own]
        replied = [t for t in turns if t.layer != "transport"]
        clean = sum(t.layer == "clean" for t in replied)
        share = clean / len(replied) if replied else None
        yield (stage, sum(map(bool, mine)), share, *_counted(turns))


def _confusion(runs: list[list[Turn]]) -> Rows:
    found = Counter((STAGES[t.before], t.said) for own in runs for t in own)
    yield from ((*key, n) for key, n in found.items())


def _steps(runs: list[list[Turn]]) -> Rows:
    found = Counter(
        (STAGES[a.before], STAGES[b.before], a.said, b.said)
        for own in runs
        for a, b in pairwise(own)
    )
    yield from ((*key, n) for key, n in found.items())


_STEP = ("true_from", "true_to", "claimed_from", "claimed_to")
MAKERS: dict[str, Callable[[Study], Own]] = {
    "duty_turns": _of_runs(
        "duty_turns",
        ("turn", "sequence", "seq", "part", "true_stage", "claimed_stage", "layer", "problem",
         "lag", "stage_after", "early_by_own_calls", "n_calls", "stop"),
        ("turn",),
        _turns,
    ),
    "duty_runs": _of_runs("duty_runs", ("run_state", "n_tags_stripped", *_COUNTS), (), _runs),
    "duty_stages": _of_runs(
        "duty_stages",
        ("stage", "first_true_turn", "first_claim_turn", "turns_late", "status"),
        ("stage",),
        _stages,
    ),
    "duty_layers": _of_groups(
        "duty_layers", ("true_stage", "n_runs", "clean_share", *_COUNTS), ("true_stage",), _layers
    ),
    "duty_confusion": _of_groups(
        "duty_confusion",
        ("true_stage", "claimed_stage", "n"),
        ("true_stage", "claimed_stage"),
        _confusion,
    ),
    "duty_steps": _of_groups("duty_steps", (*_STEP, "n"), _STEP, _steps),
}  # fmt: skip
"""Made where a harness asks for tags, and only there."""


def asks(study: Study) -> bool:
    """Whether any harness of the study asks for tags."""
    return any(run.cell.block.duty for run in study.every_run)
