"""Label tables of a drawn study, as evaluators would have left them for measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from draligned.schema.base import short_id
from draligned.schema.frames import RUNS, MeasureInputs
from draligned.schema.labels import ReadRole, Side
from draligned.simulate.columns import cell_status, labels, repeated, slots, words
from draligned.simulate.drawn import Drawn, generator
from draligned.simulate.parameters import Reader, Scenario
from draligned.simulate.reading import Flags, Reads, read_units
from draligned.simulate.text_tables import plant, read_texts, text_rows

ROLES = (ReadRole.FIRST, ReadRole.MIRROR, ReadRole.RETEST)
SIDES = (Side.P.value, Side.Q.value)


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """An evaluator and how it reads."""

    name: str
    requests: Reader
    finals: Reader


@dataclass(frozen=True, kw_only=True)
class Making:
    """What is put into the tables of a drawn study."""

    seed: int
    evaluators: Sequence[Evaluator]
    harnesses: Sequence[str]
    """One for each study that was drawn: they stand in one input as blocks of their own."""
    kept: Flags | None = None
    """Runs that are planned at all; none: every run."""
    failed: Flags | None = None
    """Runs that were planned and failed."""
    retest_share: float = 0.1
    part: str = ""
    """Names a set beside the panel, which is read by draws of its own."""


def label_tables(drawn: Drawn, making: Making) -> MeasureInputs:
    """Frames of the drawn runs, the same for the same seed."""
    runs = _runs(drawn, making)
    done = _done(drawn, making)
    texts = plant(drawn, runs["run_id"], runs["factor_id"], done, _rng(making, "texts"))
    parts = [
        _request_reads(drawn, making, evaluator, runs, done) for evaluator in making.evaluators
    ]
    read = [
        read_texts(texts, e.name, e.finals, making.retest_share, _rng(making, e.name))
        for e in making.evaluators
    ]
    kept = np.ones(len(runs), dtype=bool) if making.kept is None else making.kept
    return MeasureInputs(
        runs=runs[kept][list(RUNS)].reset_index(drop=True),
        request_reads=pd.concat(parts, ignore_index=True),
        documents=text_rows(texts),
        document_reads=pd.concat([reads for reads, _ in read], ignore_index=True),
        items=pd.concat([items for _, items in read], ignore_index=True),
    )


def _rng(making: Making, what: str) -> np.random.Generator:
    return generator(f"{making.part} {what}".strip(), making.seed)


def factor_ids(scenario: Scenario) -> list[str]:
    """The factor of each task, in the order of tasks."""
    return [short_id("simulated", "factor", task) for task in range(scenario.shape.tasks)]


def _done(drawn: Drawn, making: Making) -> Flags:
    done = np.ones(len(drawn.runs), dtype=bool)
    for excluded in (None if making.kept is None else ~making.kept, making.failed):
        if excluded is not None:
            done &= ~excluded
    return done


def _runs(drawn: Drawn, making: Making) -> pd.DataFrame:
    """Rows of `runs`, those that are not kept included."""
    grid, failed = drawn.runs, making.failed
    size = len(grid)
    bad = np.zeros(size, dtype=bool) if failed is None else failed
    task, model = grid.cells.task[grid.cell], grid.cells.model[grid.cell]
    made = np.bincount(drawn.run, minlength=size)
    counts = pd.Series(made, dtype="Int64").mask(bad)
    seen = words(("full", "none"), bad.astype(np.intp))
    last = pd.Series(2 * made, dtype="Int64").mask(bad | (made == 0))
    return pd.DataFrame(
        {
            "run_id": _run_ids(drawn, making),
            "task_id": _numbered("", task, drawn.scenario.shape.tasks),
            "user_id": _numbered("user ", grid.cells.user[grid.cell], drawn.scenario.shape.tasks),
            "factor_id": words(factor_ids(drawn.scenario), task),
            "arm": words(SIDES, grid.arm),
            "model": _numbered("model ", model, drawn.scenario.shape.models),
            "harness": words(making.harnesses, grid.study),
            "environment": repeated("simulated", size),
            "replicate": grid.replicate,
            "state": words(("done", "failed"), bad.astype(np.intp)),
            "outcome": words(("submitted", "provider_error"), bad.astype(np.intp)),
            "observes_a": seen,
            "observes_w": seen,
            "observes_f": seen,
            "development": False,
            "submits_saved": False,
            "delegation_offered": False,
            "delegations": pd.Series(0, index=range(size), dtype="Int64").mask(bad),
            "requests": counts,
            "requests_delegated": pd.Series(0, index=range(size), dtype="Int64").mask(bad),
            "last_request_seq": last,
        }
    )


def _run_ids(drawn: Drawn, making: Making) -> list[str]:
    """Ids by study, cell, replicate and arm, whatever else is drawn."""
    rows = np.stack(
        [drawn.runs.study, drawn.runs.cell, drawn.runs.replicate, drawn.runs.arm], axis=1
    )
    name = drawn.scenario.name
    return [short_id("simulated", name, making.seed, *row) for row in rows.tolist()]


def _numbered(before: str, codes: NDArray[np.intp], size: int) -> pd.Series:
    return words([f"{before}{n + 1}" for n in range(size)], codes)


def _request_reads(
    drawn: Drawn, making: Making, evaluator: Evaluator, runs: pd.DataFrame, done: Flags
) -> pd.DataFrame:
    """Rows of `request_reads` of one evaluator: all first and mirrored reads, some retests."""
    rng = _rng(making, f"requests of {evaluator.name}")
    used = done[drawn.run]
    run = drawn.run[used]
    own_first = drawn.own_first[run]
    reads = read_units(evaluator.requests, drawn.requests[used], own_first, drawn.silent[run], rng)
    facts = _facts(drawn, making, runs, used)
    again = (rng.random(len(drawn.runs)) < making.retest_share)[run]
    says_p = own_first == (drawn.sign[run] > 0)
    parts = [
        _one_read(facts, role, said, says_p ^ (role is ReadRole.MIRROR), own_first, chosen)
        for role, said, chosen in _by_role(reads, again)
    ]
    return pd.concat(parts, ignore_index=True).assign(evaluator=evaluator.name)


def _by_role(reads: Reads, again: Flags) -> list[tuple[ReadRole, NDArray[np.int8], Flags]]:
    everything = np.ones(len(again), dtype=bool)
    return [
        (ReadRole.FIRST, reads.first, everything), (ReadRole.MIRROR, reads.mirror, everything),
        (ReadRole.RETEST, reads.retest, again),
    ]  # fmt: skip


def _facts(
    drawn: Drawn, making: Making, runs: pd.DataFrame, used: Flags
) -> Mapping[str, pd.Series]:
    """What is known of the requests themselves, the same for all evaluators."""
    rng = generator("facts of requests", making.seed)
    run = drawn.run
    first = np.searchsorted(run, np.arange(len(drawn.runs)))
    answered, searched = rng.random(len(run)) < 0.9, rng.random(len(run)) < 0.7
    facts = {
        "run_id": runs["run_id"].iloc[run],
        "factor_id": runs["factor_id"].iloc[run],
        "request_no": pd.Series(np.arange(len(run)) - first[run] + 1),
        "tool": words(("read", "search"), searched.astype(np.intp)),
        "return_status": words(("error", "ok"), answered.astype(np.intp)),
    }
    return {name: values[used].reset_index(drop=True) for name, values in facts.items()}


def _one_read(
    facts: Mapping[str, pd.Series],
    role: ReadRole,
    said: NDArray[np.int8],
    alpha_is_p: Flags,
    own_first: Flags,
    chosen: Flags,
) -> pd.DataFrame:
    slot = slots(said, own_first ^ (role is ReadRole.MIRROR))
    frame = pd.DataFrame(
        dict(facts)
        | {
            "delegation": pd.Series(pd.NA, index=range(len(said)), dtype="Int64"),
            "read": repeated(role.value, len(said)),
            "alpha": words(SIDES, (~alpha_is_p).astype(np.intp)),
            "status": cell_status(slot),
            "label": labels(slot),
            "reason": words(("no_quote",), np.where(slot < 0, 0, -1)),
        }
    )
    return frame if chosen.all() else frame[chosen]
