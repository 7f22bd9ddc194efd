"""Attempts by trajectory, never by outcome (DR-34, Q7)."""

from pathlib import Path

import pytest

from draligned.harnesses.attempts import next_attempt
from draligned.schema.endings import Outcome
from draligned.schema.errors import ProviderError, SpendLimit
from draligned.study.inventory import cell_state

from .doubles import RUN, Line, World, call, says, script

SEARCH, DONE, DOWN = (
    says(None, call("search", "q", "a")),
    says("完"),
    ProviderError("x", status=500),
)


async def run(tmp_path: Path, attempt: int, *lines: Line) -> Outcome | None:
    end = await World(tmp_path, attempt=attempt).run(script(*lines))
    return None if end is None else end.outcome


async def test_a_run_that_was_never_begun(tmp_path: Path) -> None:
    assert next_attempt(World(tmp_path).store, RUN) == 1


async def test_an_open_attempt_is_continued(tmp_path: Path) -> None:
    await run(tmp_path, 1, SpendLimit("enough"))
    assert next_attempt(World(tmp_path).store, RUN) == 1


async def test_before_any_output_three_attempts_are_allowed(tmp_path: Path) -> None:
    store = World(tmp_path).store
    for attempt in (1, 2, 3):
        assert next_attempt(store, RUN) == attempt
        assert await run(tmp_path, attempt, DOWN) is Outcome.PROVIDER_ERROR
    assert next_attempt(store, RUN) is None
    assert cell_state(store, RUN).state == "failed"


async def test_a_second_attempt_can_be_the_first_that_exists(tmp_path: Path) -> None:
    await run(tmp_path, 1, DOWN)
    await run(tmp_path, 2, SEARCH, DONE)
    store = World(tmp_path).store
    assert next_attempt(store, RUN) is None
    assert cell_state(store, RUN)[:2] == ("done", 2)


@pytest.mark.parametrize("lines", [(SEARCH, DOWN), (SEARCH, KeyError("x")), (DONE,)])
async def test_after_model_output_nothing_is_run_again(
    tmp_path: Path, lines: tuple[Line, ...]
) -> None:
    await run(tmp_path, 1, *lines)
    assert next_attempt(World(tmp_path).store, RUN) is None
