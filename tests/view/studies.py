"""Small rehearsal studies to look at; none is evidence about any language model."""

import shutil
from pathlib import Path

from draligned import api
from draligned.evaluators.orientation import alpha_of
from draligned.evaluators.trajectories import units_of
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
    ToolCallInvalid,
    ToolResult,
)
from draligned.schema.labels import (
    Action,
    Actor,
    CellStatus,
    ItemDirection,
    ReadRole,
    Role,
    SlotLabel,
    Strength,
    VoidReason,
)
from draligned.schema.packets import CellRead, DroppedItem, EvalUnit, ItemRead, ReadRecord
from draligned.schema.retrieval import Flag, ReturnStatus
from draligned.study.attempts import events_key, read_header, write_header, write_seal
from draligned.study.inventory import RunCell
from draligned.study.log import EventLog
from draligned.study.plan import KEY
from draligned.study.reads import put_read
from tests.cli.console import SMALL

SCRIPT = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
LINK = "javascript:window.hacked=1//"
BIDI = "left\u202etfel\u2066 x\u200b"
LONG = "x" * 1_000_000
"""A line of a million characters."""


def finished(root: Path, lang: str = "en") -> Path:
    """One task, two models, four runs; read both ways and measured."""
    root.mkdir()
    (root / "study.toml").write_text(SMALL.replace("'en'", f"'{lang}'"), encoding="utf-8")
    study = api.open(root)
    study.construct()
    study.run()
    study.evaluate(mirrored=True)
    study.measure()
    return root


def copy(root: Path, target: Path) -> Path:
    """A copy to change."""
    shutil.copytree(root, target)
    return target


def more(root: Path, replicates: int) -> list[RunCell]:
    """Plan further replicates; the cells that nothing was run of."""
    study = api.open(root)
    plan = study.plan()
    blocks = tuple(b.model_copy(update={"replicates": replicates}) for b in plan.blocks)
    changed = plan.model_copy(update={"blocks": blocks})
    study.folder.store.replace(KEY, changed.to_json().encode() + b"\n")
    return [c for c in api.open(root).cells() if c.replicate > 1]


def hostile(root: Path) -> RunCell:
    """A further run whose texts are written by somebody who means harm; its cell."""
    study = api.open(root)
    store, blobs = study.folder.store, study.folder.blobs
    first = next(c for c in study.cells() if c.replicate == 1)
    cell = next(c for c in more(root, 2) if c.condition_id == first.condition_id and
                c.model_key == first.model_key)  # fmt: skip
    header = read_header(store, first.run_id, 1)
    assert header is not None
    changed = {"run_id": cell.run_id, "replicate": cell.replicate, "model_name": SCRIPT}
    write_header(store, RunHeader(**{**dict(header), **changed}))
    final = f"# {SCRIPT}\n\n- {BIDI}\n- [click]({LINK})\n\n{LONG}\n\nlast\n"
    draft = f"{SCRIPT}\n\n{BIDI}"
    bodies = _bodies(blobs.put(final), blobs.put(draft), blobs.put(SCRIPT + LINK), len(final))
    log = EventLog(store, events_key(cell.run_id, 1))
    log.append(*bodies)
    end = bodies[-1]
    assert isinstance(end, Ended)
    write_seal(
        store,
        Seal(
            run_id=cell.run_id,
            attempt=1,
            n_events=log.n_events,
            last_sha256=log.last_sha256,
            end=end.end,
        ),
    )
    _read(root, cell)
    return cell


def _bodies(final: str, draft: str, page: str, chars: int) -> list[Body]:
    end = EpisodeEnd(
        ended_by=EndedBy.NO_TOOL_CALL,
        outcome=Outcome.SUBMITTED,
        final_sha256=final,
        work_done_by_state=True,
        detail=SCRIPT + BIDI,
    )
    return [
        Opened(messages=(Message(role="system", text=SCRIPT), Message(role="user", text=BIDI))),
        CallStarted(sequence=0, request_sha256="0" * 64),
        _asked(1, "search", SCRIPT + BIDI),
        _asked(2, "read", LINK),
        ToolResult(sequence=2, call_index=0, call_id=SCRIPT, text_sha256=page),
        _asked(3, "search", LONG),
        ToolCallInvalid(sequence=4, call_index=0, name=SCRIPT, arguments=LONG[:5000], problem=BIDI),
        DraftSaved(sequence=5, call_index=0, path=SCRIPT, text_sha256=draft, chars=90),
        Submitted(sequence=6, call_index=0, text_sha256=final, chars=chars, path=SCRIPT),
        Ended(end=end),
    ]


def _asked(number: int, tool: str, text: str) -> RequestExecuted:
    return RequestExecuted.model_validate(
        {
            "sequence": number,
            "call_index": 0,
            "request_no": number,
            "tool": tool,
            "request": text,
            "return_status": ReturnStatus.OK,
            "flags": (Flag.INSTRUCTION,),
        }
    )


def _read(root: Path, cell: RunCell) -> None:
    """Both reads of the requests and of the draft, with hostile quotes and names."""
    study = api.open(root)
    evaluator = study.plan().evaluators[0].evaluator_id
    protocol = next(r.protocol_sha256 for r in study.readings().records(study.plan().evaluators[0]))
    run = next(r for r in study.observed() if r.run_id == cell.run_id)
    seed = study.design().seed
    for unit in units_of(run, cell.factor_id, "whole_run")[:2]:
        for role in (ReadRole.FIRST, ReadRole.MIRROR):
            alpha = alpha_of(unit.packet_id, seed, role)
            put_read(
                study.folder.store,
                ReadRecord(
                    packet_id=unit.packet_id,
                    kind=unit.kind,
                    factor_id=cell.factor_id,
                    evaluator_id=evaluator,
                    protocol_sha256=protocol,
                    role=role,
                    alpha=alpha,
                    packet_sha256=study.folder.blobs.put(f"{SCRIPT} {unit.kind}"),
                    reply_sha256=study.folder.blobs.put(f"{SCRIPT} {BIDI} {LONG}"),
                    void=None,
                    **_said(unit, is_first=role is ReadRole.FIRST),
                ),
            )


def _said(unit: EvalUnit, *, is_first: bool) -> dict[str, object]:
    if unit.kind == "document":
        item = ItemRead(
            entity_key=SCRIPT + BIDI,
            actor=Actor.AGENT,
            role=Role.MAIN,
            action=Action.RECOMMEND,
            strength=Strength.FIRM,
            direction=ItemDirection.SLOT1 if is_first else ItemDirection.SLOT2,
            paragraph_ids=(1,),
        )
        dropped = DroppedItem(index=3, reason="bad_actor" if is_first else SCRIPT)
        return {"items": (item,), "dropped": (dropped,), "has_items_list": True}
    label = SlotLabel.ALPHA_ONLY if is_first else SlotLabel.BETA_ONLY
    valid = CellRead(request_no=1, status=CellStatus.VALID, label=label, quote=SCRIPT)
    neither = CellRead(request_no=2, status=CellStatus.VALID, label=SlotLabel.NEITHER)
    void = CellRead(
        request_no=3,
        status=CellStatus.VOID,
        label=None,
        quote=BIDI,
        reason=VoidReason.QUOTE_NOT_FOUND,
    )
    return {"cells": (valid, neither, void)}
