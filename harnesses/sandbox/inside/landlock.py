"""Landlock: a second wall around files, TCP and signals, where the kernel has it."""

import os
import struct

from draligned.harnesses.sandbox.inside.libc import checked, prctl, syscall

CREATE, ADD_RULE, RESTRICT = 444, 445, 446
PR_SET_NO_NEW_PRIVS = 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
BITS = (13, 13, 14, 15, 15, 16)
"""How many kinds of file access ABI 1, 2, … know; index 0 is no Landlock at all."""
TCP_FROM, SCOPES_FROM = 4, 6
"""ABI from which binding and connecting, then abstract sockets and signals, are handled."""
READ = EXECUTE | READ_FILE | READ_DIR


def abi() -> int:
    """The kernel's Landlock version; 0 where it has none or it is switched off."""
    return max(0, syscall(CREATE, None, 0, 1))


def apply(writable: tuple[str, ...]) -> None:
    """Let this process and all that it starts read what is there and change only `writable`."""
    version = abi()
    handled = (1 << BITS[min(version, len(BITS) - 1)]) - 1
    ruleset = checked(_create(version, handled), "landlock_create_ruleset")
    _allow(ruleset, "/", READ)
    _allow(ruleset, "/dev", READ | WRITE_FILE)
    for path in writable:
        _allow(ruleset, path, handled & ~(MAKE_CHAR | MAKE_BLOCK))
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs")
    checked(syscall(RESTRICT, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def _create(version: int, handled: int) -> int:
    fields = [handled]
    if version >= TCP_FROM:
        fields.append(3)
    if version >= SCOPES_FROM:
        fields.append(3)
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    return syscall(CREATE, attributes, len(attributes), 0)


def _allow(ruleset: int, path: str, access: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", access, folder)
        checked(syscall(ADD_RULE, ruleset, 1, rule, 0), "landlock_add_rule")
    finally:
        os.close(folder)
