"""The worker: one request a line in, one answer a line out, until its input ends."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

from draligned.harnesses.sandbox.inside import code
from draligned.harnesses.sandbox.inside.confine import confine
from draligned.harnesses.sandbox.inside.files import FOLDER, Files
from draligned.harnesses.sandbox.inside.sweep import Refused, sweep
from draligned.harnesses.sandbox.paths import WORK
from draligned.harnesses.sandbox.texts import as_bytes
from draligned.schema.errors import WorkspaceRefusal

NOTES = 20
"""How many thrown-away files are named in the output of code."""


class Worker:
    """Answers requests about the files of one folder."""

    def __init__(self, settings: Mapping[str, float], channel: int) -> None:
        self.channel = channel
        folder = os.open(WORK, FOLDER)
        self.files = Files(folder, int(settings["file_bytes"]), int(settings["files"]))
        self.limits = code.CodeLimits(settings)
        self.known: dict[str, Callable[..., object]] = {
            "fill": self.fill,
            "list": self.files.listing,
            "read": self.files.read,
            "write": self.files.write,
            "edit": self.files.edit,
            "run": self.run,
        }

    def answer(self, line: bytes) -> bytes:
        """The answer to one request, as a line."""
        request = json.loads(line)
        name = request.pop("do")
        reply: dict[str, object]
        try:
            reply = {"done": self.known[name](**request)}
        except WorkspaceRefusal as refusal:
            reply = {"refused": refusal.reason.value, "path": refusal.path}
        return json.dumps(reply, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"

    def fill(self, files: dict[str, str]) -> None:
        """Write the files that a workspace starts with."""
        for path, content in files.items():
            self.files.write(path, content)

    def run(self, source: str) -> dict[str, object]:
        """Run code and tell what became of the files."""
        source_bytes = as_bytes(source, None, self.files.file_bytes)
        before = {path: self.files.read(path) for path, _ in self.files.listing()}
        ended = code.run(source_bytes, self.files.root, self.channel, self.limits)
        texts, thrown = sweep(self.files, before)
        return {
            "exit": ended.exit,
            "output": _output(ended, thrown),
            "saved": {p: text for p, text in texts.items() if before.get(p) != text},
            "removed": sorted(set(before) - set(texts)),
        }


def _output(ended: code.Ended, thrown: list[Refused]) -> str:
    notes = ["output_cut"] if ended.cut else []
    notes += [f"removed {path!a}: {reason.value}" for path, reason in thrown[:NOTES]]
    notes += [f"removed {len(thrown) - NOTES} more"] if len(thrown) > NOTES else []
    text = ended.output.decode("utf-8", "replace").replace("\0", "\ufffd")
    separate = "\n" if text and notes and not text.endswith("\n") else ""
    return text + separate + "".join(f"[{note}]\n" for note in notes)


def main(settings_text: str) -> None:
    """Take the channel away from the standard streams, confine, then serve."""
    if os.getpid() != 1:
        raise RuntimeError("the worker runs only as the first process of its own namespace")
    settings: dict[str, float] = json.loads(settings_text)
    os.environ.pop("PWD", None)
    confine(int(settings["user"]), WORK, bool(settings["walled"]))
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    worker = Worker(settings, requests)
    with suppress(code.DriverGone, BrokenPipeError, ConnectionResetError):
        _serve(worker, requests, answers)
    sys.stderr.flush()
    os._exit(0)


def _serve(worker: Worker, requests: int, answers: int) -> None:
    with open(requests, "rb", closefd=False) as lines:
        while line := lines.readline():
            left = memoryview(worker.answer(line))
            while left:
                left = left[os.write(answers, left) :]
