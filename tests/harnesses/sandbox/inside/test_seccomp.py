"""The filter, run by a small machine of our own, and the call numbers against the system's."""

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.sandbox.inside import seccomp

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x50026, 0x80000000
HEADERS = (
    ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    ("aarch64", "/usr/include/asm-generic/unistd.h"),
)


def decide(machine: str, number: int, first: int = 0, arch: int | None = None) -> int:
    """What the filter does with a call: `first` is its first argument."""
    data = struct.pack("=IIQQ", number, arch or seccomp.MACHINES[machine][1], 0, first)
    steps = list(struct.iter_unpack("HBBI", seccomp.program(machine)))
    held, at = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            held = int.from_bytes(data[value : value + 4], "little")
            continue
        met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
        at += if_true if met else if_false


@pytest.mark.parametrize("machine", list(seccomp.MACHINES))
def test_every_listed_call_is_refused(machine: str) -> None:
    column = seccomp.MACHINES[machine][0]
    for name, row in seccomp.REFUSED.items():
        assert decide(machine, row[column]) == EPERM, name
    for name, number in seccomp.REFUSED_EVERYWHERE.items():
        assert decide(machine, number) == EPERM, name


@pytest.mark.parametrize("machine", list(seccomp.MACHINES))
def test_new_namespaces_and_the_limits_of_others_are_refused(machine: str) -> None:
    column = seccomp.MACHINES[machine][0]
    fork, thread = 17, 0x3D0F00
    assert decide(machine, seccomp.CLONE[column], fork) == ALLOW
    assert decide(machine, seccomp.CLONE[column], thread) == ALLOW
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide(machine, seccomp.CLONE[column], flag | fork) == EPERM
    assert decide(machine, seccomp.CLONE3) == ENOSYS
    assert decide(machine, seccomp.PRLIMIT[column], 0) == ALLOW
    assert decide(machine, seccomp.PRLIMIT[column], 1) == EPERM


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_another_architecture_is_killed(arch: int, number: int) -> None:
    if arch != seccomp.MACHINES["x86_64"][1] and arch:
        assert decide("x86_64", number, arch=arch) == KILL


def test_the_short_pointer_form_of_calls_is_killed() -> None:
    assert decide("x86_64", 0x40000000 | 41) == KILL


@pytest.mark.parametrize("machine", list(seccomp.MACHINES))
def test_ordinary_calls_are_allowed(machine: str) -> None:
    column = seccomp.MACHINES[machine][0]
    read, write, openat, execve = ((0, 63), (1, 64), (257, 56), (59, 221))
    for row in (read, write, openat, execve):
        assert decide(machine, row[column]) == ALLOW


@pytest.mark.parametrize(("machine", "header"), HEADERS)
def test_numbers_are_the_systems(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no {header} here to compare with")
    text = Path(header).read_text(encoding="utf-8")
    system = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    column = seccomp.MACHINES[machine][0]
    ours = {name: row[column] for name, row in seccomp.REFUSED.items()}
    ours |= {**seccomp.REFUSED_EVERYWHERE, "clone3": seccomp.CLONE3}
    ours |= {"clone": seccomp.CLONE[column], "prlimit64": seccomp.PRLIMIT[column]}
    known = {name: number for name, number in ours.items() if name in system}
    assert {name: int(system[name]) for name in known} == known
    assert len(known) >= len(ours) - 4
