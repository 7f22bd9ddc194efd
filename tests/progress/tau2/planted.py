"""Checkpoints with planted truths and tags, read by the parsers that read real ones."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from draligned.progress.tau2.frame import checkpoint_table, read_message, run_table
from draligned.schema.progress import Stage
from draligned.schema.tau2 import State, TauMessage

Row = dict[str, Any]
RIGHT: dict[State, Stage] = {
    "before_acting": Stage.READY, "mid_task": Stage.POST_OBS, "completed": Stage.COMPLETED,
}  # fmt: skip
WRONG: dict[State, Stage] = {
    "before_acting": Stage.COMPLETED, "mid_task": Stage.READY, "completed": Stage.POST_OBS,
}  # fmt: skip


def text(stage: Stage | None, *, wrapped: bool = False) -> str:
    """A message with its tag, in a JSON envelope or not."""
    said = "Well." if stage is None else f"Well.\n<stage>{stage.value}</stage>"
    return json.dumps({"message": said}) if wrapped else said


def checkpoint(run: str, index: int, state: State, said: str, **more: Any) -> Row:
    """One checkpoint."""
    base = {
        "deployment": "m", "arm": "tag", "domain": "telecom", "results_sha256": "0", "run_id": run,
        "task_id": run, "trial": 0, "family": "mms", "hand_off": False, "degenerate": False,
        "simulator": "u", "cache": "unknown", "index": index, "changed": state == "mid_task",
        "ever_changed": state == "mid_task", "done": state == "completed", "state": state,
        "state_unlatched": state, "unseen": False, "after_cue": False,
    }  # fmt: skip
    message = TauMessage(role="assistant", content=said)
    return {**base, **more, **read_message(message, state)}


def marked(
    state: State, correct: int, total: int, wrapped: int = 0, wrong_wrapped: int = 0
) -> list[str]:
    """`total` messages of a state, `correct` of them right; of the right and of the wrong ones so
    many in an envelope."""
    right = [text(RIGHT[state], wrapped=i < wrapped) for i in range(correct)]
    wrong = [text(WRONG[state], wrapped=i < wrong_wrapped) for i in range(total - correct)]
    return right + wrong


def frame(rows: Sequence[Row]) -> Any:
    """The table of checkpoints."""
    return checkpoint_table(list(rows))


def runs_of(rows: Sequence[Row], **more: Any) -> Any:
    """The table of the runs that the rows come from."""
    seen: dict[str, Row] = {}
    for row in rows:
        seen.setdefault(f"{row['deployment']} {row['run_id']}", row)
    count = {"termination": "user_stop", "reward": 1.0, "messages": 20, "status": "ok",
             "detail": None, "checkpoints": 1}  # fmt: skip
    return run_table([{**row, **count, **more} for row in seen.values()])


def by_bins(deployment: str, bins: Sequence[Sequence[str]], lone: Sequence[str]) -> Iterator[Row]:
    """Mid-task messages that fall into the five bins given: each run begins with one of the first
    bin and ends with one of the last; `lone` ones are the only ones of their runs."""
    left = [list(part) for part in bins]
    count = min(len(left[0]), len(left[4])) // 2
    for n in range(count):
        run = f"run-{n}"
        yield checkpoint(run, 100, "mid_task", left[0].pop(0), deployment=deployment)
        yield checkpoint(run, 1100, "mid_task", left[4].pop(0), deployment=deployment)
    for place, part in enumerate(left):
        for n, said in enumerate(part):
            index = 100 + 200 * place + 50
            yield checkpoint(f"run-{n % count}", index, "mid_task", said, deployment=deployment)
    for n, said in enumerate(lone):
        yield checkpoint(f"lone-{n}", 100, "mid_task", said, deployment=deployment)
