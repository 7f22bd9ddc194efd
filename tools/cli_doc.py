"""Writes docs/cli.md: the help of every command, as the terminal shows it."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import typer.main

from draligned.cli.main import app

OUT = Path(__file__).parents[1] / "docs" / "cli.md"
INTRO = """# Commands · 命令

Written by `python tools/cli_doc.py` from the commands themselves, and held to them by a test.
What they are for, in the order of use: [guide.md](guide.md).

由 `python tools/cli_doc.py` 从命令本身生成，并由测试核对。
按使用次序的说明见 [guide.zh.md](guide.zh.md)。

Exit codes · 退出码: 0 done · 完成; 2 something for you to mend, in one line · 需要你处理，一行说明;
3 cells were left open, the same command goes on · 仍有未完成的单元，重复同一命令即可继续;
1 anything else, or not qualified · 其他情况，或考核未通过.
"""


def commands() -> list[tuple[str, ...]]:
    """The words of every command and group of commands, in the order of the help."""
    return list(_walk(typer.main.get_command(app), ()))


def _walk(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from _walk(child, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    """What `--help` prints in a terminal of 80 columns."""
    said, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with contextlib.redirect_stdout(said):
            app(args=[*path, "--help"], prog_name="draligned", standalone_mode=False)
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    return said.getvalue().rstrip()


def page() -> str:
    """The page as it should be."""
    first = [path[0] for path in commands() if len(path) == 1]
    links = ", ".join(f"[{name}](#draligned-{name})" for name in first)
    parts = (
        f"## {' '.join(('draligned', *path))}\n\n```text\n{help_of(path)}\n```\n"
        for path in commands()
    )
    return "\n".join([INTRO, links, "", *parts])


if __name__ == "__main__":
    OUT.write_text(page(), encoding="utf-8")
