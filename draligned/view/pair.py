"""The page of one pair: P and Q beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from draligned.report.rows import Row, only, rows
from draligned.report.trajectories import Lane, pair_figure
from draligned.schema.errors import DralignedError
from draligned.schema.labels import Side
from draligned.study.folder import StudyFolder
from draligned.study.tables import read_table
from draligned.view.documents import DocumentView
from draligned.view.events import Line, Lines
from draligned.view.filters import asked
from draligned.view.index import RunRow, of_pair
from draligned.view.run import ID, Look, final_of, look_at
from draligned.view.site import Site, page, site_of

DONE = ("request", "draft", "final")


@dataclass(frozen=True, kw_only=True)
class Half:
    """One run of the pair."""

    side: Side
    row: RunRow
    look: Look
    lines: tuple[Line, ...]
    """Its requests, drafts and final."""
    final: DocumentView | None


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
        _half(request, site, side, next(r for r in runs if r.cell.arm is side))
        for side in Side
        if any(r.cell.arm is side for r in runs)
    ]
    look = halves[0].look
    return page(
        request,
        "pair.html",
        pair_id=wanted,
        halves=halves,
        look=look,
        row=halves[0].row,
        figure=_figure(site, halves),
        replicates=replicates,
        number=number,
        task=next((t for t in now.design.tasks if t.task_id == halves[0].row.cell.task_id), None),
        measured=_measured(site.folder, wanted, halves),
    )


def _half(request: Request, site: Site, side: Side, row: RunRow) -> Half:
    look = look_at(request, site, site.index.now(), row)
    trajectory = look.said.trajectory if look.said else None
    lines = Lines(look.run.events, trajectory, site.texts).all()
    return Half(
        side=side,
        row=row,
        look=look,
        lines=tuple(e for e in lines if e.css in DONE),
        final=final_of(site, look),
    )


def _figure(site: Site, halves: Sequence[Half]) -> str:
    runs = {h.side: h.row.cell.run_id for h in halves}
    lanes = [
        Lane(
            arm=h.side.value,
            endpoint=h.row.endpoint,
            trajectory=h.look.said.trajectory if h.look.said else None,
            absent=site.texts("view.absent", state=site.texts.word("progress", h.row.state)),
        )
        for h in halves
    ]
    return pair_figure(
        lanes,
        site.texts,
        name="pair",
        text_of=site.folder.blobs.get,
        href=lambda run, step: f"#{_side(runs, run.run_id)}{step.seq}",
    )


def _side(runs: dict[Side, str], run_id: str) -> str:
    return next((side.value.lower() for side, mine in runs.items() if mine == run_id), "p")


def _measured(folder: StudyFolder, pair_id: str, halves: Sequence[Half]) -> Row | None:
    """The row of the table `pairs`, where these two runs are the pair that was measured."""
    evaluator = halves[0].look.evaluator
    try:
        found = rows(only(read_table(folder.store, "pairs"), pair_id=pair_id))
    except (DralignedError, OSError, ValueError):
        return None
    mine = {h.row.cell.run_id for h in halves}
    for row in found:
        own = evaluator is not None and row["evaluator"] == evaluator.name
        if own and {row["run_id_p"], row["run_id_q"]} == mine:
            return row
    return None
