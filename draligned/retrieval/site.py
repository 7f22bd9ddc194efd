"""The embedded corpus as a web site: pages as HTML between navigation and footer."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from draligned.retrieval.corpus import Page

_WORDS = {
    "zh": ("相关阅读", "关于本站", "本站文字仅供离线演示使用。", "页面不存在"),
    "en": ("Read next", "About this site", "Texts of this site serve offline use.", "Not found"),
}


def host_of(lang: str) -> str:
    """Name of the site; `.invalid` is reserved, so it can never be on the internet."""
    return f"{lang}.corpus.draligned.invalid"


def url_of(page: Page) -> str:
    """Address of a page, percent-encoded as a browser would send it."""
    return f"https://{host_of(page.lang)}/{quote(page.task_id)}/{quote(page.slug)}"


def build_site(lang: str, pages: Sequence[Page]) -> Starlette:
    """An app that serves `pages` at `/<task>/<slug>` and 404 for anything else."""
    by_path = {(page.task_id, page.slug): page for page in pages}
    bodies: dict[str, str] = {}
    missing = _document(lang, _WORDS[lang][3], f"<h1>{_WORDS[lang][3]}</h1>", ())

    async def serve(request: Request) -> HTMLResponse:
        page = by_path.get((request.path_params["task"], request.path_params["slug"]))
        if page is None:
            return HTMLResponse(missing, status_code=404)
        if page.id not in bodies:
            siblings = [other for other in pages if other.task_id == page.task_id]
            bodies[page.id] = page_html(page, siblings)
        return HTMLResponse(bodies[page.id])

    async def not_found(_request: Request, _error: Exception) -> HTMLResponse:
        return HTMLResponse(missing, status_code=404)

    return Starlette(routes=[Route("/{task}/{slug}", serve)], exception_handlers={404: not_found})


def page_html(page: Page, siblings: Sequence[Page]) -> str:
    """A whole HTML document; `siblings` fill the navigation."""
    body = f"<h1>{escape(page.title)}</h1>\n" + "\n".join(_block_html(page.blocks()))
    return _document(page.lang, page.title, body, siblings)


def _document(lang: str, title: str, body: str, siblings: Iterable[Page]) -> str:
    more, about, note, _ = _WORDS[lang]
    links = "".join(f'<li><a href="{url_of(p)}">{escape(p.title)}</a></li>' for p in siblings)
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head>\n<body>\n"
        f'<header><nav class="menu"><ul>{links}</ul></nav></header>\n'
        f"<main><article>\n{body}\n</article></main>\n"
        f'<aside class="related"><h2>{more}</h2><ul>{links}</ul></aside>\n'
        f'<footer class="footer"><p>{about}</p><p>{note}</p></footer>\n</body>\n</html>\n'
    )


def _block_html(blocks: Iterable[str]) -> Iterator[str]:
    for block in blocks:
        for is_item, lines in groupby(block.splitlines(), lambda line: line.startswith("- ")):
            if is_item:
                yield "<ul>" + "".join(f"<li>{escape(line[2:])}</li>" for line in lines) + "</ul>"
            else:
                yield from map(_line_html, lines)


def _line_html(line: str) -> str:
    if line.startswith("## "):
        return f"<h2>{escape(line[3:])}</h2>"
    return f"<p>{escape(line)}</p>"
