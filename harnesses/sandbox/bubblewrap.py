"""The command that starts a worker through bubblewrap."""

from draligned.harnesses.sandbox import view
from draligned.harnesses.sandbox.limits import Limits
from draligned.harnesses.sandbox.paths import WORK

PROGRAM = "bwrap"
NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts")
INSIDE_USER = "1000"
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def command(limits: Limits, user: int | None, walled: bool) -> list[str]:
    """The whole command; the worker drops to `user`, or runs in a user namespace if none."""
    return around(limits, user, view.worker_argv(limits, user, walled))


def around(limits: Limits, user: int | None, payload: list[str]) -> list[str]:
    """Bubblewrap around any command."""
    seen = view.view()
    argv = [PROGRAM, *NAMESPACES, "--unshare-cgroup-try", *_privileges(user)]
    argv += ["--die-with-parent", "--new-session", "--as-pid-1", "--hostname", "sandbox"]
    argv.append("--clearenv")
    for name, value in seen.variables:
        argv += ["--setenv", name, value]
    for outside, inside in seen.binds:
        argv += ["--ro-bind", outside, inside]
    for text, link in seen.links:
        argv += ["--symlink", text, link]
    argv += ["--perms", "0755", "--dir", "/dev"]
    for device in DEVICES:
        argv += ["--dev-bind", device, device]
    argv += ["--perms", "0777", "--size", str(limits.disk_bytes), "--tmpfs", WORK]
    # Without this the root would be a writable memory disk without a limit.
    return [*argv, "--remount-ro", "/", "--chdir", WORK, "--", *payload]


def _privileges(user: int | None) -> list[str]:
    if user is None:
        return ["--unshare-user", "--uid", INSIDE_USER, "--gid", INSIDE_USER, "--cap-drop", "ALL"]
    return ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
