import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from draligned.schema.errors import DamageError
from draligned.store.local import LocalStore


def test_first_writer_wins_and_nothing_is_left_aside(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    assert store.put_if_absent("a/b.json", b"one")
    assert not store.put_if_absent("a/b.json", b"two")
    assert store.get("a/b.json") == b"one"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.json"]


RACE = """
import sys
from pathlib import Path
from draligned.store.local import LocalStore
store = LocalStore(Path(sys.argv[1]))
print(sum(store.put_if_absent(f"cell/{i}", sys.argv[2].encode()) for i in range(200)))
"""


def test_of_several_processes_exactly_one_writes_each_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACE, str(tmp_path)]
    racers = [
        subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True) for n in range(3)
    ]
    wins = [int(racer.communicate(timeout=60)[0]) for racer in racers]
    assert sum(wins) == 200
    assert len(LocalStore(tmp_path).list("cell")) == 200


NO_LINKS = f"""
import os
def refuse(*_: object) -> None:
    raise OSError({errno.EPERM}, "Operation not permitted")
os.link = refuse
import time
swap = os.replace
def slowly(source: str, target: object) -> None:
    time.sleep(0.002)
    swap(source, target)
os.replace = slowly
"""


def test_without_hard_links_still_exactly_one_writes_each_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c", NO_LINKS + RACE, str(tmp_path)]
    racers = [
        subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True) for n in range(3)
    ]
    wins = [int(racer.communicate(timeout=60)[0]) for racer in racers]
    assert sum(wins) == 200
    assert len(LocalStore(tmp_path).list("cell")) == 200


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP])
def test_without_hard_links_the_first_writer_wins_and_nothing_is_left_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    store = LocalStore(tmp_path)
    assert store.put_if_absent("a/b.json", b"one")
    assert not store.put_if_absent("a/b.json", b"two")
    assert store.get("a/b.json") == b"one"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b.json"]


def test_other_errors_of_linking_are_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "broken disk")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(OSError, match="broken disk"):
        LocalStore(tmp_path).put_if_absent("a/b", b"one")
    assert list((tmp_path / "a").iterdir()) == []


def test_a_folder_discarded_in_mid_write_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, link = LocalStore(tmp_path), os.link

    def discard_first(source: str, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        store.discard("claims/x")
        link(source, target)

    monkeypatch.setattr(os, "link", discard_first)
    assert store.put_if_absent("claims/x/1.json", b"one")
    assert store.list("claims") == ("claims/x/1.json",)


@pytest.mark.parametrize("write", ["put_if_absent", "replace", "append"])
def test_a_folder_that_another_makes_meanwhile_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: str
) -> None:
    really = os.open

    def made_by_another(name: str, flags: int, mode: int = 0o777) -> int:
        monkeypatch.setattr(os, "open", really)
        (tmp_path / "a" / "b").mkdir(parents=True)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", name)

    monkeypatch.setattr(os, "open", made_by_another)
    store = LocalStore(tmp_path)
    getattr(store, write)("a/b/c", b"x")
    assert store.get("a/b/c") == b"x"


FULL = """
import resource, sys
from pathlib import Path
from draligned.store.local import LocalStore
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
store = LocalStore(Path(sys.argv[1]))
store.append("a/log", b"whole\\n")
for write in (store.put_if_absent, store.replace, store.append):
    try:
        write("a/log" if write == store.append else "a/b", b"x" * 2000)
    except OSError as error:
        print(error.errno)
store.append("a/log", b"next\\n")
"""


def test_what_does_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(errno.EFBIG)] * 3
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["log"]
    assert LocalStore(tmp_path).get("a/log") == b"whole\nnext\n"


@pytest.mark.parametrize(
    "key", ["", "/etc/x", "../x", "a/../b", "a//b", "a\\b", "C:/x", "a/.hid", "标题"]
)
def test_a_key_that_is_no_plain_name_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(DamageError, match="storage key"):
        LocalStore(tmp_path).append(key, b"x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_who_may_read_files_is_for_the_umask_to_say(tmp_path: Path, umask: int, mode: int) -> None:
    store = LocalStore(tmp_path)
    before = os.umask(umask)
    try:
        store.put_if_absent("put", b"x")
        store.replace("replaced", b"x")
        store.append("appended", b"x")
    finally:
        os.umask(before)
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {mode}


def test_what_a_link_leads_to_stays_as_it_is(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs, no line end")
    store = LocalStore(tmp_path / "study")
    store.append("log", b"x")
    (tmp_path / "study" / "log").unlink()
    (tmp_path / "study" / "log").symlink_to(outside)
    with pytest.raises(DamageError, match="is a link"):
        store.append("log", b"more")
    with pytest.raises(DamageError, match="is a link"):
        store.cut("log", 3)
    assert not store.put_if_absent("log", b"other")
    store.replace("log", b"mine")
    assert outside.read_bytes() == b"theirs, no line end"
    assert store.get("log") == b"mine"


def test_append_cut_and_list(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.append("log/x.jsonl", b"one\n")
    store.append("log/x.jsonl", b"tw")
    aside = store.cut("log/x.jsonl", 4)
    assert store.get("log/x.jsonl") == b"one\n"
    assert (aside, store.get(aside)) == ("log/x.jsonl.torn-1", b"tw")
    assert store.list("log") == ("log/x.jsonl", aside)
    assert store.list("absent") == ()
    assert store.folders("absent") == ()
    assert store.cut("log/x.jsonl", 2) != aside
    assert store.get(aside) == b"tw"
