"""The report: one self-contained HTML page that works with scripts off and loads nothing."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from draligned.report import numbers, overview
from draligned.report.alluvial import Alluvial, alluvial_of
from draligned.report.cards import CardView, cards_of
from draligned.report.data import EvaluatorFacts, ReportData
from draligned.report.drafts import DelegationLine, DraftLine, delegation_of, drafts_of
from draligned.report.duty import DutyView, duty_of
from draligned.report.entries import RunView
from draligned.report.flow import Flow, flow_of
from draligned.report.groups import Group, groups_of
from draligned.report.interfaces import Interfaces, interfaces_of
from draligned.report.matrix import Pair, pairs_of
from draligned.report.methods import methods_of
from draligned.report.nulls import Verdict, verdict_of
from draligned.report.order import place, places
from draligned.report.pictures import anchor_of
from draligned.report.rows import Row, each_group, only, rows
from draligned.report.runs import RunViews
from draligned.report.sensitivity import Choice, choices_of
from draligned.report.sheets import ShelfView, shelves_of
from draligned.report.shown import Shown, reveal, shown
from draligned.report.tasks import TaskLine, risk_set_of, tasks_of
from draligned.report.texts import Texts, load_texts
from draligned.report.trajectories import css
from draligned.schema.events import Event
from draligned.schema.observed import ObservedRun

TASK_CHARS = 4_000
PAIRS_LISTED = 50
PAIRS_DRAWN = 150
LOOSE_LISTED = 50
"""What the page holds of a large study; the viewer holds all of it."""
EventsOf = Callable[[ObservedRun], Sequence[Event]]


@dataclass(frozen=True, kw_only=True)
class Read:
    """One evaluator's part of the page."""

    facts: EvaluatorFacts
    groups: tuple[Group, ...]


@dataclass(frozen=True, kw_only=True)
class PairView:
    """A pair with the events of both its runs."""

    pair: Pair
    figure: Markup
    runs: tuple[RunView | None, ...]
    listed: bool
    """Whether the events are listed; the page lists those of so many pairs."""


@dataclass(frozen=True, kw_only=True)
class LooseView:
    """A run that stands in no pair."""

    run: RunView
    figure: Markup


@dataclass(frozen=True, kw_only=True)
class View:
    """All that the templates lay out."""

    stamps: tuple[overview.Stamp, ...]
    sentence: str
    registered: str
    first: tuple[overview.Fact, ...]
    """Who, when and for how much."""
    verdict: Verdict | None
    """What the controls show; none before anything is read."""
    left_out: str
    """How many runs of development-only harnesses are not here; blank if there are none."""
    reader: str
    """Whose reads are shown first, and whether that is the primary evaluator."""
    primary: Read | None
    others: tuple[Read, ...]
    flows: tuple[Flow, ...]
    alluvials: tuple[Alluvial, ...]
    drafts: tuple[DraftLine, ...]
    delegation: tuple[DelegationLine, ...]
    interfaces: Interfaces | None
    duty: DutyView | None
    """Stage tags beside the log; none where none were asked for."""
    pairs: tuple[PairView, ...]
    facts: tuple[overview.Fact, ...]
    readability: tuple[tuple[str, list[Row]], ...]
    """Rows over all models, by unit."""
    agreement: tuple[Row, ...]
    sensitivity: tuple[Choice, ...]
    tasks: tuple[TaskLine, ...]
    risk_set: tuple[Row, ...]
    loose: tuple[LooseView, ...]
    """Observed runs that stand in no pair: further replicates."""
    loose_left: int
    """So many more of them are not on the page."""
    cards: tuple[CardView, ...]
    methods: str
    """A paragraph on methods, made from the study."""
    shelves: tuple[ShelfView, ...]
    """Controls and further analyses."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """The primary evaluator's groups; none before anything is read."""
        return self.primary.groups if self.primary else ()


def render_report(data: ReportData) -> str:
    """The page as text. Depends on `data` alone: the same data, the same bytes."""
    texts = load_texts(data.lang)
    data = replace(data, events_of=_remembering(data.events_of))
    template = environment().get_template("page.html")
    page = template.render(
        t=texts,
        n=numbers,
        d=data,
        v=make_view(data, texts),
        names={e.key: e.name for e in data.evaluators},
        css=css("report") + css("alluvial") + css("trajectory") + css("duty"),
        lang=data.lang,
    )
    return reveal(page)


def _remembering(events_of: EventsOf) -> EventsOf:
    known: dict[str, Sequence[Event]] = {}

    def events(run: ObservedRun) -> Sequence[Event]:
        if run.run_id not in known:
            known[run.run_id] = events_of(run)
        return known[run.run_id]

    return events


