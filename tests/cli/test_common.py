"""Output of the commands: aligned columns, safe cells, progress now and then."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import draligned
from draligned.cli.common import Progress, say_spend, table
from draligned.study.spend import SpendRow
from tests.cli.conftest import Copy


def test_wide_characters_count_as_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    table([("杭州", 1), ("ab", None), ("x", 0.25)], ("name", "n"))
    assert capsys.readouterr().out == "name  n\n杭州  1\nab    –\nx     0.250\n"


def test_control_and_bidi_characters_are_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    table([("\x1b[31m\u202ea\n", 1)], ("name", "n"))
    shown = capsys.readouterr().out
    assert r"\x1b[31m\u202ea\n  1" in shown
    assert shown.count("\n") == 2


def test_long_cells_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    table([("x" * 500,)], ("name",))
    assert capsys.readouterr().out.splitlines()[1] == "x" * 79 + "…"


def test_progress_without_a_terminal_is_a_plain_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with Progress(every=5) as progress:
        for done in range(101):
            progress("reads", done, 100)
            now[0] += 0.25
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"reads: {n}/100" for n in (0, 20, 40, 60, 80, 100)]


def test_progress_says_the_last_count_of_stopped_work(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(every=1e9) as progress:
        for done in range(3):
            progress("reads", done, 100)
    assert capsys.readouterr().err.splitlines() == ["reads: 0/100", "reads: 2/100"]


class _Watched:
    """A study whose tries are told of."""

    def watch(self, told: Callable[[object], None]) -> None:
        self.told = told

    def tried(self, outcome: str = "ok", detail: str = "") -> None:
        self.told(SimpleNamespace(outcome=outcome, detail=detail))


def test_progress_that_stands_still_tells_of_calls_and_of_failures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, opened = [0.0], _Watched()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with Progress(every=5).of(opened) as progress:
        opened.tried()
        progress("episodes", 0, 2)
        for _ in range(3):
            now[0] += 4
            opened.tried()
        now[0] += 5
        progress("episodes", 1, 2)
        now[0] += 5
        opened.tried("cancelled")
        opened.tried("transport", "no \x1b[31manswer")
    assert capsys.readouterr().err.splitlines() == [
        "episodes: 0/2",
        "episodes: 0/2 (calls: 3)",
        "episodes: 1/2",
        r"episodes: 1/2 (calls: 5, 1 failed, the last: no \x1b[31manswer)",
    ]


def test_every_try_of_a_command_is_told_of(study: Copy) -> None:
    opened, seen = draligned.open(study("draft")), list[object]()
    opened.watch(seen.append)
    opened.run()
    assert len(seen) == sum(row.tries for row in opened.spend()) > 0


class _Spent:
    def __init__(self, unaccounted: int, estimated: int) -> None:
        self._row = SpendRow(
            model="m", purpose="agent", tries=9, failed=2, input_tokens=10, output_tokens=5,
            estimated=estimated, unaccounted=unaccounted, cost=None, working_seconds=1.0,
            waited_seconds=0.0, echoed=(),
        )  # fmt: skip

    def spend(self) -> list[SpendRow]:
        return [self._row]


def test_a_sum_that_lacks_calls_is_called_a_lower_bound(capsys: pytest.CaptureFixture[str]) -> None:
    say_spend(_Spent(2, 3))
    said = capsys.readouterr().out
    assert "lower bounds; tries that may have been billed without a record: 2." in said
    assert "providers said none: 3." in said
    say_spend(_Spent(0, 0))
    said = capsys.readouterr().out
    assert "lower bounds" not in said
    assert "estimates" not in said
