"""The few calls that Python's `os` lacks."""

import ctypes
import os
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call; a negative one raises `OSError` that names the call."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int, more: bytes | int = 0) -> int:
    """`prctl(2)`; the result is to be checked."""
    third = ctypes.c_char_p(more) if isinstance(more, bytes) else ctypes.c_ulong(more)
    zero = ctypes.c_ulong(0)
    return int(libc().prctl(option, ctypes.c_ulong(value), third, zero, zero))


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """`syscall(2)`; the result is to be checked."""
    as_c = [ctypes.c_long(a) if isinstance(a, int) else ctypes.c_char_p(a) for a in arguments]
    return int(libc().syscall(ctypes.c_long(number), *as_c))
