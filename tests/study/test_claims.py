import asyncio
import errno
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from draligned.store.local import LocalStore
from draligned.study.claims import Claims, is_dead, this_owner


def test_a_claim_excludes_others_until_released(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    one, two = Claims(store, owner="far:1:0"), Claims(store, owner="far:2:0")
    assert one.take("cell")
    assert not two.take("cell")
    one.release("cell")
    assert two.take("cell")
    assert not one.renew("cell")


async def test_two_tasks_of_one_process_never_hold_the_same_cell(tmp_path: Path) -> None:
    claims, other = Claims(LocalStore(tmp_path)), Claims(LocalStore(tmp_path))
    async with claims.held("cell") as first:
        async with claims.held("cell") as second, other.held("cell") as third:
            assert (first, second, third) == (True, False, False)
        assert not claims.take("cell")
    assert other.take("cell")


def test_claims_of_finished_work_leave_no_file_and_hinder_nobody(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    one, two = Claims(store, owner="far:1:0"), Claims(store, owner="far:2:0")
    assert one.take("cell")
    one.release("cell")
    assert two.take("cell")
    one.forget("cell")
    assert store.list("claims") == ()
    two.release("cell")
    assert not two.renew("cell")
    assert one.take("cell")


def test_what_is_named_otherwise_is_no_claim(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    one, two = Claims(store, owner="far:1:0"), Claims(store, owner="far:2:0")
    store.append("claims/cell/copy.json", b"{}")
    store.append("claims/cell/9.json.bak", b"{}")
    assert one.take("cell")
    assert store.exists("claims/cell/1.json")
    assert not two.take("cell")


def test_the_highest_number_is_in_force_as_a_number(tmp_path: Path) -> None:
    one = Claims(LocalStore(tmp_path), owner="far:1:0")
    assert one.take("cell")
    for _ in range(10):
        assert one.renew("cell")
    one.release("cell")
    assert one.take("cell")
    assert LocalStore(tmp_path).exists("claims/cell/13.json")


def test_a_silent_owner_loses_its_claim_at_expiry_and_renewing_keeps_it(tmp_path: Path) -> None:
    time = [0.0]
    store = LocalStore(tmp_path)
    one = Claims(store, owner="far:1:0", seconds=10, clock=lambda: time[0])
    two = Claims(store, owner="far:2:0", seconds=10, clock=lambda: time[0])
    assert one.take("cell")
    time[0] = 9
    assert one.renew("cell")
    time[0] = 18
    assert not two.take("cell")
    time[0] = 20
    assert two.take("cell")
    assert not one.renew("cell")


def test_a_dead_process_of_this_host_holds_nothing(tmp_path: Path) -> None:
    code = "from draligned.study.claims import this_owner; print(this_owner())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    dead = done.stdout.strip()
    assert dead.split(":")[0] == socket.gethostname()
    assert is_dead(dead)
    assert not is_dead(this_owner())
    assert not is_dead("elsewhere:1:0")
    store = LocalStore(tmp_path)
    assert Claims(store, owner=dead).take("cell")
    assert Claims(store).take("cell")


def test_a_reused_process_number_is_not_its_ancestor() -> None:
    host, pid, _ = this_owner().rsplit(":", 2)
    assert is_dead(f"{host}:{pid}:1")


def test_a_killed_process_that_nobody_reaped_holds_nothing() -> None:
    code = "from draligned.study.claims import this_owner as o; print(o(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        owner = child.stdout.readline().strip()
        assert not is_dead(owner)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert is_dead(owner)


def test_a_lock_waits_for_the_one_who_holds_it(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    one, two = Claims(store, owner="far:1:0"), Claims(store, owner="far:2:0")
    order = []
    with one.locked("cell"):
        waiting = threading.Thread(target=lambda: _enter(two, order))
        waiting.start()
        order.append("one")
    waiting.join()
    assert order == ["one", "two"]


def _enter(claims: Claims, order: list[str]) -> None:
    with claims.locked("cell"):
        order.append("two")


async def test_a_full_disk_holds_no_cell_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims, other = Claims(LocalStore(tmp_path)), Claims(LocalStore(tmp_path))
    async with claims.held("cell") as mine:
        assert mine
        monkeypatch.setattr(LocalStore, "put_if_absent", _full)
    monkeypatch.undo()
    assert other.take("cell")


async def test_a_claim_that_could_not_be_renewed_once_is_renewed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed, again = Claims.renew, asyncio.Event()

    def renew(claims: Claims, cell: str) -> bool:
        monkeypatch.setattr(Claims, "renew", lambda *_: renewed(claims, cell) and again.set())
        return _full()

    monkeypatch.setattr(Claims, "renew", renew)
    async with Claims(LocalStore(tmp_path), seconds=0.06).held("cell"), asyncio.timeout(20):
        await again.wait()


def _full(*_: object) -> bool:
    raise OSError(errno.ENOSPC, "No space left on device")
