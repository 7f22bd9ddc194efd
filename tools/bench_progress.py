"""Measures progress reports at the paper's size: 50,400 stored replies read, put through the
corruption gate, scored, and all tables made, beside reading the same lines as plain JSON."""

import json
import subprocess
import sys
from typing import NamedTuple

LIMIT = 30.0

CODE = """
import json, pathlib, sys, tempfile, time
from draligned.progress.corruption import require_tight
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.lanes import iter_replies
from draligned.progress.prompts import CONSTANTS, marker
from draligned.progress.statistics import Settings
from draligned.progress.tables import build
from draligned.schema.chat import ToolCall
from draligned.schema.progress import Position, ReplyStatus, StageReply
from draligned.store.local import LocalStore

known = design("stage")
kept = tempfile.TemporaryDirectory()
folder = pathlib.Path(kept.name)
store = LocalStore(folder)
keys = [f"deployment-{n}" for n in range(7)]
call = ToolCall(call_id="c", name=known.stimuli[0].tools[0].name, arguments="{}")
sizes = 0
for lane, key in enumerate(keys):
    lines = []
    for asked in known.stimuli:
        value = CONSTANTS.get(asked.arm, asked.gold.stage.wire)
        right = marker(value, asked.encoding)
        for repetition in range(1, known.repetitions + 1):
            kind = (sum(map(ord, asked.stimulus_id)) + 3 * repetition + lane) % 4
            text = ("好的，我看一下。\\n" + right, "好的，请稍候。", right + "\\n好的。", "")[kind]
            position = Position(
                design=known.name, deployment=key, model_key=key,
                stimulus_id=asked.stimulus_id, repetition=repetition,
            )
            calls = (call,) if kind == 3 else ()
            lines.append(StageReply(position=position, status=ReplyStatus.OK, text=text,
                                    tool_calls=calls).to_json())
    data = ("\\n".join(lines) + "\\n").encode()
    sizes += len(lines)
    store.put_if_absent(f"progress/stage/lanes/{key}/replies.jsonl", data)

wall, cpu = time.perf_counter(), time.process_time()
replies = [r for key in keys for r in iter_replies(store, "stage", key)]
read = time.process_time() - cpu
require_tight(known, replies)
gate = time.process_time() - cpu
frame = scored(known, replies)
score = time.process_time() - cpu
made = build(known, frame, Settings())
all_cpu, all_wall = time.process_time() - cpu, time.perf_counter() - wall
start = time.process_time()
for path in folder.rglob("replies.jsonl"):
    for line in path.read_text("utf-8").splitlines():
        json.loads(line)
plain = time.process_time() - start
kept.cleanup()
sys.stdout.write(json.dumps({
    "replies": sizes, "read": read, "gate": gate - read, "score": score - gate,
    "tables": all_cpu - score, "cpu": all_cpu, "wall": all_wall, "plain": plain,
    "rows": sum(map(len, made.values())), "made": len(made),
}))
"""


class Row(NamedTuple):
    """One measurement."""

    what: str
    value: str
    beside: str
    ratio: str


def rows() -> list[Row]:
    """The whole, against its limit, and its parts."""
    done = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    parts = ", ".join(f"{name} {found[name]:.1f} s" for name in ("read", "gate", "score", "tables"))
    what = (
        f"progress: {found['replies']:,} replies read, gated, scored; {found['made']} tables of "
        f"{found['rows']:,} rows, with regressions"
    )
    return [
        Row(what, f"{found['wall']:.1f} s", f"{found['cpu']:.1f} s of CPU; limit {LIMIT:.0f} s",
            f"{found['wall'] / LIMIT:.2f} of the limit"),
        Row("CPU of its parts", parts, f"json.loads of the same lines: {found['plain']:.1f} s",
            f"{found['plain'] / found['read']:.2f}×"),
    ]  # fmt: skip


if __name__ == "__main__":
    for row in rows():
        sys.stdout.write(" | ".join(row) + "\n")
