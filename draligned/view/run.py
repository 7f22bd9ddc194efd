"""The page of one run, and of one of its documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from draligned.report.trajectories import Lane, pair_figure
from draligned.schema.design import FactorCard
from draligned.schema.errors import DamageError
from draligned.schema.labels import RunSet
from draligned.schema.packets import EvalUnit
from draligned.schema.trajectory import Step, Trajectory
from draligned.study.attempts import events_key
from draligned.study.plan import PlanEvaluator
from draligned.view.documents import DocumentView, document_view, items_of
from draligned.view.events import Line, Lines
from draligned.view.filters import Paged, asked, number_asked
from draligned.view.index import RunRow, Snapshot, of_pair
from draligned.view.loading import Loaded, Said, load_run, said_of
from draligned.view.readindex import row_of
from draligned.view.site import Site, page, site_of
from draligned.view.stretches import of_lines, places_of, under

ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, kw_only=True)
class Look:
    """A run as somebody looks at it: for a factor, by an evaluator."""

    now: Snapshot
    run: Loaded
    card: FactorCard | None
    cards: tuple[FactorCard, ...]
    """Of the factors that its packets are about."""
    evaluator: PlanEvaluator | None
    said: Said | None

    @property
    def query(self) -> dict[str, str]:
        """What a link to the same view carries."""
        out = {"factor": self.card.factor_id} if self.card else {}
        out |= {"evaluator": self.evaluator.evaluator_id} if self.evaluator else {}
        attempts = self.run.attempts
        usual = self.run.row.attempt or (attempts[-1] if attempts else None)
        return out | ({} if self.run.attempt == usual else {"attempt": str(self.run.attempt)})

    @property
    def endpoint(self) -> str:
        """What the run was told of the factor looked at, in short; blank where it was not."""
        told = {a.factor_id: a.side for a in self.run.condition.assigned}
        if self.card is None or self.card.factor_id not in told:
            return ""
        return self.card.endpoint(told[self.card.factor_id]).value


def find_row(request: Request, now: Snapshot, name: str = "run_id") -> RunRow:
    """The run that the path names. Raises `HTTPException` (404)."""
    run_id = request.path_params[name]
    row = now.row(run_id) if ID.fullmatch(run_id) else None
    if row is None:
        raise HTTPException(404)
    return row


def look_at(request: Request, site: Site, now: Snapshot, row: RunRow) -> Look:
    """A run under the factor, evaluator and attempt that the query asks for."""
    run = load_run(site.folder, now, row, number_asked(request, "attempt"))
    known = {c.factor_id: c for c in now.design.cards}
    told = [a.factor_id for a in run.condition.assigned] or [row.cell.factor_id]
    cards = tuple(known[f] for f in told if f in known)
    card = next((c for c in cards if c.factor_id == asked(request, "factor")), None)
    card = card or next(iter(cards), None)
    evaluators = now.plan.ordered_evaluators
    chosen = [e for e in evaluators if e.evaluator_id == asked(request, "evaluator")]
    evaluator = next(iter([*chosen, *evaluators]), None)
    said = None
    if run.observed is not None and card is not None and evaluator is not None:
        said = said_of(site.folder, now, run.observed, card.factor_id, evaluator)
    return Look(now=now, run=run, card=card, cards=cards, evaluator=evaluator, said=said)


def show(request: Request) -> Response:
    """GET /runs/{run_id}; with `event=N`, on to its place on its page."""
    site = site_of(request)
    now = site.index.now()
    row = find_row(request, now)
    look = look_at(request, site, now, row)
    trajectory = look.said.trajectory if look.said else None
    whole = asked(request, "all") == "1"
    lines = list(Lines(look.run.events, trajectory, site.texts).all(whole=whole))
    event = number_asked(request, "event")
    part = of_lines(request, lines, event)
    found = under(look.query | ({"all": "1"} if whole else {}), len(lines))
    if any(line.seq == event for line in part.items):
        where = found.link(f"/runs/{row.cell.run_id}", page=str(part.number))
        return RedirectResponse(f"{where}#e{event}", 303)
    return page(
        request,
        "run.html",
        look=look,
        cell=row.cell,
        row=row,
        task=next((t for t in now.design.tasks if t.task_id == row.cell.task_id), None),
        part=part,
        found=found,
        event=event,
        whole=whole,
        figure=None if trajectory is None else _figure(site, look, trajectory, part, lines),
        packets=packets(look.said),
        final=final_of(site, look),
        others=others(now, row),
        beside=stand_beside(now, row),
        neutral=row.cell.run_set is RunSet.NEUTRAL,
    )


def _figure(
    site: Site, look: Look, trajectory: Trajectory, part: Paged[Line], lines: Sequence[Line]
) -> Markup:
    """The steps among the events of one page."""
    return pair_figure(
        [Lane(arm=_arm(look.run.row), endpoint=look.endpoint, trajectory=trajectory)],
        site.texts,
        name="run",
        text_of=site.text_of,
        href=lambda _, step: f"#e{step.seq}",
        places=places_of(trajectory.steps, part, lines),
    )


def _arm(row: RunRow) -> str:
    return row.cell.arm.value if row.endpoint else ""


def others(now: Snapshot, row: RunRow) -> Sequence[RunRow]:
    """The other runs of its pair; of a run beside the panel, those of the same condition."""
    if row.pair_id is not None:
        return [r for r in of_pair(now.rows, row.pair_id) if r is not row]
    same = row.cell.condition_id
    return [r for r in now.rows if r.cell.condition_id == same and r is not row]


def stand_beside(now: Snapshot, row: RunRow) -> Sequence[RunRow]:
    """The runs, not of its pair, that it is compared with: an A/A run with the first run of its
    condition, a neutral run with both of its pair, a two-factor run with the one that was told
    the other side of the first factor."""
    return [r for r in now.rows if r is not row and _compared(r, row)]


def _compared(one: RunRow, other: RunRow) -> bool:
    a, b = one.cell, other.cell
    sets = {a.run_set, b.run_set}
    if sets == {RunSet.PANEL, RunSet.AA} and a.arm is not b.arm:
        return False
    return sets in _COMPARED and a.pair == b.pair


_COMPARED = ({RunSet.PANEL, RunSet.AA}, {RunSet.PANEL, RunSet.NEUTRAL}, {RunSet.TWO_FACTOR})


@dataclass(frozen=True, kw_only=True)
class PacketLine:
    """One packet of a run, and what became of its reads."""

    unit: EvalUnit
    step: Step | None
    """Of a document: its last version with this text."""
    reads: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Role, quality and reasons of each read that was made."""


