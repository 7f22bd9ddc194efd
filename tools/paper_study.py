"""Writes a study folder of the paper's size, for checking `verify` and `measure` on files.

    python tools/paper_study.py FOLDER                  about 1,750 runs × 60 requests × 3 × 2
    python tools/paper_study.py FOLDER --tasks 4 --models 1 --replicates 1 --requests 6

Designs, plans, packets and the judging of replies are the product's own; what agents and
evaluators do is drawn by hash here, without a model, so it is no evidence about anything. Then:
`draligned measure FOLDER` and `draligned verify FOLDER`.
"""

import argparse
import asyncio
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import draligned
from draligned.api.evaluating import Readings, plan_evaluators, protocol_of
from draligned.evaluators.read import read_packet
from draligned.schema.base import sha256_text, unit_draw
from draligned.schema.chat import ChatReply, ChatRequest, Message, StopReason, Usage
from draligned.schema.design import Assigned, Condition, Design
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore
from draligned.study.inventory import RunCell
from draligned.study.plan import extend_plan
from draligned.study.reads import ReadsOf, put_read

HARNESSES = ("coupled", "H-W", "H-D")
SETTINGS = """\
[construction]
tasks = 8
lang = "zh"

[run]
harnesses = {harnesses}
models = {models}
replicates = {replicates}

[evaluate]
evaluators = {evaluators}
request_mode = "{mode}"
retest_share = 0.02

[controls]
aa_share = 0.04
neutral_share = 0.04
placebo_share = 0.04
masked_share = 0.02
sentinel_share = 0.002

[measure]
draws = {draws}
"""
MODEL = '\n[models.{name}]\nprovider = "rehearsal"\nmodel = "{role}"\nparams = {{ seed = {n} }}\n'
Body = dict[str, Any]


def main() -> None:
    """Write the folder."""
    asked = _asked()
    root: Path = asked.folder
    agents = [f"agent-{n + 1}" for n in range(asked.models)]
    readers = [f"reader-{n + 1}" for n in range(asked.evaluators)]
    _begin(root, asked, agents, readers)
    study = draligned.open(root)
    study.construct()
    _more_tasks(root, asked.tasks)
    study.run(limit=1)
    _replicates(root, asked.more)
    template = json.loads(next(root.glob("runs/*/a1/header.json")).read_text("utf-8"))
    tried = next(root.glob("ledger/*.jsonl")).read_text("utf-8").splitlines()[0]
    for name in ("runs", "launches", "ledger"):
        shutil.rmtree(root / name)
    _runs(root, template, asked.requests)
    _ledger(root, json.loads(tried))
    readings = draligned.open(root).readings()
    made = asyncio.run(_reads(root, readings, readers))
    sys.stdout.write(f"{len(readings.every_cell)} runs, {made} reads" + "\n")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--replicates", type=int, default=2)
    parser.add_argument("--more", type=int, default=5, help="blocks with one replicate more")
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--evaluators", type=int, default=3)
    parser.add_argument("--mode", default="whole_run")
    parser.add_argument("--draws", type=int, default=10_000)
    return parser.parse_args()


def _begin(root: Path, asked: argparse.Namespace, agents: list[str], readers: list[str]) -> None:
    root.mkdir(parents=True)
    text = SETTINGS.format(
        harnesses=json.dumps(HARNESSES), models=json.dumps(agents), replicates=asked.replicates,
        evaluators=json.dumps(readers), mode=asked.mode, draws=asked.draws,
    )  # fmt: skip
    for n, name in enumerate(agents):
        text += MODEL.format(name=name, role="rehearsal-agent-a", n=n)
    for n, name in enumerate(readers):
        text += MODEL.format(name=name, role="rehearsal-reader", n=n)
    (root / "study.toml").write_text(text, encoding="utf-8")


