"""Namespaces without bubblewrap: make them, build the root, and become the worker in it.

Runs outside, as a program of its own. The waiting parent stays in the old namespaces; its child
is the first process of the new ones.
"""

import ctypes
import json
import os
import signal
import sys

from draligned.harnesses.sandbox.inside import landlock
from draligned.harnesses.sandbox.inside.libc import checked, libc, prctl, syscall

NEW_USER = 0x10000000
NEW_REST = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
"""Mount, cgroup, uts, ipc, pid and network namespaces."""
PRIVATE, NOSUID, NODEV, READ_ONLY, REMOUNT, BIND = 0x44000, 2, 4, 1, 32, 4096
DETACH = 2
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR, PIVOT = 428, 429, 442, {"x86_64": 155, "aarch64": 41}
CLONE_TREE, RECURSIVE, EMPTY_PATH, HERE = 1, 0x8000, 0x1000, -100
CLOSE_ON_EXEC = 0o2000000
ATTRIBUTES_READ_ONLY = 1 | 2
"""Read-only and without set-user-id programs."""
ATTRIBUTES_NO_DEVICES = 4
DEVICES = ("null", "zero", "urandom")
STAGE = "/tmp"
INSIDE_USER = 1000
PR_SET_PDEATHSIG = 1


class Plan:
    """What to build: `binds` and `links` are pairs of what is outside and the place inside."""

    def __init__(
        self,
        root: bool,
        binds: list[tuple[str, str]],
        links: list[tuple[str, str]],
        folder: str,
        disk_bytes: int,
        inodes: int,
        argv: list[str],
        env: dict[str, str],
    ) -> None:
        self.root = root
        self.binds = binds
        self.links = links
        self.folder = folder
        self.disk = f"size={disk_bytes},nr_inodes={inodes},mode=0777"
        self.argv = argv
        self.env = env


def main(settings_text: str) -> None:
    """Enter new namespaces as a `Plan` in JSON says and become the worker."""
    plan = Plan(**json.loads(settings_text))
    checked(0 if landlock.abi() else -1, "Landlock is not switched on in this kernel")
    checked(prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "parent death signal")
    user, group = os.getuid(), os.getgid()
    _unshare(NEW_REST if plan.root else NEW_REST | NEW_USER)
    if not plan.root:
        _map_ids(user, group)
    child = os.fork()
    if child == 0:
        _first_process(plan)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status) != 0)


def _unshare(flags: int) -> None:
    checked(libc().unshare(ctypes.c_int(flags)), "unshare")


def _map_ids(user: int, group: int) -> None:
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{INSIDE_USER} {user} 1"),
        ("gid_map", f"{INSIDE_USER} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _first_process(plan: Plan) -> None:
    checked(prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "parent death signal")
    checked(libc().sethostname(b"sandbox", 7), "sethostname")
    _build_root(plan)
    os.chdir(plan.folder)
    os.execve(plan.argv[0], plan.argv, plan.env)


def _build_root(plan: Plan) -> None:
    """A new root in memory with the given trees, then the old one is let go."""
    mount(None, "/", None, PRIVATE)
    trees = [(_clone(source), target) for source, target in plan.binds]
    devices = [(_clone(f"/dev/{name}"), f"/dev/{name}") for name in DEVICES]
    mount("tmpfs", STAGE, "tmpfs", NOSUID | NODEV, "size=1m,nr_inodes=256,mode=0755")
    os.chdir(STAGE)
    os.umask(0o022)
    for tree, target in trees:
        os.makedirs(f".{target}", exist_ok=True)
        _place(tree, f".{target}", ATTRIBUTES_READ_ONLY | ATTRIBUTES_NO_DEVICES)
    os.makedirs("./dev")
    for device, target in devices:
        os.close(os.open(f".{target}", os.O_CREAT | os.O_WRONLY))
        _place(device, f".{target}", ATTRIBUTES_READ_ONLY)
    for text, link in plan.links:
        os.symlink(text, f".{link}")
    os.makedirs(f".{plan.folder}")
    mount("tmpfs", f".{plan.folder}", "tmpfs", NOSUID | NODEV, plan.disk)
    checked(syscall(PIVOT[os.uname().machine], b".", b"."), "pivot_root")
    checked(libc().umount2(b".", DETACH), "umount")
    os.chdir("/")
    mount(None, "/", None, REMOUNT | BIND | READ_ONLY | NOSUID | NODEV)


def mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    """`mount(2)`; raises `OSError`."""
    texts = [None if t is None else t.encode() for t in (source, target, kind, data)]
    done = libc().mount(*texts[:3], ctypes.c_ulong(flags), texts[3])
    checked(done, f"mount {kind or 'change'} on {target}")


def _clone(path: str) -> int:
    flags = CLONE_TREE | RECURSIVE | CLOSE_ON_EXEC
    return checked(syscall(OPEN_TREE, HERE, os.fsencode(path), flags), f"open_tree {path}")


def _place(tree: int, target: str, attributes: int) -> None:
    set_clear = b"".join(n.to_bytes(8, sys.byteorder) for n in (attributes, 0, 0, 0))
    flags = EMPTY_PATH | RECURSIVE
    checked(syscall(MOUNT_SETATTR, tree, b"", flags, set_clear, len(set_clear)), "mount_setattr")
    checked(syscall(MOVE_MOUNT, tree, b"", HERE, os.fsencode(target), 4), f"mount on {target}")
    os.close(tree)
