"""The list of runs: filtered by what they are, what became of them, and text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from draligned.report.texts import Texts
from draligned.schema.design import Design
from draligned.study.attempts import events_key
from draligned.view import filters
from draligned.view.index import RunRow
from draligned.view.labels import RunLabels
from draligned.view.site import Site, page, site_of

PAGE = 2_500
"""Runs on one page."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One line of the list."""

    row: RunRow
    labels: RunLabels | None


def show(request: Request) -> Response:
    """GET /runs."""
    site = site_of(request)
    now = site.index.now()
    known = {t.task_id: t.domain for t in now.design.tasks}
    found = filters.apply(request, now.rows, _fields(now.design, site.texts))
    text, deep = filters.asked(request, "q").strip(), filters.asked(request, "logs") == "1"
    kept = _matching(site, now.design, found.items, text, deep) if text else list(found.items)
    query = {**found.query, **({"q": text} if text else {}), **({"logs": "1"} if deep else {})}
    shown = filters.paged(request, kept, PAGE)
    labels = site.labels.now()
    lines = [Listed(row=r, labels=labels.of(r.cell.run_id)) for r in shown.items]
    return page(
        request,
        "runs.html",
        found=filters.Filtered(
            items=tuple(kept), total=found.total, choices=found.choices, query=query
        ),
        lines=lines,
        paged=shown,
        text=text,
        deep=deep,
        domains=known,
        labels=labels,
        wide={name: len({value(r) for r in now.rows}) > 1 for name, value in _WIDE.items()},
    )


_WIDE: Mapping[str, Callable[[RunRow], str]] = {
    "environment": lambda r: r.cell.environment,
    "harness": lambda r: r.cell.harness_name,
    "model": lambda r: r.cell.model_name,
    "set": lambda r: r.cell.run_set.value,
}
"""Columns that are there only where there is something to tell apart."""


def _fields(design: Design, t: Texts) -> tuple[filters.Field[RunRow], ...]:
    kinds = {c.factor_id: c.kind for c in design.cards}
    domains = {x.task_id: x.domain for x in design.tasks}

    def task(value: str) -> str:
        domain = domains.get(value)
        return f"{value} · {t.word('domain', domain)}" if domain else value

    field = filters.Field[RunRow]
    return (
        field(name="task", of=lambda r: r.cell.task_id, label=task),
        field(
            name="factor",
            of=lambda r: kinds.get(r.cell.factor_id, ""),
            label=lambda v: t.word("kind", v),
        ),
        field(name="arm", of=_arm),
        field(name="set", of=_WIDE["set"], label=lambda v: t.word("run_set", v)),
        field(name="state", of=lambda r: r.state, label=lambda v: t.word("progress", v)),
        field(name="outcome", of=lambda r: r.outcome or "", label=lambda v: t.word("outcome", v)),
        field(name="model", of=_WIDE["model"]),
        field(name="harness", of=_WIDE["harness"]),
        field(name="environment", of=_WIDE["environment"]),
    )


def _arm(row: RunRow) -> str:
    """The side told; none of a neutral run, which is told nothing."""
    return row.cell.arm.value if row.endpoint else ""


def _matching(
    site: Site, design: Design, rows: Iterable[RunRow], text: str, deep: bool
) -> list[RunRow]:
    """Rows whose ids, user, endpoint or task hold the text, capitals aside; with `deep`, also
    those whose log holds it letter by letter."""
    wanted = text.casefold()
    tasks = {t.task_id: t.text.casefold() for t in design.tasks}
    hits = {task_id for task_id, told in tasks.items() if wanted in told}
    literal = [v.encode() for v in {text, _in_json(text)}]

    def matches(row: RunRow) -> bool:
        cell = row.cell
        words = (cell.run_id, row.pair_id or "", cell.user_id, row.endpoint, cell.condition_id)
        if cell.task_id in hits or any(wanted in w.casefold() for w in words):
            return True
        return deep and _in_log(site, row, literal)

    return [row for row in rows if matches(row)]


def _in_log(site: Site, row: RunRow, literal: Sequence[bytes]) -> bool:
    if row.attempt is None:
        return False
    data = site.folder.store.get(events_key(row.cell.run_id, row.attempt)) or b""
    return any(part in data for part in literal)


def _in_json(text: str) -> str:
    """The text as a log holds it."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
