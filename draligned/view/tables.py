"""The study's tables, as `measure` last made them."""

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from draligned.report.rows import rows
from draligned.report.shown import shown
from draligned.schema.design import Lang
from draligned.schema.errors import DamageError
from draligned.schema.tabular import TableMeta
from draligned.store.protocol import Store
from draligned.study.tables import read_meta, read_table, table_names
from draligned.view import filters
from draligned.view.meanings import Meanings
from draligned.view.measured import of_file
from draligned.view.site import page, site_of

PAGE = 200
CELL_CHARS = 160


def index(request: Request) -> Response:
    """GET /tables."""
    site = site_of(request)
    found = [_entry(site.folder.store, n) for n in table_names(site.folder.store)]
    return page(request, "tables.html", found=found, means=Meanings(site.lang))


def _entry(store: Store, name: str) -> tuple[str, TableMeta | None, int | None, str]:
    """A table, what it says of itself, its rows; and why it cannot be read, if so."""
    try:
        return (name, *of_file(read_meta, store, name), "")
    except DamageError as error:
        return name, None, None, str(error)


def show(request: Request) -> Response:
    """GET /tables/{name}."""
    site = site_of(request)
    store = site.folder.store
    name = request.path_params["name"]
    if name not in table_names(store):
        raise HTTPException(404)
    table, (meta, _) = of_file(read_table, store, name), of_file(read_meta, store, name)
    part = filters.paged(request, range(len(table)), PAGE)
    kept = table.iloc[part.first - 1 : part.first - 1 + PAGE]
    return page(
        request,
        "table.html",
        name=name,
        meta=meta,
        columns=[str(c) for c in table.columns],
        described=_described(Meanings(site.lang), meta),
        means=Meanings(site.lang),
        links={k: _PAGES[c] for k, c in enumerate(table.columns) if c in _PAGES},
        lines=[[_cell(v) for v in row.values()] for row in rows(kept)],
        paged=part,
        total=len(table),
        found=filters.Filtered(items=(), total=len(table), choices=(), query={}),
    )


@dataclass(frozen=True, kw_only=True)
class Described:
    """A column: what it means and what its values are, each with its language."""

    meaning: tuple[str, Lang]
    unit: tuple[str, Lang]

    @property
    def title(self) -> str:
        """Both in one line."""
        return f"{self.meaning[0]} ({self.unit[0]})" if self.unit[0] else self.meaning[0]


def _described(means: Meanings, meta: TableMeta | None) -> dict[str, Described]:
    return {
        c.name: Described(meaning=means.column(meta.table, c), unit=means.unit(c.unit))
        for c in (meta.columns if meta else ())
        if meta is not None
    }


_PAGES = {
    "pair_id": "/pairs/",
    "run_id": "/runs/",
    "run_id_p": "/runs/",
    "run_id_q": "/runs/",
    "text_sha256": "/blobs/",
    "final_sha256": "/blobs/",
}
"""Columns of ids, and the pages that they lead to."""


def _cell(value: object) -> str | None:
    """A cell as text; none where it is null."""
    if value is None:
        return None
    return f"{value:.6g}" if isinstance(value, float) else shown(str(value), CELL_CHARS).text
