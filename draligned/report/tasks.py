"""Tables behind the estimates, shown on demand: each task's values, and the risk set."""

from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.order import place, places
from draligned.report.rows import Row, number, only, pair_of, rows, whole
from draligned.report.texts import Texts


@dataclass(frozen=True, kw_only=True)
class TaskLine:
    """D_A or D_F of one task over all models: data of one task, so without interval."""

    harness: str
    task_id: str
    domain: str
    estimand: str
    value: str
    readable: str
    coarse: str
    sharp: str


def tasks_of(data: ReportData, evaluator: str, texts: Texts) -> tuple[TaskLine, ...]:
    """By harness, then in the design's order of tasks."""
    order = places(data.design)
    domains = {task.task_id: task.domain for task in data.design.tasks}
    found = rows(only(data.table("tasks"), evaluator=evaluator, model="all"))
    found.sort(key=lambda r: (r["harness"], place(order, r["task_id"]), r["task_id"]))
    return tuple(_line(row, domains.get(str(row["task_id"]), ""), texts) for row in found)


def _line(row: Row, domain: str, texts: Texts) -> TaskLine:
    value = number(row, "value")
    return TaskLine(
        harness=str(row["harness"]),
        task_id=str(row["task_id"]),
        domain=domain,
        estimand=str(row["estimand"]),
        value=numbers.absent(texts, "empty") if value is None else numbers.signed(value),
        readable=numbers.share(whole(row, "n_readable"), whole(row, "n_planned")),
        coarse=_span(row, "coarse"),
        sharp=_span(row, "sharp"),
    )


def _span(row: Row, name: str) -> str:
    found = pair_of(row, name)
    return "" if found is None else numbers.span(*found)


def risk_set_of(data: ReportData, evaluator: str) -> tuple[Row, ...]:
    """Readable start states of draft-to-final comparisons, over all models (DR-99)."""
    return tuple(rows(only(data.table("risk_set"), evaluator=evaluator, model="all")))
