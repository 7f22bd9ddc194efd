"""`draligned view` as a process of its own."""

import signal
import socket
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from draligned import api

from .console import CLI, call


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("view") / "study"
    api.open(root).construct(tasks=1)
    return root


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_to_a_pipe_until_it_is_told_to_end(drafted: Path, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [*CLI, "view", str(drafted), "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as viewer:  # fmt: skip
        assert viewer.stdout is not None
        assert viewer.stderr is not None
        address = viewer.stdout.readline().strip()
        assert urlopen(address).status == 200
        viewer.send_signal(ending)
        assert viewer.wait(30) == 0
        assert viewer.stdout.read() == ""
        said = viewer.stderr.read().splitlines()
    assert said[1:] == ["The viewer has ended."]
    assert len(said[0].splitlines()) == 1


def test_a_port_in_use_is_one_line(drafted: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = call("view", str(drafted), "--port", str(port), "--no-browser")
    assert said.code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert f"port {port} cannot be used (Address already in use)" in said.err
    assert "0 for a free one" in said.err


@pytest.mark.parametrize("where", ["empty", "other", "missing"])
def test_a_folder_that_is_no_study_is_one_line_and_stays_as_it_is(
    tmp_path: Path, where: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("x")
    said = call("view", str(tmp_path / where), "--no-browser")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "draligned construct" in said.err
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")) == [
        "empty",
        "other",
        "other/notes.txt",
    ]
