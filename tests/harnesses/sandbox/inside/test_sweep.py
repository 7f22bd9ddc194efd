"""What code leaves becomes plain text files again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from draligned.harnesses.sandbox.inside.files import FOLDER, Files
from draligned.harnesses.sandbox.inside.sweep import sweep
from draligned.schema.refusals import RefusalReason

R = RefusalReason


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def files(work: Path) -> Iterator[Files]:
    root = os.open(work, FOLDER)
    yield Files(root, file_bytes=10, count=3)
    os.close(root)


def test_only_text_under_good_names_stays(work: Path, files: Files) -> None:
    (work / "good").mkdir()
    (work / "good" / "a.md").write_text("a")
    (work / "bad\n").mkdir()
    (work / "bad\n" / "b.md").write_text("b")
    (work / "large.md").write_text("x" * 11)
    (work / "bytes").write_bytes(b"\xff")
    (work / "empty" / "er").mkdir(parents=True)
    os.mkfifo(work / "pipe")
    (work / "link").symlink_to(work / "good")
    texts, thrown = sweep(files, {})
    assert texts == {"good/a.md": "a"}
    assert thrown == [
        ("bad\n", R.BAD_CHARACTER),
        ("bytes", R.NOT_TEXT),
        ("large.md", R.TOO_LARGE),
        ("link", R.SYMLINK),
        ("pipe", R.NOT_A_FILE),
    ]
    assert sorted(str(p.relative_to(work)) for p in work.rglob("*")) == ["good", "good/a.md"]


def test_files_that_were_there_stay_first(work: Path, files: Files) -> None:
    for name in "zabcd":
        (work / name).write_text(name)
    texts, thrown = sweep(files, {"z": "old"})
    assert texts == {"a": "a", "b": "b", "z": "z"}
    assert thrown == [("c", R.TOO_MANY_FILES), ("d", R.TOO_MANY_FILES)]
    assert sorted(os.listdir(work)) == ["a", "b", "z"]


def test_a_very_deep_folder_goes_without_recursion(work: Path, files: Files) -> None:
    below = os.open(work, FOLDER)
    for _ in range(1100):
        os.mkdir("d", dir_fd=below)
        for name in (":0", "x"):
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=below))
        inner = os.open("d", FOLDER, dir_fd=below)
        os.close(below)
        below = inner
    os.close(below)
    _, thrown = sweep(files, {})
    assert R.PATH_TOO_DEEP in {reason for _, reason in thrown}
    assert max(len(p.relative_to(work).parts) for p in work.rglob("*")) <= 16
    assert len(files.listing()) == 3
