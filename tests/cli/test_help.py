"""The help of every command: golden, so that a change of the command line is seen."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from draligned.cli.main import app
from tests.cli.console import call

GOLDEN = Path(__file__).parent / "golden" / "help.txt"


def _commands() -> list[tuple[str, ...]]:
    import typer.main

    return list(_walk(typer.main.get_command(app), ()))


def _walk(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from _walk(child, (*path, name))


def test_the_help_of_all_commands_is_golden() -> None:
    """Set DRALIGNED_WRITE_GOLDEN=1 to write it anew, then read the difference."""
    shown = "\n".join(
        f"$ draligned {' '.join([*path, '--help'])}\n{call(*path, '--help').out}"
        for path in _commands()
    )
    if os.environ.get("DRALIGNED_WRITE_GOLDEN"):
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [p for p in _commands() if p], ids=" ".join)
def test_every_help_has_an_example_that_names_its_command(path: tuple[str, ...]) -> None:
    said = call(*path, "--help")
    assert said.code == 0
    assert f"Example: draligned {' '.join(path)}" in said.out


def test_no_line_of_the_command_lists_is_cut() -> None:
    for path in _commands():
        shown = call(*path, "--help").out
        assert "..." not in shown.replace("[ARGS]...", "").replace("}...", ""), path


def test_without_a_command_the_help_is_shown() -> None:
    assert call().code == call("design").code == 2
    assert "Commands:" in call().err + call().out
