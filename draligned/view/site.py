"""What the pages of one viewer share: the study's folder, the language, the frame of a page."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse

from draligned.report import numbers
from draligned.report.page import environment as report_environment
from draligned.report.sheets import codes
from draligned.report.shown import reveal
from draligned.report.texts import Texts, load_texts
from draligned.schema.design import Lang
from draligned.schema.errors import DamageError, UserError
from draligned.study.config import read_config
from draligned.study.folder import StudyFolder
from draligned.view.index import StudyIndex
from draligned.view.labels import LabelIndex
from draligned.view.readindex import ReadIndex

CATALOGUES = ("view", "review")
"""Catalogues of the viewer's own sentences, `<name>_<lang>.toml`; one that is not there is left
out."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """One entry of the navigation: a path, and the key of its name."""

    path: str
    key: str


@dataclass(frozen=True, kw_only=True)
class Site:
    """One viewer. `name`: the study's, as its folder is called."""

    folder: StudyFolder
    """Read only: routes that write open a folder of their own at `folder.root`."""
    texts: Texts
    nav: Sequence[Link]
    index: StudyIndex
    labels: LabelIndex
    reads: ReadIndex

    @property
    def name(self) -> str:
        """What the study is called on its pages."""
        return self.folder.root.resolve().name

    @property
    def trouble(self) -> str:
        """Why the study's settings cannot be read; blank where they can. Pages go by the default
        settings meanwhile."""
        try:
            read_config(self.folder.store)
        except UserError as error:
            return str(error)
        return ""

    def text_of(self, sha256: str) -> str:
        """A stored text, or a line that says that it cannot be read."""
        try:
            return self.folder.blobs.get(sha256)
        except DamageError as error:
            return f"{self.texts('view.text_damaged')} {error}"

    @property
    def lang(self) -> Lang:
        """The language of the pages."""
        return self.texts.lang


def site_of(request: Request) -> Site:
    """The viewer that a request came to."""
    found = request.app.state.site
    assert isinstance(found, Site)
    return found


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from a template that extends `base.html`.

    Templates see `t` (sentences), `n` (how numbers are written), `site`, `path` and `values`.
    Whatever the data holds, no control or bidi character reaches the browser unseen.
    """
    site = site_of(request)
    made = (
        environment()
        .get_template(template)
        .render(t=site.texts, n=numbers, site=site, path=request.scope["path"], **values)
    )
    return HTMLResponse(reveal(made), status)


@cache
def environment() -> Environment:
    """The viewer's templates, beside them the report's under `report/`; escaping is on."""
    own = PackageLoader("draligned.view", "templates")
    report = PrefixLoader({"report": PackageLoader("draligned.report", "templates")})
    return report_environment().overlay(loader=ChoiceLoader([own, report]))


@cache
def view_texts(lang: Lang) -> Texts:
    """The viewer's sentences, beside them the report's."""
    entries = dict(load_texts(lang).entries)
    entries |= {f"kind.{k}": words[lang == "en"] for k, words in codes()["kind"].items()}
    for name in CATALOGUES:
        source = resources.files("draligned.view").joinpath(f"{name}_{lang}.toml")
        if source.is_file():
            entries |= _flat(tomllib.loads(source.read_text(encoding="utf-8")))
    return Texts(lang=lang, entries=entries)


def _flat(raw: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {f"{group}.{key}": text for group, part in raw.items() for key, text in part.items()}
