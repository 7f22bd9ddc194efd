"""What the tables are made from: labels, states and pairs, each made once when first asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from draligned.measure.agenda_runs import Again, Cell, agenda_cells
from draligned.measure.checks import checked
from draligned.measure.contrasts import Group, Primary, groups
from draligned.measure.documents import Policy, attach, label_texts, read_texts
from draligned.measure.estimate import Settings
from draligned.measure.keys import places
from draligned.measure.matrix import acquisition, build_matrix
from draligned.measure.pairs import build_pairs
from draligned.measure.read_units import read_units
from draligned.measure.requests import label_requests
from draligned.measure.retained import comparisons
from draligned.measure.sequences import Sequences, document_sequences, request_sequences
from draligned.measure.variants import ANSWERED
from draligned.schema.config import MeasureConfig
from draligned.schema.frames import InputSet, MeasureInputs

_ARM = ["run_id", "factor_id"]
_RUN = ["run_id", "task_id", "user_id", "model", "harness", "environment"]


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Labels of requests and summaries of texts, before any policy on documents."""

    runs: pd.DataFrame
    documents: pd.DataFrame
    requests: pd.DataFrame
    texts: pd.DataFrame
    evaluators: tuple[str, ...]

    @cached_property
    def acquired(self) -> pd.DataFrame:
        """States of acquisition, one row per run × factor × evaluator."""
        return acquisition(self.runs, self.requests, self.evaluators)


@dataclass(frozen=True, kw_only=True)
class Made:
    """One study's inputs and all that several tables are made from."""

    inputs: MeasureInputs
    config: MeasureConfig
    primary: Primary
    evaluators: tuple[str, ...] = ()
    """The planned ones, the primary first."""

    @cached_property
    def settings(self) -> Settings:
        """Resampling settings, and how pairs are made."""
        return Settings(
            seed=self.config.seed,
            draws=self.config.draws,
            unresolved_items=self.config.unresolved_items,
            pairing=self.config.pairing,
        )

    @cached_property
    def sets(self) -> Mapping[InputSet, "Made"]:
        """The sets beside the panel, each by itself; nothing in them is primary."""
        none = Primary(names=())
        return {name: replace(self, inputs=s, primary=none) for name, s in self.inputs.sets.items()}

    @cached_property
    def known(self) -> MeasureInputs:
        """Checked inputs."""
        return checked(self.inputs)

    @cached_property
    def readings(self) -> Readings:
        """Checked inputs, with labels."""
        return labelled(self.known, self.evaluators)

    @cached_property
    def _matrix_of(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return matrix_of(self.readings, self.config.unresolved_items)

    @property
    def matrix(self) -> pd.DataFrame:
        """States by locus, one row per run × factor × evaluator."""
        return self._matrix_of[0]

    @property
    def documents(self) -> pd.DataFrame:
        """Labelled drafts and finals, with the names of their runs."""
        return self._matrix_of[1]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Planned pairs and their values."""
        return build_pairs(self.matrix, self.config.pairing)

    @cached_property
    def panels(self) -> tuple[Group, ...]:
        """The pairs by evaluator × harness × model, `all` models first."""
        return groups(self.pairs)

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Labelled requests, with the names of their runs."""
        runs = self.readings.runs.astype(dict.fromkeys([*_RUN[1:], "arm"], "category"))
        return with_runs(self.readings.requests, runs)

    @cached_property
    def sequences(self) -> tuple[Sequences, Sequences]:
        """Requests of each run in order; its documents in order."""
        return (
            request_sequences(self.matrix, self.requests),
            document_sequences(self.matrix, self.documents),
        )

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Drafts beside finals of their own runs and of repeats, those of the A/A set included."""
        control, policy = self.sets.get(InputSet.AA), self.config.unresolved_items
        texts = [self.readings.texts, *([control.readings.texts] if control else [])]
        return comparisons(self.known, texts, policy, self.readings.evaluators)

    @cached_property
    def visits(self) -> pd.DataFrame:
        """Requests by subproblem, with the names of their runs."""
        rows = self.inputs.visits.astype({"run_id": "str", "request_no": "Int64"})
        return with_runs(rows.assign(factor_id=None), self.readings.runs)

    @cached_property
    def agenda_cells(self) -> tuple[Cell, ...]:
        """Runs by what they ask about, cell by cell; A/A runs are runs of P."""
        aa = self.sets.get(InputSet.AA)
        again = None if aa is None else Again(aa.known.runs, aa.inputs.visits)
        return agenda_cells(self.known.runs, self.inputs.visits, again)

    @cached_property
    def read_units(self) -> pd.DataFrame:
        """First, mirrored and repeated reads of each unit, side by side."""
        return read_units(self.known, self.requests, self.documents)


def read(inputs: MeasureInputs, evaluators: Sequence[str] = ()) -> Readings:
    """Check the inputs and read labels from them."""
    return labelled(checked(inputs), evaluators)


def labelled(known: MeasureInputs, evaluators: Sequence[str] = ()) -> Readings:
    """Labels from checked inputs."""
    names = {str(name) for name in evaluators}
    for reads in (known.request_reads, known.document_reads):
        names |= set(reads["evaluator"].unique())
    order = tuple(sorted(names))
    return Readings(
        runs=known.runs,
        documents=known.documents,
        requests=label_requests(known.request_reads, order),
        texts=read_texts(known.documents, known.document_reads, known.items, order),
        evaluators=order,
    )


def matrix_of(
    readings: Readings, policy: Policy, *, answered_only: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Matrix and labelled documents under a policy on unresolved items."""
    acquired = readings.acquired
    if answered_only:
        chosen = readings.requests["return_status"].isin(ANSWERED)
        acquired = acquisition(readings.runs, readings.requests[chosen], readings.evaluators)
    labelled = attach(readings.documents, label_texts(readings.texts, policy))
    return build_matrix(acquired, labelled), with_runs(labelled, readings.runs)


def with_runs(frame: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Names of the run beside each row; `arm` is null for a factor the run was not assigned."""
    named, once = frame.reset_index(drop=True), runs[_RUN].drop_duplicates("run_id")
    for beside, keys in ((once, ["run_id"]), (runs[[*_ARM, "arm"]], _ARM)):
        place = places(frame, beside, keys)
        new = [name for name in beside.columns if name not in keys]
        named = named.assign(
            **{name: beside[name].array.take(place, allow_fill=True) for name in new}
        )
    return named
