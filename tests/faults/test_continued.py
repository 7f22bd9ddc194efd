"""An episode that was left again and again tells the same story as one that never was."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from draligned.harnesses.sandbox.find import available

from .checks import attempts
from .company import check_company, specs
from .stage import KEY, KEY_NAME, Cell, Company, cell, played, provider
from .weather import let_disks_fill
from .wires import WIRES

SEED = 20261106
Story = dict[str, list[Any]]


def story(company: Company, cells: Sequence[Cell]) -> Story:
    """All events without clocks, and the end, by run and attempt."""
    return {
        f"{c.number} {c.spec.name} {c.wire.name} {a.number}": [
            *a.episode.bodies,
            a.seal and a.seal["end"],
        ]
        for c in cells
        for a in attempts(company.store.root, c.run_id)
    }


async def told(root: Path, cells: Sequence[Cell], *, full: float, concurrency: int) -> Story:
    """The story of all episodes, against a provider whose answers stay the same."""
    with provider(SEED, root / "notes.jsonl", calm=True) as url:
        company = await played(
            root / "study",
            url,
            cells,
            seed=SEED,
            full=full,
            concurrency=concurrency,
            calm=True,
            rounds=60,
        )
    found = check_company(company, cells, root / "notes.jsonl")
    assert (found.left_open["OSError"] > 0) == (full > 0)
    return story(company, cells)


async def compare(number: int, root: Path, patch: pytest.MonkeyPatch) -> None:
    """The same episodes, once in one go and once with a disk that is full again and again."""
    patch.setenv(KEY_NAME, KEY)
    let_disks_fill(patch)
    patch.setattr(logging.getLogger("draligned.harnesses"), "disabled", True)
    cells = [cell(n, SEED, specs(sandbox=bool(available())), WIRES) for n in range(number)]
    for name in ("whole", "torn"):
        (root / name).mkdir()
    whole = await told(root / "whole", cells, full=0.0, concurrency=64)
    torn = await told(root / "torn", cells, full=0.06, concurrency=5)
    assert list(torn) == list(whole)
    for name, events in whole.items():
        other = torn[name]
        at = next((n for n, (a, b) in enumerate(zip(events, other, strict=False)) if a != b), -1)
        assert other == events, f"{name}, event {at}: {events[at]} {other[at]}"


@pytest.mark.parametrize("number", [56, pytest.param(168, marks=pytest.mark.slow)])
async def test_interruptions_change_nothing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await compare(number, tmp_path, monkeypatch)
