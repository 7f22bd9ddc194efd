"""A filter of system calls: no sockets, no new namespaces, no mounts, no hand on the worker.

Namespaces take the network and the host's files away already. The filter holds even where they
would leak, and closes ways around the limits: memory that no limit counts (memory files, shared
segments, a fresh tmpfs in a user namespace of one's own), and calls on the worker, which runs
under the same user id as the code.
"""

import ctypes
import os
import struct

from draligned.harnesses.sandbox.inside.libc import checked, prctl

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, ENOSYS = 1, 38
PR_SET_SECCOMP, FILTER_MODE = 22, 2
ARCH_AT, NUMBER_AT, ARGUMENT_AT = 4, 0, 16
X32 = 0x40000000
NAMESPACES = 0x7E020080
"""Flags of `clone` that make namespaces: time, mount, cgroup, uts, ipc, user, pid, net."""

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column in the table below, and the kernel's number for the architecture."""
REFUSED = {
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "personality": (135, 92),
    "syslog": (103, 116),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
REFUSED_EVERYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "process_mrelease": 448,
}
"""Calls new enough to have one number on every architecture."""
CLONE, CLONE3, PRLIMIT = (56, 220), 435, (302, 261)


def supported(machine: str) -> bool:
    """Whether the filter knows the call numbers of this architecture."""
    return machine in MACHINES


def program(machine: str) -> bytes:
    """The filter for an architecture, as the kernel's instructions of 8 bytes."""
    column, arch = MACHINES[machine]
    steps = [_load(ARCH_AT), _jump_equal(arch, 1, 0), _return(KILL), _load(NUMBER_AT)]
    if machine == "x86_64":
        steps += [_step(0x35, X32, 0, 1), _return(KILL)]
    numbers = [row[column] for row in REFUSED.values()] + [*REFUSED_EVERYWHERE.values()]
    for number in numbers:
        steps += [_jump_equal(number, 0, 1), _return(REFUSE | EPERM)]
    # The C library falls back to `clone`, whose flags can be looked at, when there is no `clone3`.
    steps += [_jump_equal(CLONE3, 0, 1), _return(REFUSE | ENOSYS)]
    steps += _on_argument(CLONE[column], _step(0x45, NAMESPACES, 0, 1))
    steps += _on_argument(PRLIMIT[column], _jump_equal(0, 1, 0))
    return b"".join([*steps, _return(ALLOW)])


def apply() -> None:
    """Put this process and all that it starts under the filter, for good."""
    code = program(os.uname().machine)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    checked(prctl(PR_SET_SECCOMP, FILTER_MODE, header), "seccomp")


def _on_argument(number: int, test: bytes) -> list[bytes]:
    """Refuse the call where `test` on its first argument does not skip the refusal."""
    body = [_load(ARGUMENT_AT), test, _return(REFUSE | EPERM), _return(ALLOW)]
    return [_jump_equal(number, 0, len(body)), *body]


def _step(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _step(0x20, offset, 0, 0)


def _jump_equal(value: int, if_true: int, if_false: int) -> bytes:
    return _step(0x15, value, if_true, if_false)


def _return(value: int) -> bytes:
    return _step(0x06, value, 0, 0)
