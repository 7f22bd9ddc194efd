"""Texts by their hash, as text: what pages returned, what was saved, shown or replied."""

import re

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from draligned.report.shown import shown
from draligned.store.blobs import blob_key
from draligned.view.site import page, site_of

LIMIT = 200_000
_SHA = re.compile(r"[0-9a-f]{64}")


def _sha(request: Request) -> str:
    sha256 = str(request.path_params["sha256"])
    if not _SHA.fullmatch(sha256) or not site_of(request).folder.store.exists(blob_key(sha256)):
        raise HTTPException(404)
    return sha256


def show(request: Request) -> Response:
    """GET /blobs/{sha256}."""
    sha256 = _sha(request)
    text = site_of(request).folder.blobs.get(sha256)
    return page(request, "blob.html", sha256=sha256, text=shown(text, LIMIT))


def raw(request: Request) -> Response:
    """GET /blobs/{sha256}/raw: byte for byte, as plain text and nothing else."""
    return PlainTextResponse(site_of(request).folder.blobs.get_bytes(_sha(request)))