def _more_tasks(root: Path, n: int) -> None:
    """As many tasks as asked for: those of the draft again, under further names."""
    path = root / "design" / "design.json"
    design = Design.from_json(path.read_bytes())
    parts = [_named(design, number) for number in range(-(-n // len(design.tasks)))]
    kept = {t.task_id for t in [t for part in parts for t in part.tasks][:n]}
    names = ("tasks", "cards", "conditions", "subproblems")
    found: dict[str, Any] = {
        name: tuple(x for part in parts for x in getattr(part, name) if x.task_id in kept)
        for name in names
    }
    neutral = (x for part in parts for x in part.neutral if x.condition.task_id in kept)
    made = design.model_copy(update={**found, "neutral": tuple(neutral)})
    path.write_text(made.to_json(), encoding="utf-8")


def _named(design: Design, number: int) -> Design:
    """The design with other names of tasks, and the identities that follow from them."""
    if number == 0:
        return design

    def name(record: Any) -> Any:
        return record.model_copy(update={"task_id": f"{record.task_id}.{number}"})

    cards = tuple(map(name, design.cards))
    factor = {a.factor_id: b.factor_id for a, b in zip(design.cards, cards, strict=True)}

    def told(condition: Condition) -> Condition:
        assigned = tuple(
            Assigned(factor_id=factor[a.factor_id], side=a.side) for a in condition.assigned
        )
        named: Condition = name(condition).model_copy(update={"assigned": assigned})
        return named

    return design.model_copy(
        update={
            "tasks": tuple(map(name, design.tasks)),
            "cards": cards,
            "conditions": tuple(map(told, design.conditions)),
            "neutral": tuple(
                n.model_copy(
                    update={"factor_id": factor[n.factor_id], "condition": told(n.condition)}
                )
                for n in design.neutral
            ),
            "subproblems": tuple(map(name, design.subproblems)),
        }
    )


def _replicates(root: Path, more: int) -> None:
    path = root / "plan.json"
    plan = json.loads(path.read_text("utf-8"))
    for block in plan["blocks"][:more]:
        block["replicates"] += 1
    path.write_text(json.dumps(plan, ensure_ascii=False) + "\n", encoding="utf-8")


def _runs(root: Path, template: Body, n_requests: int) -> None:
    readings = draligned.open(root).readings()
    store = LocalStore(root)
    blobs = Blobs(store)
    conditions = {c.condition_id: c for c in readings.design.every_condition}
    cards = {c.factor_id: c for c in readings.design.cards}
    result = blobs.put("…")
    for cell in readings.every_cell:
        folder = f"runs/{cell.run_id}/a1"
        words = [
            (e.words or (e.value,))[0] for e in (cards[cell.factor_id].p, cards[cell.factor_id].q)
        ]
        bodies = list(
            _events(cell, conditions[cell.condition_id], words, n_requests, blobs, result)
        )
        lines, prev = [], "0" * 64
        for seq, body in enumerate(bodies):
            event = {"seq": seq, "utc": template["started_utc"], "mono": 0.0, "prev": prev,
                     "body": body}  # fmt: skip
            line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            prev = sha256_text(line)
            lines.append(line + "\n")
        header = template | {
            "run_id": cell.run_id, "condition_id": cell.condition_id,
            "model_name": cell.model_name, "model_key": cell.model_key,
            "harness_name": cell.harness_name, "harness_key": cell.harness_key,
            "environment": cell.environment, "replicate": cell.replicate,
            "delegation_offered": cell.delegation_offered,
            "design_sha256": readings.design.sha256(),
        }  # fmt: skip
        seal = {"run_id": cell.run_id, "attempt": 1, "n_events": len(lines), "last_sha256": prev,
                "end": bodies[-1]["end"]}  # fmt: skip
        for name, text in (("header.json", json.dumps(header)), ("events.jsonl", "".join(lines)),
                           ("seal.json", json.dumps(seal))):  # fmt: skip
            store.put_if_absent(f"{folder}/{name}", text.encode())


def _ledger(root: Path, template: Body) -> None:
    """One answered call a run."""
    cells = draligned.open(root).readings().every_cell
    keys = ({"owner": cell.run_id, "attempt": 1, "sequence": 1} for cell in cells)
    lines = (json.dumps(template | {"key": key}) + "\n" for key in keys)
    (root / "ledger").mkdir()
    (root / "ledger" / "made.jsonl").write_text("".join(lines), encoding="utf-8")


def _turn(sequence: int, name: str | None, said: Body | str) -> Body:
    call = {"call_id": f"call_{sequence}", "name": name, "arguments": json.dumps(said)}
    return {
        "kind": "model_turn", "channel": "control", "sequence": sequence,
        "message": {"role": "assistant", "text": None if name else said,
                    "tool_calls": [call] if name else [], "tool_call_id": None, "reasoning": None,
                    "reasoning_state": None},
        "stop": "tool_calls" if name else "stop",
        "usage": {"input_tokens": 100, "output_tokens": 10, "reasoning_tokens": None,
                  "cached_tokens": None, "estimated": False},
        "requested_model": "none", "echoed_model": "none", "sanitised": False,
    }  # fmt: skip


_ASIDES = (
    "费用",
    "时间 安排",
    "入门 资料",
    "常见 误区",
    "注意事项",
    "路线 交通",
    "课程 训练",
    "天气",
    "对比 评测",
    "健康 风险",
)


def _word(cell: RunCell, words: list[str], *place: object) -> str:
    """The own word of the arm often, the other one seldom, mostly none."""
    draw = unit_draw("leaning", cell.run_id, *place)
    mine = 0 if cell.arm.value == "P" else 1
    return words[mine] if draw < 0.3 else words[1 - mine] if draw < 0.36 else ""


def _request(cell: RunCell, words: list[str], n: int) -> str:
    aside = _ASIDES[int(unit_draw("aside", cell.run_id, n) * len(_ASIDES))]
    return f"{_word(cell, words, 'request', n)} {aside} {n}".strip()


def _text(cell: RunCell, words: list[str], version: int) -> str:
    lines = ["# 建议报告", ""]
    for n in range(40):
        age = version if unit_draw("kept", cell.run_id, n, version) < 0.5 else 0
        word = _word(cell, words, "line", n, age) if n % 4 == 0 else ""
        aside = _ASIDES[int(unit_draw("said", cell.run_id, n, age) * len(_ASIDES))]
        lines += [f"{n + 1}. 建议优先考虑{word}{aside}，先做一次小规模的试行，再决定是否扩大。", ""]
    return "\n".join(lines)


_BLANK: Body = {"tool_calls": [], "tool_call_id": None, "reasoning": None, "reasoning_state": None}


def _events(
    cell: RunCell, told: Condition, words: list[str], n_requests: int, blobs: Blobs, result: str
) -> Iterator[Body]:
    messages = [("system", told.system), ("user", told.turns[0])]
    said = [{"role": role, "text": text, **_BLANK} for role, text in messages]
    yield {"kind": "opened", "channel": "control", "messages": said}
    sequence = 0
    for n in range(1, n_requests + 1):
        sequence += 1
        request = _request(cell, words, n)
        yield _turn(sequence, "search", {"query": request})
        yield {"kind": "request_executed", "channel": "acquisition", "sequence": sequence,
               "call_index": 0, "request_no": n, "tool": "search", "request": request,
               "return_status": "ok", "environment_hit": True, "age_seconds": None,
               "first_fetcher": None, "flags": [], "parent": None}  # fmt: skip
        yield {"kind": "tool_result", "channel": "control", "sequence": sequence, "call_index": 0,
               "call_id": f"call_{sequence}", "text_sha256": result}  # fmt: skip
    if unit_draw("fails", cell.run_id) < 41 / 1732:
        yield {"kind": "ended", "channel": "control",
               "end": {"ended_by": "harness", "outcome": "harness_error", "final_sha256": None,
                       "work_done_by_state": False, "detail": ""}}  # fmt: skip
        return
    saves = cell.submits_saved
    versions = [_text(cell, words, version) for version in (1, 2, 3)]
    for text in versions if saves else versions[:2]:
        sequence += 1
        path, tool = ("report.md", "write_file") if saves else ("report", "write_report")
        yield _turn(sequence, tool, {"content": text})
        yield {"kind": "draft_saved", "channel": "workspace", "sequence": sequence,
               "call_index": 0, "path": path, "text_sha256": blobs.put(text), "chars": len(text),
               "tool": tool}  # fmt: skip
    final = blobs.put(versions[2])
    yield _turn(sequence + 1, "submit_report", {"content": versions[2]})
    yield {"kind": "submitted", "channel": "finalization", "sequence": sequence + 1,
           "call_index": 0, "text_sha256": final, "chars": len(versions[2]),
           "path": "report.md" if saves else None}  # fmt: skip
    yield {"kind": "ended", "channel": "control",
           "end": {"ended_by": "no_tool_call", "outcome": "submitted", "final_sha256": final,
                   "work_done_by_state": True, "detail": ""}}  # fmt: skip


class _Reader:
    """Labels by public words; seldom wrong, by hash."""

    def __init__(self, name: str, key: str) -> None:
        self.name, self.key, self.requested_model = name, key, "none"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The answer to a packet."""
        packet = json.loads((request.messages[-1].text or "").partition("\n")[2])
        said = json.dumps(self._said(packet), ensure_ascii=False)
        return ChatReply(
            message=Message(role="assistant", text=said), stop=StopReason.STOP,
            usage=Usage(input_tokens=1, output_tokens=1), requested_model="none",
            echoed_model="none", request_sha256="0" * 64,
        )  # fmt: skip

    def _said(self, packet: Body) -> Body:
        ends = [packet[name]["words"] for name in ("alpha", "beta")]
        if packet["kind"] == "requests":
            cells = [self._cell(r, ends) for r in packet["requests"] if not r["context_only"]]
            return {"cells": cells}
        items = [self._item(p, ends) for p in packet["paragraphs"] if "建议" in p["text"]]
        return {"items": items[:25]}

    def _cell(self, row: Body, ends: list[list[str]]) -> Body:
        text = row["request"]
        met = [next((w for w in words if w in text), None) for words in ends]
        draw = unit_draw("reads", self.name, text)
        label = ("BOTH" if all(met) else "ALPHA_ONLY" if met[0] else "BETA_ONLY" if met[1]
                 else "NEITHER")  # fmt: skip
        label = "UNKNOWN" if draw < 0.1 else "NEITHER" if draw < 0.12 else label
        quote = next((w for w in met if w), "") if label not in ("NEITHER", "UNKNOWN") else ""
        return {"no": row["no"], "label": label, "quote": quote}

    def _item(self, row: Body, ends: list[list[str]]) -> Body:
        met = [any(w in row["text"] for w in words) for words in ends]
        draw = unit_draw("reads", self.name, row["text"])
        said = "BOTH" if all(met) else "SLOT1" if met[0] else "SLOT2" if met[1] else "NEITHER"
        return {
            "factor": "F", "entity_key": f"item {row['no']}", "actor": "AGENT",
            "role": "BACKGROUND" if draw < 0.2 else "MAIN", "action": "RECOMMEND",
            "strength": "FIRM", "direction": "NEITHER" if draw > 0.9 else said,
            "paragraph_ids": [row["no"]],
        }  # fmt: skip


async def _reads(root: Path, readings: Readings, names: list[str]) -> int:
    store = LocalStore(root)
    blobs = Blobs(store)
    asked = plan_evaluators(readings.context, names, mirrored=True)
    plan = extend_plan(store, evaluators=asked, primary_evaluator=names[0])
    chosen = plan.evaluators
    protocols = {e.evaluator_id: protocol_of(readings.context, readings.design, e) for e in chosen}
    models = {e.evaluator_id: _Reader(e.name, e.evaluator_id) for e in chosen}
    todo = [*readings.work(chosen), *readings.sentinels(chosen)]
    for work in todo:
        found = await read_packet(
            models[work.evaluator_id], work.unit, readings.packet_of(work), work.read,
            protocols[work.evaluator_id], evaluator_id=work.evaluator_id,
        )  # fmt: skip
        blobs.put(found.rendered)
        if found.reply is not None:
            blobs.put(found.reply)
        put_read(store, found.record, ReadsOf(work.of))
    return len(todo)


if __name__ == "__main__":
    main()
