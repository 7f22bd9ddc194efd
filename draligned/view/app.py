"""The viewer as an app: pages of one study, read only, for one browser on this machine."""

import secrets
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from draligned.schema.design import Lang
from draligned.schema.errors import DralignedError
from draligned.study.freeze import load_design
from draligned.view import blobs, overview, packet, pair, reads, run, runs, tables
from draligned.view.guard import Guard
from draligned.view.index import StudyIndex
from draligned.view.labels import LabelIndex
from draligned.view.readindex import ReadIndex
from draligned.view.readonly import looked_at
from draligned.view.site import Link, Site, page, site_of, view_texts

NAV = (
    Link(path="/", key="view.overview"),
    Link(path="/runs", key="view.runs"),
    Link(path="/reads", key="view.reads"),
    Link(path="/tables", key="view.tables"),
)


def make_app(
    root: Path,
    *,
    token: str | None = None,
    lang: Lang | None = None,
    extra: Sequence[BaseRoute] = (),
    nav: Sequence[Link] = (),
    writes: Sequence[str] = (),
    own: bool = True,
) -> Guard:
    """The app over the study at `root`; `app.token` opens it.

    `lang`: of the pages; the design's by default. `extra`: further routes, looked at before the
    viewer's own; `nav`: their places in the navigation; `writes`: paths under which they take
    forms (POST), from pages of this app alone. Pages are made with `site.page`. Not `own`: without
    the viewer's own pages and their places, for who must not see them. Raises `DesignError` where
    there is no design yet.
    """
    folder = looked_at(root)
    texts = view_texts(lang or load_design(folder.store).lang)
    app = Starlette(
        routes=[*extra, *(_ROUTES if own else ()), *_FILES],
        exception_handlers={HTTPException: _failed, DralignedError: _broken},
    )
    app.state.site = Site(
        folder=folder,
        texts=texts,
        nav=(*(NAV if own else ()), *nav),
        index=StudyIndex(folder),
        labels=LabelIndex(folder),
        reads=ReadIndex(folder),
    )
    return Guard(app, token=token or secrets.token_urlsafe(24), say=texts, writes=writes)


def _static(request: Request) -> Response:
    """The style sheets: of a closed list."""
    name = request.path_params["name"]
    if name not in _STATIC:
        raise HTTPException(404)
    return Response(sheet(name), media_type="text/css")


def sheet(name: str) -> bytes:
    """A style sheet of the pages, by its file's name."""
    room, folder = _STATIC[name]
    return resources.files(room).joinpath(folder, name).read_bytes()


def _icon(_: Request) -> Response:
    """The icon, also for pages of plain text, of which browsers ask it by its old name."""
    return Response(_ICON, media_type="image/svg+xml")


_STATIC = {
    "report.css": ("draligned.report", "templates"),
    "trajectory.css": ("draligned.report", "templates"),
    "view.css": ("draligned.view", ""),
    "review.css": ("draligned.view", ""),
}
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke-width="2.4">'
    '<path stroke="#1f5fa8" d="M2 4h12"/><path stroke="#a84a0b" d="M2 4c6 0 6 8 12 8"/></svg>'
)
_ROUTES = (
    Route("/", overview.show),
    Route("/runs", runs.show),
    Route("/runs/{run_id}", run.show),
    Route("/runs/{run_id}/log", run.log),
    Route("/runs/{run_id}/documents/{seq:int}", run.document),
    Route("/runs/{run_id}/beside/{other_id}", pair.beside),
    Route("/pairs/{pair_id}", pair.show),
    Route("/reads", reads.show),
    Route("/reads/{packet_id}", packet.show),
    Route("/tables", tables.index),
    Route("/tables/{name}", tables.show),
    Route("/blobs/{sha256}", blobs.show),
    Route("/blobs/{sha256}/raw", blobs.raw),
)
_FILES = (
    Route("/static/icon.svg", _icon),
    Route("/favicon.ico", _icon),
    Route("/static/{name}", _static),
)


def _failed(request: Request, error: Exception) -> Response:
    """A page for what is not there."""
    assert isinstance(error, HTTPException)
    say = site_of(request).texts
    said = say("view.not_found") if error.status_code == 404 else error.detail
    return page(request, "failed.html", error.status_code, said=said, detail="")


def _broken(request: Request, error: Exception) -> Response:
    """A page for a file of the study that does not say what it should."""
    say = site_of(request).texts
    return page(request, "failed.html", 500, said=say("view.damaged"), detail=str(error))
