"""What the worker gives up before it reads its first request."""

import os
import signal
import struct

from draligned.harnesses.sandbox.inside import landlock, seccomp
from draligned.harnesses.sandbox.inside.libc import checked, libc, prctl

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
CAPABILITIES = struct.pack("Ii", 0x20080522, 0)
"""Third version of the kernel's capability sets, of this process."""


def confine(user: int, folder: str, walled: bool) -> None:
    """Give up root for `user`, if any, then everything else. Raises `OSError` if a step fails.

    `walled` puts Landlock around `folder`; the system call filter is always put on.
    """
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    checked(libc().capset(CAPABILITIES, bytes(24)), "capset")
    checked(prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "parent death signal")
    checked(prctl(PR_SET_DUMPABLE, 0), "not dumpable")
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs")
    if walled:
        landlock.apply((folder,))
    seccomp.apply()
    # The first process of a namespace is sent no signal that it has no handler for.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
