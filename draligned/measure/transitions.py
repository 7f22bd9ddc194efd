"""Transitions within a run between like units, by kind and by state (DR-78, DR-79, DR-81).

Runs are the units of every share and interval: steps of one run are not independent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.layout import GROUP, RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.proportions import wilson
from draligned.measure.sequences import STATES, Sequences
from draligned.measure.steps import KINDS, UNCERTAIN, Kind, Steps, steps

FLOW = Table(
    name="flow",
    columns=(
        *typed("string", *GROUP, "step", "kind"),
        *typed("Int64", "n_steps", "n_runs", "n_runs_at_risk"),
        *typed("Float64", "run_share", "run_lo", "run_hi"),
        *typed("string", "status", "reason"),
        *STAMP,
    ),
    keys=(*GROUP, "step", "kind"),
)
"""Steps between like units by kind. `step`: request_request, draft_draft, draft_final. `n_steps` of
the kind, in `n_runs` runs; `n_runs_at_risk` have a certain step from a state in which the kind can
begin (`uncertain`: any step). `run_share` = n_runs / n_runs_at_risk, its interval Wilson's at 95 %,
runs taken as independent. An uncertain step has an unknown unit inside and is no transition."""

TRANSITIONS = Table(
    name="transitions",
    columns=(
        *typed("string", *GROUP, "step", "from_state", "to_state", "kind"),
        *typed("Int64", "n_steps", "n_same_text", "n_runs", "n_runs_from"),
        *typed("Float64", "run_share", "run_lo", "run_hi"),
        *typed("Int64", "n_uncertain"),
        *STAMP,
    ),
    keys=(*GROUP, "step", "from_state", "to_state"),
)
"""Steps by both states, relative to the run's endpoint. `n_steps` certain ones in `n_runs` runs, of
`n_runs_from` runs with a certain step from that state; `n_same_text` of the steps are between
documents of one text, whose label is one by construction. `n_uncertain` couples of these two states
had an unknown unit between them and are in no other count."""

FLOW_STEPS = Table(
    name="flow_steps",
    columns=(
        *typed("string", "evaluator", "run_id", "factor_id"),
        *RUN,
        *typed("string", "arm", "unit", "step"),
        *typed("Int64", "place"),
        *typed("string", "from_role"),
        *typed("Int64", "from_no"),
        *typed("string", "to_role"),
        *typed("Int64", "to_no"),
        *typed("string", "from_state", "to_state", "kind"),
        *typed("Int64", "n_unknown"),
        *STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "unit", "place"),
)
"""One row per step that is not a plain stay: changes, and uncertain steps. `place` numbers the
steps of a run; `from_no`, `to_no` are request numbers or draft versions, null of a final;
`n_unknown` units between both could not be read."""

STEP_NAMES = ("request_request", "draft_draft", "draft_final")
_ALL = tuple(Kind)
_STATES = range(4)
_SHAPE = (len(STEP_NAMES), 4, 4)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Steps of each run by step name, first and second state; arrays of shape (runs, 3, 4, 4)."""

    certain: NDArray[np.int64]
    uncertain: NDArray[np.int64]
    same_text: NDArray[np.int64]


def flow(made: Made) -> pd.DataFrame:
    """`FLOW`: every kind for each step that occurs."""
    rows = [
        names | {"step": step, "kind": kind} | counted
        for names, part in _groups(made)
        for at, step in enumerate(STEP_NAMES)
        if part.certain[:, at].any() or part.uncertain[:, at].any()
        for kind, counted in _by_kind(part, at).items()
    ]
    return _frame(rows, FLOW)


def transitions(made: Made) -> pd.DataFrame:
    """`TRANSITIONS`: couples of states that occur."""
    rows = [
        names | {"step": step} | row
        for names, part in _groups(made)
        for at, step in enumerate(STEP_NAMES)
        for row in _by_states(part, at)
    ]
    return _frame(rows, TRANSITIONS)


def flow_steps(made: Made) -> pd.DataFrame:
    """`FLOW_STEPS`."""
    parts = [_step_rows(found, steps(found)) for found in made.sequences]
    return pd.concat(parts, ignore_index=True)


def step_names(found: Sequences, made: Steps) -> NDArray[np.intp]:
    """Place in `STEP_NAMES` of each step; a step from a draft may end at a final."""
    to_final: NDArray[np.intp] = np.asarray(found.role[made.end] == "final", dtype=np.intp)
    return to_final + (0 if found.unit == "request" else 1)


