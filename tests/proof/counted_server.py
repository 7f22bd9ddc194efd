"""The rehearsal app on loopback, behind a counter. Run as a program: `counted_server.py LOG`.

Prints its base URL. Every request becomes one line of LOG before it is answered: the life
that asked (its key, `life-pid-fatal`), the seed, and the number of assistant messages in the
body. A life may name the number of its own request that it does not outlive.
"""

import json
import os
import signal
import socket
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import uvicorn

from draligned.rehearsal.app import make_app


class Counting:
    """ASGI middleware that writes down who asks for what."""

    def __init__(self, app: Any, log: Path) -> None:
        self._app = app
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._asked: Counter[str] = Counter()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Count one request, then answer it."""
        raw = b""
        more = True
        while more:
            message = await receive()
            raw += message.get("body", b"")
            more = message.get("more_body", False)
        life, pid, fatal = _life(scope)
        body = json.loads(raw)
        turns = sum(m["role"] == "assistant" for m in body["messages"])
        line = json.dumps([life, body["seed"], turns])
        os.write(self._log, line.encode() + b"\n")
        self._asked[life] += 1
        if self._asked[life] == fatal:
            os.kill(pid, signal.SIGKILL)

        async def replay() -> dict[str, Any]:
            return {"type": "http.request", "body": raw, "more_body": False}

        await self._app(scope, replay, send)


def _life(scope: Any) -> tuple[str, int, int]:
    key = dict(scope["headers"])[b"authorization"].decode().removeprefix("Bearer ")
    life, pid, fatal = key.split("-")
    return life, int(pid), int(fatal)


def serve(log: Path) -> None:
    """Serve until killed."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", flush=True)  # noqa: T201
        config = uvicorn.Config(Counting(make_app(), log), log_level="critical", lifespan="off")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
