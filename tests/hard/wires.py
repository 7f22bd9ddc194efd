"""The scripted provider of `loopback` over the other wires: in events, and as responses."""

import json
from typing import Any

from draligned.rehearsal.responses import read_response_request

from .agents import AGENTS, Case
from .loopback import Loopback, Said


def completion_of(said: Said) -> dict[str, Any] | None:
    """The completion that was said; none for anything else, which goes out as it is."""
    try:
        payload = json.loads(said.body)
    except (ValueError, RecursionError):
        return None
    choices = payload.get("choices") if said.status == 200 and isinstance(payload, dict) else None
    sound = isinstance(choices, list) and choices and isinstance(choices[0].get("message"), dict)
    return payload if sound else None


class Streamed(Loopback):
    """Says it in events: every choice a chunk of its own, then why it stopped."""

    def hear(self, raw: bytes) -> dict[str, Any]:
        """The body, with what the provider was asked over."""
        body = super().hear(raw)
        assert body["stream"]
        return {**body, "wire": "streamed"}

    def speak(self, _raw: bytes, said: Said) -> Said:
        """A completion as chunks."""
        payload = completion_of(said)
        if payload is None:
            return said
        head = {k: v for k, v in payload.items() if k not in ("choices", "usage")}
        events: list[Any] = []
        for number, choice in enumerate(payload["choices"]):
            place = {"index": number, "delta": choice["message"], "finish_reason": None}
            events.append({**head, "choices": [place]})
            end = {"index": number, "delta": {}, "finish_reason": choice.get("finish_reason")}
            events.append({**head, "choices": [end]})
        events.append({**head, "choices": [], "usage": payload.get("usage")})
        lines = [*(json.dumps(e) for e in events), "[DONE]"]
        body = b": alive\r\n\r\n" + "".join(f"data: {line}\r\n\r\n" for line in lines).encode()
        return Said(200, body, {"Content-Type": "text/event-stream"})


class Responding(Loopback):
    """Says it over the responses interface."""

    def hear(self, raw: bytes) -> dict[str, Any]:
        """The body as of chat completions, with what the provider was asked over."""
        return {**read_response_request(raw).body, "wire": "responses"}

    def speak(self, _raw: bytes, said: Said) -> Said:
        """A completion as a response."""
        payload = completion_of(said)
        if payload is None:
            return said
        choice = payload["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason")
        items: list[Any] = []
        if thought := message.get("reasoning_content"):
            part = {"type": "summary_text", "text": thought}
            items.append({"type": "reasoning", "summary": [part]})
        if message.get("content") is not None:
            items.append({"type": "message", "content": message["content"]})
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            made = {k: function.get(k) for k in ("name", "arguments")}
            items.append({"type": "function_call", "call_id": call.get("id"), **made})
        usage = payload.get("usage")
        answer = {"model": payload.get("model"), "output": items, "usage": usage}
        return Said(200, json.dumps({**answer, **_status(finish)}).encode())


def _status(finish: Any) -> dict[str, Any]:
    """The status for why a completion stopped."""
    if finish in ("stop", "tool_calls", None):
        return {"status": "completed"}
    if finish in ("error", "insufficient_system_resource"):
        return {"status": "failed", "error": {"message": finish}}
    return {"status": "incomplete", "incomplete_details": {"reason": finish}}


STREAMED: dict[str, Case] = {n: c for n, c in AGENTS.items() if n != "end_twice_content"}
"""A key that stands twice does not outlive the translation."""

_ONLY_IN_COMPLETIONS = (
    "beside_",
    "broken_no_object",
    "broken_null",
    "end_calls_",
    "end_old_call",
    "end_other_choice",
    "end_same_choices",
    "heals_lost_calls",
)
RESPONDING = {n: c for n, c in STREAMED.items() if not n.startswith(_ONLY_IN_COMPLETIONS)}
"""Shapes that only a completion has are left out."""
