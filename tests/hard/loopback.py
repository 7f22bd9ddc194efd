"""A provider on a loopback port whose answers are scripted, one script a model name."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import uvicorn

from draligned.rehearsal.app import make_app

Message = dict[str, Any]


class Said(NamedTuple):
    """One HTTP answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


class Asked(NamedTuple):
    """One request, as it came."""

    body: dict[str, Any]
    mono: float

    @property
    def turn(self) -> int:
        """Turns of the assistant so far."""
        return sum(m["role"] == "assistant" for m in self.body["messages"])


Answer = Callable[[Asked], Said | None]
"""What to say; None hands the request to the rehearsal app."""


@dataclass
class Loopback:
    """Answers by the name of the model asked for, and keeps every request."""

    url: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    seen: list[Asked] = field(default_factory=list)
    _rehearsal: Any = field(default_factory=make_app)

    def asked(self, model: str) -> list[Asked]:
        """Requests to one model, in the order they came."""
        return [a for a in self.seen if a.body["model"] == model]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        raw, more = b"", True
        while more:
            message = await receive()
            raw, more = raw + message["body"], message.get("more_body", False)
        asked = Asked(self.hear(raw), time.monotonic())
        self.seen.append(asked)
        said = self.answers[asked.body["model"]](asked)
        if said is None:
            await self._rehearsal(scope, _again(raw), send)
            return
        said = self.speak(raw, said)
        headers = [(k.encode(), v.encode()) for k, v in said.headers.items()]
        await send({"type": "http.response.start", "status": said.status, "headers": headers})
        await send({"type": "http.response.body", "body": said.body})

    def hear(self, raw: bytes) -> dict[str, Any]:
        """The body of a request, as of chat completions."""
        body = json.loads(raw)
        assert isinstance(body, dict)
        return body

    def speak(self, _raw: bytes, said: Said) -> Said:
        """What was said of chat completions, as the one who asked wants it."""
        return said


def _again(raw: bytes) -> Any:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": raw, "more_body": False}

    return receive


@contextmanager
def serving(app: Loopback) -> Iterator[Loopback]:
    """Serve `app` while the block runs."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        config = uvicorn.Config(app, log_level="critical", lifespan="off", http="h11")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield app
        finally:
            server.should_exit = True
            thread.join()


def raw(payload: Any) -> Said:
    """A 200 with `payload` as JSON; lone surrogates go out as escapes."""
    return Said(body=json.dumps(payload).encode())


def completion(message: Message, finish: str | None = None, **extra: Any) -> Said:
    """A 200 with one choice, and usage unless `extra` says otherwise."""
    default = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish or default}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    payload = {"model": "echoed", "choices": [choice], "usage": usage, **extra}
    return raw({k: v for k, v in payload.items() if v != "leave out"})


def call(name: str, arguments: Any, call_id: Any = "c1") -> dict[str, Any]:
    """A tool call; `arguments` that are text go out as they are."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def sound(name: str, value: str, call_id: str = "c1") -> dict[str, Any]:
    """A call as it should be."""
    argument = {"search": "query", "read": "url"}.get(name, "content")
    return call(name, json.dumps({argument: value}, ensure_ascii=False), call_id)


def says(content: Any, *calls: dict[str, Any], finish: str | None = None, **extra: Any) -> Said:
    """A turn with `content` and `calls`."""
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    return completion(message, finish, **extra)


def script(*turns: Said) -> Answer:
    """Turn by turn; the last one for ever."""
    return lambda asked: turns[min(asked.turn, len(turns) - 1)]