def _groups(made: Made) -> Iterator[tuple[dict[str, Any], Tally]]:
    """Tallies by evaluator, harness and model, all models together too."""
    tally = _joined([_tally(found, steps(found)) for found in made.sequences])
    heads = pd.concat([found.heads[list(GROUP)] for found in made.sequences], ignore_index=True)
    for names in (heads.assign(model=ALL_MODELS), heads):
        for _, own in names.groupby(list(GROUP), sort=True):
            at = own.index.to_numpy()
            part = Tally(**{name: values[at] for name, values in vars(tally).items()})
            yield {name: own[name].iloc[0] for name in GROUP}, part


def _joined(parts: list[Tally]) -> Tally:
    return Tally(**{n: np.concatenate([vars(part)[n] for part in parts]) for n in vars(parts[0])})


def _tally(found: Sequences, made: Steps) -> Tally:
    cell = (step_names(found, made) * 4 + found.state[made.start]) * 4 + found.state[made.end]
    one = np.prod(_SHAPE)
    at = made.of * one + cell
    same = found.text[made.start] == found.text[made.end] if found.unit == "document" else False

    def count(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
        full = np.bincount(at[flags], minlength=len(found.heads) * one)
        return full.reshape(len(found.heads), *_SHAPE)

    return Tally(
        certain=count(made.certain),
        uncertain=count(~made.certain),
        same_text=count(made.certain & np.asarray(same, dtype=bool)),
    )


def _by_kind(part: Tally, at: int) -> Mapping[str, dict[str, Any]]:
    certain, uncertain = part.certain[:, at], part.uncertain[:, at].sum(axis=(1, 2))
    from_state = certain.sum(axis=2) > 0
    out: dict[str, dict[str, Any]] = {}
    for kind in _ALL:
        cells = [cell for cell, name in KINDS.items() if name is kind]
        own = np.sum([certain[:, a, b] for a, b in cells], axis=0)
        risk = np.any([from_state[:, a] for a, _ in cells], axis=0)
        out[kind.value] = _counts(own, int(risk.sum()))
    any_step = from_state.any(axis=1) | (uncertain > 0)
    out[UNCERTAIN] = _counts(uncertain, int(any_step.sum()))
    return out


def _counts(own: NDArray[np.int64], at_risk: int) -> dict[str, Any]:
    n_runs = int((own > 0).sum())
    return {"n_steps": int(own.sum()), "n_runs_at_risk": at_risk, **_share(n_runs, at_risk)}


def _share(n_runs: int, of: int) -> dict[str, Any]:
    low, high = wilson(n_runs, of) or (None, None)
    return {
        "n_runs": n_runs,
        "run_share": n_runs / of if of else None,
        "run_lo": low,
        "run_hi": high,
        "status": "ok" if of else "unknown",
        "reason": None if of else "no_run_at_risk",
    }


def _by_states(part: Tally, at: int) -> Iterator[dict[str, Any]]:
    certain, uncertain = part.certain[:, at], part.uncertain[:, at]
    from_state = (certain.sum(axis=2) > 0).sum(axis=0)
    for a in _STATES:
        for b in _STATES:
            n_steps, n_uncertain = int(certain[:, a, b].sum()), int(uncertain[:, a, b].sum())
            if n_steps or n_uncertain:
                yield {
                    "from_state": STATES[a],
                    "to_state": STATES[b],
                    "kind": KINDS[a, b].value,
                    "n_steps": n_steps,
                    "n_same_text": int(part.same_text[:, at, a, b].sum()),
                    "n_runs_from": int(from_state[a]),
                    "n_uncertain": n_uncertain,
                    **_share(int((certain[:, a, b] > 0).sum()), int(from_state[a])),
                }


def _step_rows(found: Sequences, made: Steps) -> pd.DataFrame:
    first = np.concatenate([[True], made.of[1:] != made.of[:-1]])[: len(made.of)]
    number = np.arange(len(made.of))
    place = number - np.maximum.accumulate(np.where(first, number, 0)) + 1
    shown = made.kind != Kind.STAY.value
    start, end = made.start[shown], made.end[shown]
    heads: pd.DataFrame = found.heads.iloc[made.of[shown]]
    return heads.assign(
        unit=found.unit,
        step=np.array(STEP_NAMES, dtype=object)[step_names(found, made)[shown]],
        place=place[shown],
        from_role=found.role[start],
        from_no=found.no[start],
        to_role=found.role[end],
        to_no=_number(found.no[end]),
        from_state=STATES[found.state[start]],
        to_state=STATES[found.state[end]],
        kind=made.kind[shown],
        n_unknown=made.n_unknown[shown],
    )


def _number(values: NDArray[np.int64]) -> Any:
    """Numbers; null of a final."""
    return pd.Series(values, dtype="Int64").mask(values < 0).array


def _frame(rows: list[dict[str, Any]], table: Table) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[name for name, _ in table.columns if name != "development"])


MAKERS = {FLOW: flow, TRANSITIONS: transitions, FLOW_STEPS: flow_steps}
