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
from draligned.study.folder import StudyFolder
from draligned.study.freeze import load_design
from draligned.view import overview
from draligned.view.guard import Guard
from draligned.view.site import Link, Site, page, site_of, view_texts

NAV = (Link(path="/", key="view.overview"),)


def make_app(
    root: Path,
    *,
    token: str | None = None,
    lang: Lang | None = None,
    extra: Sequence[BaseRoute] = (),
    nav: Sequence[Link] = (),
    writes: Sequence[str] = (),
) -> Guard:
    """The app over the study at `root`; `app.token` opens it.

    `lang`: of the pages; the design's by default. `extra`: further routes, looked at before the
    viewer's own; `nav`: their places in the navigation; `writes`: paths under which they take
    forms (POST), from pages of this app alone. Pages are made with `site.page`. Raises
    `DesignError` where there is no design yet.
    """
    folder = StudyFolder.at(root)
    texts = view_texts(lang or load_design(folder.store).lang)
    app = Starlette(
        routes=[*extra, *_ROUTES],
        exception_handlers={HTTPException: _failed, DralignedError: _broken},
    )
    app.state.site = Site(folder=folder, texts=texts, nav=(*NAV, *nav))
    return Guard(app, token=token or secrets.token_urlsafe(24), say=texts, writes=writes)


def _static(request: Request) -> Response:
    """The style sheets, the script and the icon: of a closed list."""
    name = request.path_params["name"]
    if name == "icon.svg":
        return Response(_ICON, media_type="image/svg+xml")
    if name not in _STATIC:
        raise HTTPException(404)
    room, folder = _STATIC[name]
    data = resources.files(room).joinpath(folder, name).read_bytes()
    return Response(data, media_type=_KINDS[name.rsplit(".", 1)[1]])


_STATIC = {
    "report.css": ("draligned.report", "templates"),
    "view.css": ("draligned.view", ""),
    "view.js": ("draligned.view", ""),
}
_KINDS = {"css": "text/css", "js": "text/javascript"}
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke-width="2.4">'
    '<path stroke="#1f5fa8" d="M2 4h12"/><path stroke="#a84a0b" d="M2 4c6 0 6 8 12 8"/></svg>'
)
_ROUTES = (
    Route("/", overview.show),
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
