"""What `draligned show` prints: a run's events, a pair, a packet with its reads, as lines.

Text of models and pages goes through `shown`: it stays text, no control or bidi character
reaches the terminal. Colours are not used.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from draligned.progress.duty import DutyTurn
from draligned.report import numbers
from draligned.report.matrix import LOCI
from draligned.report.rows import Row, only, rows
from draligned.report.shown import shown
from draligned.schema import events as ev
from draligned.schema.packets import CellRead, EvalUnit, ItemRead, ReadRecord

TextOf = Callable[[str], str]
REHEARSAL = "rehearsal: this is no evidence about any language model"


def run_lines(
    header: ev.RunHeader,
    events: Sequence[ev.Event],
    text_of: TextOf,
    *,
    whole: bool = True,
    claims: Mapping[int, DutyTurn] = {},
) -> list[str]:
    """A run's events in order; with `whole`, the texts of drafts and finals under them.

    `claims`: turns with what their stage tags claim, by the sequence number of the model call.
    """
    out = [
        f"run {header.run_id}, attempt {header.attempt}: {_one(header.model_name)}, "
        f"{_one(header.harness_name)}, environment {_one(header.environment)}, "
        f"replicate {header.replicate}, condition {header.condition_id}",
        f"source {header.source}; observes "
        + ", ".join(f"{c.value} {o.value}" for c, o in sorted(header.observes.items())),
        f"api {header.api}{', streamed' if header.streamed else ''}; delegation "
        f"{'offered' if header.delegation_offered else 'not offered'}",
    ]
    if header.rehearsal:
        out.append(REHEARSAL)
    for event in events:
        out.append(f"{event.seq:>4}  {event.body.kind:<17} {_about(event.body)}".rstrip())
        if isinstance(event.body, ev.ModelTurn | ev.ModelFailed) and event.body.sequence in claims:
            out.append(f"      {claim_line(claims[event.body.sequence])}")
        if whole:
            out += _under(event.body, text_of)
    return out


def claim_line(turn: DutyTurn) -> str:
    """What a turn's stage tag claims beside what the log shows before it."""
    said = "claims nothing" if turn.claimed is None else f"claims {turn.claimed.value}"
    why = f", {turn.problem}" if turn.problem else ""
    late = {"ahead": ", ahead of the log", "behind": ", behind the log"}.get(turn.lag or "", "")
    own = ", made true by its own calls" if turn.early_by_own_calls else ""
    return (
        f"turn {turn.turn}: {said}; the log shows {turn.truth.value} "
        f"({turn.layer.value}{why}{late}{own})"
    )


def _one(text: str, limit: int = 300) -> str:
    """One line of untrusted text."""
    found = shown(text, limit)
    line = found.text.replace("\n", "⏎").replace("\t", " ")
    return f"{line}… ({found.chars} characters)" if found.is_cut else line


def _block(text: str, indent: str = "      │ ") -> list[str]:
    return [indent + line for line in shown(text, len(text)).text.split("\n")]


def _about(body: ev.Body) -> str:
    make = _ABOUT.get(body.kind)
    return make(body) if make else ""


def _turn(body: ev.ModelTurn) -> str:
    calls = ", ".join(_one(call.name, 60) for call in body.message.tool_calls)
    echoed = _one(body.echoed_model or "no name", 80)
    said = f'; said "{_one(body.message.text)}"' if body.message.text else ""
    return f"stop {body.stop.value}; calls {calls or 'none'}; echoed {echoed}{said}"


def _request(body: ev.RequestExecuted) -> str:
    within = "" if body.parent is None else f" in delegation {body.parent}"
    asked = f"#{body.request_no} {body.tool}{within}"
    return f'{asked} → {body.return_status.value}: "{_one(body.request)}"'


def _saved(body: ev.DraftSaved | ev.Submitted) -> str:
    return f"{_one(body.path or 'text')}, {body.chars} characters, {body.text_sha256[:16]}"


def _code(body: ev.CodeRun) -> str:
    saved = ", ".join(_one(file.path, 60) for file in body.saved)
    removed = ", ".join(_one(path, 60) for path in body.removed)
    return f"{body.exit}; saved {saved or 'none'}; removed {removed or 'none'}"


def _delegation_closed(body: ev.DelegationClosed) -> str:
    return f"delegation {body.number}: {body.reason}, {(body.text_sha256 or 'no text')[:16]}"


def _ended(body: ev.Ended) -> str:
    detail = f": {_one(body.end.detail)}" if body.end.detail else ""
    return f"{body.end.outcome.value} by {body.end.ended_by.value}{detail}"


_ABOUT: Mapping[str, Callable[..., str]] = {
    "opened": lambda body: f"{len(body.messages)} messages",
    "call_started": lambda body: f"call {body.sequence}",
    "model_turn": _turn,
    "model_failed": lambda body: f"{_one(body.failure)}: {_one(body.detail)}",
    "tool_call_invalid": lambda b: f"{_one(b.problem)}: {_one(b.name, 60)}({_one(b.arguments)})",
    "budget_denied": lambda body: f"budget {_one(body.budget)}",
    "request_executed": _request,
    "access_denied": lambda b: f"{_one(b.tool, 60)} in {b.context}: lacks {b.lacks}",
    "draft_saved": _saved,
    "workspace_read": lambda body: f"{body.tool} {_one(body.path or '')}",
    "code_run": _code,
    "tool_refused": lambda b: f"{_one(b.tool, 60)} {_one(b.path or '')}: {b.reason.value}",
    "delegation_opened": lambda body: f"delegation {body.number}",
    "delegation_closed": _delegation_closed,
    "handed_over": lambda body: f"to {body.to}: {body.source}",
    "user_turn": lambda body: f"{body.origin} {body.number}",
    "submitted": _saved,
    "text_reply": lambda body: f"{body.chars} characters, {body.text_sha256[:16]}",
    "tool_result": lambda body: f"for call {_one(body.call_id, 60)}, {body.text_sha256[:16]}",
    "ended": _ended,
}


