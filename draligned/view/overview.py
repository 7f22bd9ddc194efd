"""The first page: what the study is, and how far it has come."""

from starlette.requests import Request
from starlette.responses import Response

from draligned.view.site import page


def show(request: Request) -> Response:
    """GET /."""
    return page(request, "overview.html")
