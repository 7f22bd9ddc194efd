"""The viewer in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draligned import api
from draligned.view.app import make_app

from .conftest import Served, Tab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="package")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of which nothing was run yet."""
    root = tmp_path_factory.mktemp("drafted") / "drafted"
    api.open(root).construct()
    return root


def test_the_token_opens_the_pages_and_leaves_the_address(
    drafted: Path, tab: Callable[..., Tab], serve: Callable[..., Served], axe: Callable[[Any], None]
) -> None:
    served = serve(make_app(drafted))
    page = tab().page
    page.goto(served.entry)
    page.wait_for_url(f"{served.base}/")
    assert page.locator("h1").inner_text() == "drafted"
    axe(page)
