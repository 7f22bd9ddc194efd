"""A run of many events; nothing was read of it."""

from pathlib import Path

from draligned import api
from draligned.schema.chat import Message
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.events import (
    Body,
    CallStarted,
    DraftSaved,
    Ended,
    Opened,
    RequestExecuted,
    RunHeader,
    Seal,
    Submitted,
    ToolResult,
)
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs
from draligned.study.attempts import events_key, read_header, write_header, write_seal
from draligned.study.inventory import RunCell
from draligned.study.log import EventLog

from . import studies


def add(root: Path, turns: int) -> list[RunCell]:
    """Both runs of a further replicate of a pair, of four events a turn and four more."""
    study = api.open(root)
    store, planned = study.folder.store, study.cells()
    model = planned[0].model_key
    cells = [c for c in studies.more(root, 2) if c.model_key == model]
    for cell in cells:
        like = next(c for c in planned if c.condition_id == cell.condition_id)
        header = read_header(store, like.run_id, 1)
        assert header is not None
        changed = {"run_id": cell.run_id, "replicate": cell.replicate}
        write_header(store, RunHeader(**{**dict(header), **changed}))
        log = EventLog(store, events_key(cell.run_id, 1))
        *bodies, last = _bodies(study.folder.blobs, turns)
        log.append(*bodies, last)
        assert isinstance(last, Ended)
        write_seal(
            store,
            Seal(
                run_id=cell.run_id,
                attempt=1,
                n_events=log.n_events,
                last_sha256=log.last_sha256,
                end=last.end,
            ),
        )
    return cells


def _bodies(blobs: Blobs, turns: int) -> list[Body]:
    """Each turn is a call, a request, what came back, and a draft or a further request."""
    final = blobs.put("the last version\n")
    end = EpisodeEnd(
        ended_by=EndedBy.NO_TOOL_CALL,
        outcome=Outcome.SUBMITTED,
        final_sha256=final,
        work_done_by_state=True,
    )
    out: list[Body] = [Opened(messages=(Message(role="system", text="s"),))]
    for turn in range(turns):
        draft = blobs.put(f"version {turn}\n")
        out += [
            CallStarted(sequence=turn, request_sha256="0" * 64),
            _asked(turn, 0, 2 * turn + 1),
            ToolResult(sequence=turn, call_index=0, call_id=f"{turn}", text_sha256=final),
            DraftSaved(sequence=turn, call_index=1, path="a.md", text_sha256=draft, chars=9)
            if turn % 10 == 9
            else _asked(turn, 1, 2 * turn + 2),
        ]
    submitted = Submitted(sequence=turns, call_index=0, text_sha256=final, chars=17, path=None)
    return [*out, CallStarted(sequence=turns, request_sha256="0" * 64), submitted, Ended(end=end)]


def _asked(turn: int, index: int, number: int) -> RequestExecuted:
    return RequestExecuted.model_validate(
        {
            "sequence": turn,
            "call_index": index,
            "request_no": number,
            "tool": "search" if index == 0 else "read",
            "request": f"places to walk, part {number}",
            "return_status": ReturnStatus.OK,
        }
    )
