"""The command that starts a worker in namespaces of its own, without any tool."""

import json
import os
import sys

from draligned.harnesses.sandbox import view
from draligned.harnesses.sandbox.bundle import options
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.paths import WORK

SPARE_INODES = 256
"""Room above the limit at which the worker stops code, so that the worker can still write."""


def command(limits: Limits, user: int | None, walled: bool) -> list[str]:
    """The whole command; `walled` is always true here, since Landlock is part of this kind."""
    return around(limits, user, view.worker_argv(limits, user, walled=True))


def around(limits: Limits, user: int | None, payload: list[str]) -> list[str]:
    """Namespaces around any command."""
    seen = view.view()
    settings = {
        "root": user is not None,
        "binds": seen.binds,
        "links": seen.links,
        "folder": WORK,
        "disk_bytes": limits.disk_bytes,
        "inodes": limits.inodes + SPARE_INODES,
        "argv": payload,
        "env": dict(seen.variables),
    }
    return [os.path.realpath(sys.executable), *options("enter"), json.dumps(settings)]