def packets(said: Said | None) -> tuple[PacketLine, ...]:
    """The packets of a run for one factor and evaluator."""
    if said is None:
        return ()
    steps = said.trajectory.steps if said.trajectory else ()
    by_text = {s.text_sha256: s for s in steps if s.text_sha256}
    return tuple(
        PacketLine(
            unit=unit,
            step=by_text.get(unit.text_sha256 or ""),
            reads=tuple(
                (r.role, r.quality, r.reasons)
                for r in map(row_of, said.reads)
                if r.packet_id == unit.packet_id
            ),
        )
        for unit in said.units
    )


def final_of(site: Site, look: Look) -> DocumentView | None:
    """The final of a run that is done, with what was read of it."""
    final = look.run.observed.final if look.run.observed else None
    return None if final is None else _document(site, look, final.seq, final.text_sha256)


def _document(site: Site, look: Look, seq: int, sha256: str) -> DocumentView:
    said = look.said
    steps = said.trajectory.steps if said and said.trajectory else ()
    step = next((s for s in steps if s.seq == seq and s.text_sha256 == sha256), None)
    units = said.units if said else ()
    unit = next((u for u in units if u.text_sha256 == sha256), None)
    items = items_of(said, unit, step) if said else ()
    try:
        text = site.folder.blobs.get(sha256)
    except DamageError as error:
        return replace(document_view("", step, items), problem=str(error))
    return document_view(text, step, items)


def document(request: Request) -> Response:
    """GET /runs/{run_id}/documents/{seq}: one version of the document, or the final."""
    site = site_of(request)
    now = site.index.now()
    row = find_row(request, now)
    look = look_at(request, site, now, row)
    observed = look.run.observed
    finals = () if observed is None or observed.final is None else (observed.final,)
    there = () if observed is None else (*observed.drafts, *finals)
    seq = request.path_params["seq"]
    found = next((d for d in reversed(there) if d.seq == seq), None)
    if found is None:
        raise HTTPException(404)
    return page(
        request,
        "document.html",
        look=look,
        cell=row.cell,
        row=row,
        view=_document(site, look, found.seq, found.text_sha256),
        sha256=found.text_sha256,
        versions=there,
        seq=seq,
    )


def log(request: Request) -> Response:
    """GET /runs/{run_id}/log: the log as it is stored, as plain text."""
    site = site_of(request)
    now = site.index.now()
    row = find_row(request, now)
    look = load_run(site.folder, now, row, number_asked(request, "attempt"))
    if look.attempt is None:
        raise HTTPException(404)
    data = site.folder.store.get(events_key(row.cell.run_id, look.attempt))
    if data is None:
        raise HTTPException(404)
    return PlainTextResponse(data)
