"""Python code in a child of the worker: limits, a clock, and nobody left afterwards."""

import fcntl
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

CHUNK = 65536
TICK_MS = 50
"""How often the number of files is looked at while code runs."""
OPEN_FILES = 128
PROLOGUE = (
    "import sys,builtins,_sitebuiltins as s;"
    "builtins.exit=s.Quitter('exit','Ctrl-D');builtins.quit=s.Quitter('quit','Ctrl-D');"
    "exec(compile(sys.stdin.buffer.read(),'<code>','exec'),"
    "{'__name__':'__main__','__builtins__':builtins})"
)
"""Code comes through standard input; `exit` is what code that models write expects."""


class CodeLimits:
    """Limits of one piece of code, out of the settings of the worker."""

    def __init__(self, settings: Mapping[str, float]) -> None:
        self.seconds = settings["code_seconds"]
        self.output_bytes = int(settings["output_bytes"])
        self.file_bytes = int(settings["file_bytes"])
        self.process_bytes = int(settings["process_bytes"])
        self.processes = int(settings["processes"])
        self.inodes = int(settings["inodes"])


class Ended:
    """How the code ended, and its output, cut to the limit."""

    def __init__(self, exit_: str, output: bytes, cut: bool) -> None:
        self.exit = exit_
        self.output = output
        self.cut = cut


class DriverGone(Exception):
    """The other end of the channel was closed: there is nobody to work for."""


def run(code: bytes, folder: int, channel: int, limits: CodeLimits) -> Ended:
    """Run code with `folder` as its working directory; `channel` is watched for its end."""
    code_out, code_in = os.pipe()
    output_out, output_in = os.pipe()
    child = os.fork()
    if child == 0:
        _become_code(code_out, output_in, folder, limits)
    os.close(code_out)
    os.close(output_in)
    watch = _Watch(child, code, code_in, output_out, limits)
    try:
        stopped = watch.until_it_ends(folder, channel)
    finally:
        status = _kill_all(child)
        watch.close()
    return Ended(stopped or _exit_of(status), bytes(watch.output), watch.cut)


class _Watch:
    """One running child: feeds it, reads it, and stops it when a limit is reached."""

    def __init__(
        self, child: int, code: bytes, code_in: int, output_out: int, limits: CodeLimits
    ) -> None:
        self.limits = limits
        self.code = memoryview(code)
        self.code_in = code_in
        self.output_out = output_out
        self.child = os.pidfd_open(child)
        self.output = bytearray()
        self.cut = False
        for pipe in (code_in, output_out):
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_NONBLOCK)

    def until_it_ends(self, folder: int, channel: int) -> str | None:
        """Wait; the name of the limit's ending if one was reached, else none."""
        end = time.monotonic() + self.limits.seconds
        poll = select.poll()
        poll.register(self.child, select.POLLIN)
        poll.register(self.output_out, select.POLLIN)
        poll.register(self.code_in, select.POLLOUT)
        poll.register(channel, select.POLLRDHUP)
        while (left := end - time.monotonic()) > 0:
            ready = {fd for fd, _ in poll.poll(min(TICK_MS, left * 1000))}
            if channel in ready:
                raise DriverGone
            if self.child in ready:
                return None
            if self.output_out in ready and not self._read():
                poll.unregister(self.output_out)
            if self.code_in in ready and not self._feed():
                poll.unregister(self.code_in)
                os.close(self.code_in)
            if _inodes(folder) > self.limits.inodes:
                return "killed"
        return "timeout"

    def close(self) -> None:
        """Read what is still in the pipe (nobody can write to it any more), then close."""
        while self._read():
            pass
        os.close(self.output_out)
        os.close(self.child)
        with suppress(OSError):
            os.close(self.code_in)

    def _read(self) -> bool:
        try:
            data = os.read(self.output_out, CHUNK)
        except BlockingIOError:
            return False
        room = self.limits.output_bytes - len(self.output)
        self.output += data[:room]
        self.cut = self.cut or len(data) > room
        return bool(data)

    def _feed(self) -> bool:
        """Whether there is more code to give."""
        try:
            self.code = self.code[os.write(self.code_in, self.code[:CHUNK]) :]
        except BrokenPipeError:
            return False
        return len(self.code) > 0


def _become_code(stdin: int, stdout: int, folder: int, limits: CodeLimits) -> None:
    """In the child: take the limits on and become the interpreter; never returns."""
    try:
        os.setsid()
        os.fchdir(folder)
        for source, target in ((stdin, 0), (stdout, 1), (stdout, 2)):
            os.dup2(source, target)
        _limit_self(limits)
        os.closerange(3, OPEN_FILES)
        os.execv(sys.executable, [sys.executable, "-s", "-S", "-B", "-c", PROLOGUE])
    finally:
        os._exit(127)


def _limit_self(limits: CodeLimits) -> None:
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (limits.process_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    # The worker is one process of the same user.
    resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes + 1,) * 2)


def _kill_all(child: int) -> int:
    """Kill every process of the namespace but the worker; the exit status of the child."""
    if os.getpid() != 1:
        raise RuntimeError("only the first process of a namespace may kill all others")
    status = 0
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            ended, found = os.wait()
        except ChildProcessError:
            return status
        if ended == child:
            status = found


def _exit_of(status: int) -> str:
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) == signal.SIGXCPU else "killed"
    return "ok" if status == 0 else "error"


def _inodes(folder: int) -> int:
    found = os.fstatvfs(folder)
    return found.f_files - found.f_ffree
