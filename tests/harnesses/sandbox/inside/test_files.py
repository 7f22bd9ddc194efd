"""Files below one folder, with links and other things put in the way."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from draligned.harnesses.sandbox.inside.files import FOLDER, UNFINISHED, Files
from draligned.schema.errors import WorkspaceRefusal
from draligned.schema.refusals import RefusalReason

R = RefusalReason


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    """A workspace of at most three files of ten bytes."""
    (tmp_path / "work").mkdir()
    (tmp_path / "secret").write_text("secret")
    root = os.open(tmp_path / "work", FOLDER)
    yield Files(root, file_bytes=10, count=3)
    os.close(root)


def reason(do: object, *args: str) -> RefusalReason:
    with pytest.raises(WorkspaceRefusal) as caught:
        do(*args)  # type: ignore[operator]
    assert caught.value.path == args[0]
    return caught.value.reason


def test_links_are_refused_wherever_they_point(files: Files, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "out").symlink_to(tmp_path / "secret")
    (work / "in").symlink_to("a.md")
    (work / "up").symlink_to(tmp_path)
    (work / "loop").symlink_to("loop")
    for path in ("out", "in", "up", "up/secret", "up/new", "loop", "loop/x"):
        assert reason(files.read, path) is R.SYMLINK
        assert reason(files.write, path, "x") is R.SYMLINK
    assert files.listing() == []
    assert (tmp_path / "secret").read_text() == "secret"
    assert not (tmp_path / "new").exists()


def test_what_is_no_regular_file_is_refused(files: Files, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "work" / "pipe")
    (tmp_path / "work" / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "work" / "socket"))
    for path in ("pipe", "folder", "socket", "pipe/x"):
        assert reason(files.read, path) is R.NOT_A_FILE
        assert reason(files.write, path, "x") is R.NOT_A_FILE


def test_limits(files: Files, tmp_path: Path) -> None:
    files.write("a/b.md", "中中中")
    assert reason(files.write, "a/b.md", "中中中中") is R.TOO_LARGE
    assert files.read("a/b.md") == "中中中"
    files.write("c.md", "")
    files.write("B.md", "x")
    assert reason(files.write, "d/e.md", "x") is R.TOO_MANY_FILES
    assert not (tmp_path / "work" / "d").exists()
    files.write("c.md", "y")
    assert files.listing() == [("B.md", 1), ("a/b.md", 9), ("c.md", 1)]
    (tmp_path / "work" / "c.md").write_bytes(b"x" * 11)
    assert reason(files.read, "c.md") is R.TOO_LARGE


def test_a_write_that_fails_leaves_the_old_text(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write("a.md", "old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "rename", full)
    assert reason(files.write, "a.md", "new") is R.NO_SPACE
    assert reason(files.write, "b/c.md", "new") is R.NO_SPACE
    assert files.read("a.md") == "old"
    assert sorted(p.name for p in (tmp_path / "work").iterdir()) == ["a.md"]


def test_no_two_names_are_one_file(files: Files) -> None:
    names = ("é", "e\u0301", "É")
    for name in names:
        files.write(name, name)
    assert [files.read(name) for name in names] == list(names)
    assert len(files.listing()) == 3


def test_the_name_of_an_unfinished_file_is_no_name_for_an_agent(files: Files) -> None:
    assert reason(files.write, UNFINISHED, "x") is R.BAD_CHARACTER


def test_files_are_left_open_nowhere(files: Files) -> None:
    before = len(os.listdir("/proc/self/fd"))
    files.write("a/b/c.md", "x")
    files.edit("a/b/c.md", "x", "y")
    for path in ("a", "a/b/c.md/d", "none/x"):
        reason(files.read, path)
    files.listing()
    assert len(os.listdir("/proc/self/fd")) == before
