"""The list of reads: what was void, and why."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from draligned.report.texts import Texts
from draligned.schema.design import Design
from draligned.study.plan import Plan
from draligned.view import filters
from draligned.view.readindex import ReadRow
from draligned.view.site import page, site_of

PAGE = 500


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many reads of one evaluator and kind came to what."""

    evaluator_id: str
    evaluator: str
    kind: str
    counts: Mapping[str, int]


def show(request: Request) -> Response:
    """GET /reads."""
    site = site_of(request)
    now, reads = site.index.now(), site.reads.now()
    names = evaluator_names(now.plan)
    found = filters.apply(request, reads.rows, _fields(now.design, names, site.texts))
    reason = filters.asked(request, "reason")
    kept = [r for r in found.items if not reason or reason in r.reasons]
    query = {**found.query, **({"reason": reason} if reason else {})}
    return page(
        request,
        "reads.html",
        found=filters.Filtered(
            items=tuple(kept), total=found.total, choices=found.choices, query=query
        ),
        paged=filters.paged(request, kept, PAGE),
        tallies=tallies(reads.rows, names),
        qualities=QUALITIES,
        reasons=Counter(reason for r in found.items for reason in r.reasons).most_common(),
        reason=reason,
        names=names,
        unseen=reads.unseen,
        tasks={c.factor_id: c for c in now.design.cards},
    )


QUALITIES = ("ok", "some_void", "dropped", "void", "damaged")


def evaluator_names(plan: Plan) -> dict[str, str]:
    """Names of evaluators by id, the primary first."""
    return {e.evaluator_id: e.name for e in plan.ordered_evaluators}


def tallies(rows: tuple[ReadRow, ...], names: Mapping[str, str]) -> tuple[Tally, ...]:
    """Counts by evaluator and kind of packet."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        counted.setdefault((row.evaluator_id, row.kind), Counter())[row.quality] += 1
    place = list(names)
    order = sorted(counted, key=lambda k: (place.index(k[0]) if k[0] in place else 99, *k))
    return tuple(
        Tally(evaluator_id=e, evaluator=names.get(e, e), kind=kind, counts=counted[e, kind])
        for e, kind in order
    )


def _fields(
    design: Design, names: Mapping[str, str], t: Texts
) -> tuple[filters.Field[ReadRow], ...]:
    tasks = {c.factor_id: c.task_id for c in design.cards}
    field = filters.Field[ReadRow]
    return (
        field(name="evaluator", of=lambda r: r.evaluator_id, label=lambda v: names.get(v, v)),
        field(name="kind", of=lambda r: r.kind, label=lambda v: t.word("packet_kind", v)),
        field(name="read", of=lambda r: r.role, label=lambda v: t.word("read_role", v)),
        field(name="quality", of=lambda r: r.quality, label=lambda v: t.word("quality", v)),
        field(name="task", of=lambda r: tasks.get(r.factor_id, "")),
    )
