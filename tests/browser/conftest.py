"""A real browser, apps served on loopback, and what is asked of every page.

All tests of this folder are plain functions: the browser's driver has an event loop of its own
while it runs, so it is closed with the folder's last test.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from draligned.view.guard import Guard
from draligned.view.serve import Viewer, listen

SCREENSHOTS = Path(__file__).parents[2] / "docs" / "screenshots"
ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SERIOUS = ("serious", "critical")


def _chromium() -> str:
    found = os.environ.get("DRALIGNED_CHROMIUM") or shutil.which("chromium")
    if found:
        return found
    if os.environ.get("DRALIGNED_REQUIRE_BROWSER"):
        pytest.fail("a browser is required here, but there is no chromium")
    return pytest.skip("there is no chromium on this machine")


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium, driven by playwright."""
    executable = _chromium()
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=executable, args=list(ARGS))
        yield opened
        opened.close()


class Tab(NamedTuple):
    """A page of the browser; `errors` are its console errors and exceptions so far."""

    page: Any
    errors: list[str]


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Opens tabs, each with cookies of its own: `tab(width=390, color_scheme="dark", …)`; what is
    given goes to playwright's `new_context`. A test ends in an error if a page of it logged one.
    """
    with ExitStack() as closing:
        opened: list[Tab] = []

        def open_tab(width: int = 1280, height: int = 900, **options: Any) -> Tab:
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            closing.callback(context.close)
            made = Tab(context.new_page(), [])
            made.page.on("console", lambda m: _note(made, m))
            made.page.on("pageerror", lambda e: made.errors.append(str(e)))
            opened.append(made)
            return made

        yield open_tab
        assert not [e for t in opened for e in t.errors]


def _note(tab: Tab, message: Any) -> None:
    if message.type in ("error", "warning"):
        tab.errors.append(f"{message.text} ({message.location.get('url', '')})")


class Served(NamedTuple):
    """A running app: its root address, and the address with the token."""

    base: str
    entry: str


def follow(page: Any, link: Any) -> None:
    """Click what leads to another page, and wait until that page stands: a click alone does not."""
    with page.expect_navigation():
        link.click()


@contextmanager
def running(app: Guard) -> Iterator[Served]:
    """Serve an app on a free loopback port, in a thread of its own."""
    with Viewer(app, listen()) as viewer:
        yield Served(viewer.address.split("/?")[0], viewer.address)


@pytest.fixture
def serve() -> Iterator[Callable[[Guard], Served]]:
    """Serves apps until the test ends."""
    with ExitStack() as closing:
        yield lambda app: closing.enter_context(running(app))


@pytest.fixture
def axe() -> Callable[[Any], None]:
    """Fails on serious accessibility violations of a page as it is now."""
    module = pytest.importorskip("axe_playwright_python.sync_playwright")

    def check(page: Any) -> None:
        found = module.Axe().run(page).response["violations"]
        serious = [_violation(v) for v in found if v["impact"] in SERIOUS]
        assert not serious, "\n".join(serious)

    return check


def _violation(found: dict[str, Any]) -> str:
    where = "; ".join(str(n["target"]) + " " + n["html"][:120] for n in found["nodes"][:4])
    return f"{found['impact']} {found['id']}: {found['help']}: {where}"


@pytest.fixture
def screenshot() -> Callable[..., None]:
    """Keeps a picture for the docs, `docs/screenshots/<name>.png`, when it is asked for by
    DRALIGNED_WRITE_SCREENSHOTS=1 (or into the folder that DRALIGNED_SCREENSHOTS names); else none.
    """

    def take(page: Any, name: str, *, full_page: bool = False) -> None:
        assert re.fullmatch(r"[a-z0-9-]+", name)
        elsewhere = os.environ.get("DRALIGNED_SCREENSHOTS")
        if elsewhere or os.environ.get("DRALIGNED_WRITE_SCREENSHOTS") == "1":
            folder = Path(elsewhere) if elsewhere else SCREENSHOTS
            page.screenshot(path=folder / f"{name}.png", full_page=full_page)

    return take