def _under(body: ev.Body, text_of: TextOf) -> list[str]:
    if isinstance(body, ev.Opened | ev.DelegationOpened | ev.HandedOver):
        return [
            line
            for message in body.messages
            for line in (f"      {message.role}:", *_block(message.text or ""))
        ]
    if isinstance(body, ev.UserTurn):
        return _block(body.text)
    if isinstance(body, ev.CodeRun):
        return _block(text_of(body.output_sha256))
    if isinstance(body, ev.DraftSaved | ev.Submitted | ev.TextReply):
        return _block(text_of(body.text_sha256))
    return []


def pair_lines(pair_id: str, pairs: pd.DataFrame, matrix: pd.DataFrame) -> list[str]:
    """A pair as each evaluator read it: both runs at every locus, and the pair's values.

    `pairs` and `matrix` are the study's tables; no lines if the pair is not among them.
    """
    out: list[str] = []
    for row in rows(only(pairs, pair_id=pair_id)):
        out += _pair(row, matrix)
    return out


def _pair(row: Row, matrix: pd.DataFrame) -> Iterator[str]:
    yield (
        f"pair {row['pair_id']}: task {_one(str(row['task_id']))}, user "
        f"{_one(str(row['user_id']))}, factor {row['factor_id']}, {_one(str(row['model']))}, "
        f"{_one(str(row['harness']))}, read by {_one(str(row['evaluator']))}"
    )
    for arm in "PQ":
        run_id = row[f"run_id_{arm.lower()}"]
        found = only(
            matrix,
            run_id=str(run_id),
            evaluator=str(row["evaluator"]),
            factor_id=str(row["factor_id"]),
        )
        for run in rows(found):
            loci = "; ".join(f"{locus} {_locus(run, locus)}" for locus in LOCI)
            yield f"  {arm} run {run_id} ({run['run_state']}): {loci}"
        if found.empty:
            yield f"  {arm}: no such run is planned"
    yield f"  d_A {_value(row, 'a', 'd_a')}; d_F {_value(row, 'f', 'd_f')}"
    yield "  values of one pair: data, not estimates"


def _locus(run: Row, locus: str) -> str:
    reason = run[f"{locus}_reason"]
    if reason is not None:
        return f"unknown ({reason})"
    counts = ""
    if locus == "acq":
        counts = f" of {run['n_identified']}/{run['n_requests']} identified requests"
    return f"{run[f'{locus}_presence']} ({run[f'{locus}_state']}){counts}"


def _value(row: Row, channel: str, name: str) -> str:
    status = str(row[f"{channel}_status"])
    value = row[name]
    return status if value is None or status != "readable" else numbers.signed(float(value))


def packet_lines(unit: EvalUnit | None, reads: Sequence[ReadRecord], text_of: TextOf) -> list[str]:
    """A packet as it was shown to evaluators, and every read of it with its raw reply.

    `unit` says what the packet stands for in the study; evaluators never saw that.
    """
    out = [_unit(unit)] if unit is not None else []
    for read in reads:
        out += _read(read, text_of)
    if not reads:
        out.append("no read of this packet has been made yet")
    return out


def _unit(unit: EvalUnit) -> str:
    what = f"run {unit.run_id}" if unit.run_id else f"text {unit.text_sha256}"
    return f"packet {unit.packet_id}: {unit.kind} of {what}, factor {unit.factor_id}, {unit.mode}"


def _read(read: ReadRecord, text_of: TextOf) -> Iterator[str]:
    beta = read.alpha.other.value
    yield (
        f"{read.role.value} read by {_one(read.evaluator_id)}: ALPHA is {read.alpha.value}, "
        f"BETA is {beta}; protocol {read.protocol_sha256[:16]}"
    )
    yield f"  shown to the evaluator ({read.packet_sha256[:16]}):"
    yield from _block(text_of(read.packet_sha256))
    if read.reply_sha256 is None:
        yield "  never sent"
    else:
        yield f"  reply ({read.reply_sha256[:16]}):"
        yield from _block(text_of(read.reply_sha256))
    if read.void is not None:
        yield f"  void: {read.void.value}"
    yield from (_cell(cell) for cell in read.cells)
    yield from (_item(item) for item in read.items)
    yield from (f"  dropped item {d.index}: {_one(d.reason)}" for d in read.dropped)


def _cell(cell: CellRead) -> str:
    said = cell.label.value if cell.label else f"{cell.status.value} ({cell.reason or 'no reason'})"
    quote = f' "{_one(cell.quote)}"' if cell.quote else ""
    return f"  request {cell.request_no}: {said}{quote}"


def _item(item: ItemRead) -> str:
    words = (item.actor, item.role, item.action, item.strength, item.direction)
    return f"  item {_one(item.entity_key)}: {' '.join(word.value for word in words)}"
