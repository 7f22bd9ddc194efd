"""Two runs beside each other: P and Q of a pair, or a run of a control and what it is compared
with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from draligned.report.rows import Row, only, rows
from draligned.report.texts import Texts
from draligned.report.trajectories import Lane, pair_figure
from draligned.schema.errors import DamageError
from draligned.schema.labels import RunSet, Side
from draligned.schema.trajectory import Step
from draligned.study.folder import StudyFolder
from draligned.view.documents import DocumentView
from draligned.view.events import Line, Lines
from draligned.view.filters import asked, paged
from draligned.view.index import RunRow, Snapshot, of_pair
from draligned.view.measured import measured
from draligned.view.run import ID, Look, final_of, find_row, look_at
from draligned.view.site import Site, page, site_of
from draligned.view.stretches import LINES, lines_of, under

DONE = ("request", "draft", "final")


@dataclass(frozen=True, kw_only=True)
class Half:
    """One of two runs."""

    mark: str
    """Begins the addresses of its parts."""
    side: str
    """What it was told; blank where it was told nothing."""
    row: RunRow
    look: Look
    lines: tuple[Line, ...]
    """Its requests, drafts and final."""
    final: DocumentView | None

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps as read; none where nothing was read."""
        trajectory = self.look.said.trajectory if self.look.said else None
        return trajectory.steps if trajectory else ()

    def among(self, places: range) -> Sequence[Line]:
        """Its lines at these places of the axis."""
        return lines_of(self.lines, self.steps, places)


def show(request: Request) -> Response:
    """GET /pairs/{pair_id}."""
    site = site_of(request)
    now = site.index.now()
    wanted = request.path_params["pair_id"]
    every = of_pair(now.rows, wanted) if ID.fullmatch(wanted) else ()
    if not every:
        raise HTTPException(404)
    replicates = sorted({r.cell.replicate for r in every})
    number = next((n for n in replicates if str(n) == asked(request, "replicate")), replicates[0])
    runs = [r for r in every if r.cell.replicate == number]
    halves = [
        _half(request, site, now, next(r for r in runs if r.cell.arm is side), side.value.lower())
        for side in Side
        if any(r.cell.arm is side for r in runs)
    ]
    return _page(
        request,
        now,
        halves,
        pair_id=wanted,
        where=f"/pairs/{wanted}",
        replicates=replicates,
        number=number,
        measured=_measured(site.folder, wanted, halves),
    )


def beside(request: Request) -> Response:
    """GET /runs/{run_id}/beside/{other_id}: two runs of one task and fact."""
    site = site_of(request)
    now = site.index.now()
    row, other = find_row(request, now), find_row(request, now, "other_id")
    if other is row or other.cell.factor_id != row.cell.factor_id:
        raise HTTPException(404)
    halves = [_half(request, site, now, r, m) for r, m in ((row, "a"), (other, "b"))]
    where = f"/runs/{row.cell.run_id}/beside/{other.cell.run_id}"
    return _page(request, now, halves, where=where, number=None)


def _page(request: Request, now: Snapshot, halves: Sequence[Half], **values: Any) -> Response:
    first = halves[0]
    unknown = {"pair_id": None, "replicates": (), "measured": (None, "")}
    longest = max(len(h.steps or h.lines) for h in halves)
    part = paged(request, range(1, longest + 1), LINES)
    places = range(part.first, part.first + len(part.items))
    number = {} if values["number"] is None else {"replicate": str(values["number"])}
    return page(
        request,
        "pair.html",
        halves=halves,
        look=first.look,
        row=first.row,
        figure=_figure(site_of(request), halves, places),
        part=part,
        places=places,
        found=under(first.look.query | number, longest),
        task=next((t for t in now.design.tasks if t.task_id == first.row.cell.task_id), None),
        **(unknown | values),
    )


def _half(request: Request, site: Site, now: Snapshot, row: RunRow, mark: str) -> Half:
    look = look_at(request, site, now, row)
    trajectory = look.said.trajectory if look.said else None
    lines = Lines(look.run.events, trajectory, site.texts).all()
    return Half(
        mark=mark,
        side=row.cell.arm.value if row.endpoint else "",
        row=row,
        look=look,
        lines=tuple(e for e in lines if e.css in DONE),
        final=final_of(site, look),
    )


def _figure(site: Site, halves: Sequence[Half], places: range) -> Markup:
    marks = {h.row.cell.run_id: h.mark for h in halves}
    lanes = [
        Lane(
            arm=h.side,
            endpoint=_told(site, h),
            trajectory=h.look.said.trajectory if h.look.said else None,
            absent=_absent(site.texts, h.row.state),
        )
        for h in halves
    ]
    return pair_figure(
        lanes,
        site.texts,
        name="pair",
        text_of=site.text_of,
        href=lambda run, step: f"#{marks[run.run_id]}{step.seq}",
        places=places,
    )


def _absent(texts: Texts, state: str) -> str:
    """Why a run has no steps to draw."""
    if state == "done":
        return texts("view.done_unread")
    return texts("view.absent", state=texts.word("progress", state))


def _told(site: Site, half: Half) -> str:
    """What a run was told in short; beside the panel also what the run is for."""
    told = half.row.endpoint or site.texts("view.nothing_told")
    run_set = half.row.cell.run_set
    if run_set is RunSet.PANEL:
        return told
    return f"{told} · {site.texts.word('run_set', run_set.value)}"


def _measured(folder: StudyFolder, pair_id: str, halves: Sequence[Half]) -> tuple[Row | None, str]:
    """The row of the table `pairs`, where these two runs are the pair that was measured; and why
    the table cannot be read, if so."""
    evaluator = halves[0].look.evaluator
    try:
        table = measured(folder.store, "pairs", _COLUMNS)
    except DamageError as error:
        return None, str(error)
    if table is None or evaluator is None:
        return None, ""
    mine = {h.row.cell.run_id for h in halves}
    found = rows(only(table, pair_id=pair_id, evaluator=evaluator.name))
    return next((r for r in found if {r["run_id_p"], r["run_id_q"]} == mine), None), ""


_COLUMNS = (
    "pair_id", "evaluator", "run_id_p", "run_id_q", "a_status", "d_a", "a_reason_p", "a_reason_q",
    "f_status", "d_f", "f_reason_p", "f_reason_q",
)  # fmt: skip
