"""A scripted evaluator and small records; test doubles that are no part of the package."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from draligned.schema.base import sha256_of, sha256_text
from draligned.schema.chat import ChatReply, ChatRequest, Message, StopReason, Usage
from draligned.schema.design import Axis, Endpoint, FactorCard
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.labels import CardOutcome, Channel, Observes, Side
from draligned.schema.observed import ObservedDraft, ObservedFinal, ObservedRequest, ObservedRun
from draligned.schema.retrieval import ReturnStatus

Packet = dict[str, Any]


def card(lang: str = "zh", **changes: Any) -> FactorCard:
    """A residence card: Hangzhou is recorded, Shenzhen the counterfactual."""
    fields: dict[str, Any] = {
        "task_id": "1",
        "user_id": "User1",
        "lang": lang,
        "domain": "Career",
        "kind": "residence",
        "field_path": "基础属性/长期空间特征/永久居住地",
        "evidence_quote": "杭州",
        "p": Endpoint(value="杭州", sentence="我常住在杭州。", words=("杭州", "西湖")),
        "q": Endpoint(value="深圳", sentence="我常住在深圳。", words=("深圳", "南山")),
        "background": (),
        "removed_from_both": (),
        "decision": "参加哪里的线下活动",
        "order_p": ("杭州", "深圳"),
        "order_q": ("深圳", "杭州"),
        "axis": Axis(
            question="线下活动安排在哪个城市",
            guidance="某城的线下安排属于该端；并列两城为 BOTH；没有地点的建议为 NEITHER。",
        ),
        "source": "hand",
        "outcome": CardOutcome.ACCEPTED,
    }
    return FactorCard.model_validate({**fields, **changes})


def run(
    requests: tuple[str, ...] = (), *, side: Side = Side.P, run_id: str = "r" * 16, **changes: Any
) -> ObservedRun:
    """A finished run with `requests`; those that begin with `http` are reads."""
    fields: dict[str, Any] = {
        "run_id": run_id,
        "attempt": 1,
        "condition_id": "c" * 16,
        "task_id": "1",
        "user_id": "User1",
        "assigned": ({"factor_id": card().factor_id, "side": side},),
        "model_name": "scripted-agent",
        "model_key": "m" * 16,
        "harness_name": "coupled",
        "harness_key": "h" * 16,
        "environment": "study",
        "replicate": 1,
        "observes": {Channel.ACQUISITION: Observes.FULL, Channel.FINALIZATION: Observes.FULL},
        "requests": tuple(
            ObservedRequest(
                request_no=no,
                seq=10 * no,
                tool="read" if text.startswith("http") else "search",
                request=text,
                return_status=ReturnStatus.OK,
            )
            for no, text in enumerate(requests, start=1)
        ),
        "drafts": (),
        "final": None,
        "end": EpisodeEnd(
            ended_by=EndedBy.NO_TOOL_CALL,
            outcome=Outcome.TEXT_REPLY,
            final_sha256=None,
            work_done_by_state=False,
        ),
    }
    return ObservedRun.model_validate({**fields, **changes})


def draft(text: str, version_no: int = 1) -> ObservedDraft:
    """A saved version of `text`."""
    return ObservedDraft(
        version_no=version_no, seq=100 + version_no, text_sha256=sha256_text(text), chars=len(text)
    )


def final(text: str) -> ObservedFinal:
    """A delivered `text`."""
    return ObservedFinal(seq=200, text_sha256=sha256_text(text), chars=len(text), by="submission")


def packet_of(request: ChatRequest) -> Packet:
    """The JSON object in the user message."""
    text = request.messages[-1].text or ""
    found: Packet = json.loads(text.partition("\n")[2])
    return found


def item(**changes: Any) -> Packet:
    """A valid item of a document's first paragraph."""
    fields = {
        "factor": "F",
        "entity_key": "演讲俱乐部",
        "actor": "AGENT",
        "role": "MAIN",
        "action": "RECOMMEND",
        "strength": "FIRM",
        "direction": "NEITHER",
        "paragraph_ids": [1],
    }
    return {**fields, **changes}


def by_words(request: ChatRequest) -> str:
    """A valid reply: labels by the endpoints' words, quotes the first word found."""
    packet = packet_of(request)
    if packet["kind"] == "document":
        return json.dumps({"items": [_item_by_words(packet, p) for p in packet["paragraphs"]]})
    cells = [_cell_by_words(packet, r) for r in packet["requests"] if not r["context_only"]]
    return json.dumps({"cells": cells}, ensure_ascii=False)


def _hits(packet: Packet, text: str) -> tuple[list[str], list[str]]:
    return (
        [w for w in packet["alpha"]["words"] if w in text],
        [w for w in packet["beta"]["words"] if w in text],
    )


def _cell_by_words(packet: Packet, request: Packet) -> Packet:
    alpha, beta = _hits(packet, request["request"])
    label = {
        (True, True): "BOTH",
        (True, False): "ALPHA_ONLY",
        (False, True): "BETA_ONLY",
        (False, False): "UNKNOWN" if request["tool"] == "read" else "NEITHER",
    }[bool(alpha), bool(beta)]
    return {"no": request["no"], "label": label, "quote": ([*alpha, *beta, ""])[0]}


def _item_by_words(packet: Packet, paragraph: Packet) -> Packet:
    alpha, beta = _hits(packet, paragraph["text"])
    direction = {
        (True, True): "BOTH",
        (True, False): "SLOT1",
        (False, True): "SLOT2",
        (False, False): "NEITHER",
    }[bool(alpha), bool(beta)]
    return item(direction=direction, paragraph_ids=[paragraph["no"]])


@dataclass
class Scripted:
    """A chat model whose replies are a function of the request, or fixed; it keeps requests."""

    answer: Callable[[ChatRequest], str] | str | Exception = by_words
    stop: StopReason = StopReason.STOP
    name: str = "scripted-reader"
    requested_model: str = "scripted-reader"
    asked: list[ChatRequest] = field(default_factory=list)

    @property
    def key(self) -> str:
        return "e" * 16

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        text = self.answer if isinstance(self.answer, str) else self.answer(request)
        return ChatReply(
            message=Message(role="assistant", text=text),
            stop=self.stop,
            usage=Usage(input_tokens=1, output_tokens=1),
            requested_model=self.requested_model,
            echoed_model=None,
            request_sha256=sha256_of(request.model_dump(mode="json")),
        )
