"""The help of every command is the page docs/cli.md, so that a change of commands is seen."""

import subprocess
import sys
from functools import cache

import pytest

import draligned
from tests.cli.console import Said, call
from tests.tools import tool

CLI_DOC = tool("cli_doc")
COMMANDS: list[tuple[str, ...]] = CLI_DOC.commands()


@cache
def help_of(path: tuple[str, ...]) -> Said:
    return call(*path, "--help")


def test_the_page_is_as_the_commands_are() -> None:
    """`python tools/cli_doc.py` writes it anew; then read the difference."""
    assert CLI_DOC.OUT.read_text(encoding="utf-8") == CLI_DOC.page()


def test_the_page_shows_what_the_console_prints() -> None:
    for path in COMMANDS:
        assert help_of(path).out.rstrip() == CLI_DOC.help_of(path), path


@pytest.mark.parametrize("path", [p for p in COMMANDS if p], ids=" ".join)
def test_every_help_has_an_example_that_names_its_command(path: tuple[str, ...]) -> None:
    said = help_of(path)
    assert said.code == 0
    assert f"Example: draligned {' '.join(path)}" in said.out


def test_no_line_of_the_command_lists_is_cut() -> None:
    for path in COMMANDS:
        shown = help_of(path).out
        assert "..." not in shown.replace("[ARGS]...", "").replace("}...", ""), path


def test_the_version_is_the_packages() -> None:
    assert call("--version").out == f"draligned {draligned.__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    assert call().code == call("design").code == 2
    assert "Commands:" in call().err + call().out


def test_the_package_runs_as_the_command_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "draligned", "--version"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"draligned {draligned.__version__}\n"
