"""What `measure` last said of each run, beside its line in the list: labels, never numbers to
compare runs by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from draligned.report.rows import Row, only, rows
from draligned.schema.errors import DralignedError
from draligned.study.folder import StudyFolder
from draligned.study.plan import load_plan
from draligned.view.index import stamp_of
from draligned.view.measured import measured


@dataclass(frozen=True, kw_only=True)
class RunLabels:
    """Labels of a run on its own factor: of its requests together, and of its final."""

    requests: str
    requests_reason: str
    final: str
    final_reason: str


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The labels of all measured runs by one evaluator."""

    evaluator: str = ""
    by_run: Mapping[str, RunLabels] = field(default_factory=dict)
    problem: str = ""
    """Why the table cannot be read."""

    def of(self, run_id: str) -> RunLabels | None:
        """Labels of a run; none if it was not measured."""
        return self.by_run.get(run_id)


class LabelIndex:
    """The table `matrix`, read again when it was made again."""

    def __init__(self, folder: StudyFolder) -> None:
        self._folder = folder
        self._path = folder.root / "tables" / "matrix.parquet"
        self._lock = Lock()
        self._stamp: tuple[int, int] | None = None
        self._found = Measured()

    def now(self) -> Measured:
        """As last measured, by the evaluator read first; nothing where nothing was."""
        with self._lock:
            stamp = stamp_of(self._path)
            if stamp != self._stamp:
                self._found = _read(self._folder)
                self._stamp = stamp
            return self._found


def _read(folder: StudyFolder) -> Measured:
    try:
        table = measured(folder.store, "matrix", _COLUMNS)
        named = [e.name for e in load_plan(folder.store).ordered_evaluators]
    except DralignedError as error:
        return Measured(problem=str(error))
    if table is None:
        return Measured()
    for evaluator in named:
        found = rows(only(table, evaluator=evaluator))
        if found:
            return Measured(
                evaluator=evaluator, by_run={str(r["run_id"]): _labels(r) for r in found}
            )
    return Measured()


_COLUMNS = (
    "evaluator", "run_id", "acq_presence", "acq_reason", "final_presence", "final_reason",
)  # fmt: skip


def _labels(row: Row) -> RunLabels:
    return RunLabels(
        requests=str(row["acq_presence"] or "UNKNOWN"),
        requests_reason=str(row["acq_reason"] or ""),
        final=str(row["final_presence"] or "UNKNOWN"),
        final_reason=str(row["final_reason"] or ""),
    )
