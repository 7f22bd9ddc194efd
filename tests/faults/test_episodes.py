"""Episodes through a provider, a disk and a source that fail at random; see `checks`."""

import logging
from pathlib import Path

import pytest

from draligned.harnesses.sandbox.find import available
from draligned.schema.endings import Outcome

from .company import OPEN, Found, check_company, specs
from .stage import KEY, KEY_NAME, cell, played, provider
from .weather import let_disks_fill
from .wires import WIRES

SEED = 20261104
NEVER = {Outcome.CANCELLED}
"""A cancelled episode is continued; nothing ends with this word."""


async def run(
    root: Path, number: int, patch: pytest.MonkeyPatch, *, sandbox: bool | None = None
) -> Found:
    """`number` episodes over all harnesses and wires, checked."""
    patch.setenv(KEY_NAME, KEY)
    let_disks_fill(patch)
    patch.setattr(logging.getLogger("draligned.harnesses"), "disabled", True)
    cells = [
        cell(n, SEED, specs(sandbox=bool(available()) if sandbox is None else sandbox), WIRES)
        for n in range(number)
    ]
    with provider(SEED, root / "notes.jsonl") as url:
        company = await played(root / "study", url, cells, seed=SEED, full=0.008, concurrency=64)
    return check_company(company, cells, root / "notes.jsonl")


async def test_a_hundred_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = await run(tmp_path, 100, monkeypatch)
    assert found.outcomes.total() == 100
    assert len(found.outcomes) >= 8
    assert found.outcomes[OPEN] <= 5


@pytest.mark.slow
async def test_a_thousand_episodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = await run(tmp_path, 1000, monkeypatch)
    (tmp_path / "table.txt").write_text(found.table(), encoding="utf-8")
    assert found.outcomes.total() == 1000
    assert set(found.outcomes) == {OPEN, *(o.value for o in Outcome)} - NEVER