def make_view(data: ReportData, texts: Texts) -> View:
    """Everything on the page, as one evaluator after the other read it; the first is primary."""
    reads = [Read(facts=e, groups=groups_of(data, e.key, texts)) for e in data.evaluators]
    primary = reads[0] if reads else None
    key = primary.facts.key if primary else ""
    views, pairs = RunViews(data, key, texts), pairs_of(data, key, texts)
    loose = _loose(data, views, pairs)
    harnesses = [g.harness for g in primary.groups] if primary else []
    return View(
        stamps=overview.stamps_of(data, texts),
        sentence=overview.sentence(data, texts),
        registered=overview.registered(data, texts),
        first=overview.first_facts(data, texts),
        verdict=verdict_of(data, key, texts) if harnesses else None,
        left_out=overview.left_out(data, texts),
        reader=overview.reader(data, texts),
        primary=primary,
        others=tuple(reads[1:]),
        flows=tuple(flow_of(data, key, h, texts) for h in harnesses),
        alluvials=_alluvials(data, key, harnesses, texts),
        drafts=drafts_of(data, texts),
        delegation=delegation_of(data, texts),
        interfaces=interfaces_of(data, key, texts),
        duty=duty_of(data, texts),
        pairs=tuple(_with_runs(pair, views, place) for place, pair in enumerate(pairs)),
        facts=overview.facts(data, texts),
        readability=_readability(data, key),
        agreement=tuple(rows(data.table("agreement"))),
        sensitivity=choices_of(data, key, texts),
        tasks=tasks_of(data, key, texts),
        risk_set=risk_set_of(data, key),
        loose=loose,
        loose_left=_outside(data, pairs) - len(loose),
        cards=cards_of(data.design),
        methods=methods_of(data, key, texts),
        shelves=shelves_of(data, key, texts),
    )


def _alluvials(
    data: ReportData, evaluator: str, harnesses: Sequence[str], texts: Texts
) -> tuple[Alluvial, ...]:
    found = (alluvial_of(data, evaluator, harness, texts) for harness in harnesses)
    return tuple(one for one in found if one is not None)


UNITS = ("pair", "panel", "arm", "run", "request")


def _readability(data: ReportData, evaluator: str) -> tuple[tuple[str, list[Row]], ...]:
    found = only(data.table("readability"), evaluator=evaluator, model="all")
    by_unit = {unit: own for (unit,), own in each_group(found, "unit")}
    return tuple((unit, by_unit[unit]) for unit in UNITS if unit in by_unit)


def _with_runs(pair: Pair, views: RunViews, place: int) -> PairView:
    """A pair; beyond `PAIRS_LISTED` its picture alone, beyond `PAIRS_DRAWN` its Matrix alone."""
    if place >= PAIRS_LISTED:
        figure = views.pictures.pair(pair, linked=False) if place < PAIRS_DRAWN else Markup("")
        return PairView(pair=pair, figure=figure, runs=(), listed=False)
    runs = tuple(
        views.view(s.run_id, pair.factor_id, anchor_of(pair.pair_id, s.arm)) for s in pair.sides
    )
    return PairView(pair=pair, figure=views.pictures.pair(pair), runs=runs, listed=True)


def _outside(data: ReportData, pairs: tuple[Pair, ...]) -> int:
    """Observed runs that stand in no pair."""
    paired = {side.run_id for pair in pairs for side in pair.sides}
    return sum(run.run_id not in paired for run in data.observed)


def _loose(data: ReportData, views: RunViews, pairs: tuple[Pair, ...]) -> tuple[LooseView, ...]:
    paired = {side.run_id for pair in pairs for side in pair.sides}
    order = places(data.design)
    runs = [run for run in data.observed if run.run_id not in paired]
    runs.sort(key=lambda r: (r.harness_name, place(order, r.task_id), r.model_name, r.replicate))
    out = []
    for run in runs[:LOOSE_LISTED]:
        factor_id = run.assigned[0].factor_id
        view = views.view(run.run_id, factor_id, anchor_of("run", run.run_id))
        if view is not None:
            out.append(LooseView(run=view, figure=views.pictures.run(run.run_id, factor_id)))
    return tuple(out)


@cache
def environment() -> Environment:
    """Templates with escaping on; an undefined name is an error."""
    made = Environment(
        loader=PackageLoader("draligned.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = _shown
    made.filters["coded"] = _coded
    made.filters["thousands"] = numbers.count
    return made


def _coded(text: str) -> Markup:
    """A sentence of ours in which commands stand between backticks."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def _shown(text: str, limit: int = TASK_CHARS) -> Shown:
    return shown(text, limit)
