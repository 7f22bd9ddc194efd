"""A scripted model on the loopback that plays agent and customer of one telecom task.

Stateless: the role is the model's name, the step the number of its own messages in the request.
Every request is kept, so that a test can see who was told what.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

AGENT, CUSTOMER = "rehearsal-agent-tau2", "rehearsal-user-tau2"
TASK = "[service_issue]airplane_mode_on|overdue_bill_suspension[PERSONA:None]"
Step = Mapping[str, Any]


def call(name: str, **arguments: Any) -> Step:
    """A turn that calls one tool."""
    return {"calls": [(name, arguments)]}


def tagged(text: str, stage: str) -> Step:
    """A turn of words with a tag."""
    return {"text": f"{text}\n<stage>{stage}</stage>"}


AGENT_STEPS: tuple[Step, ...] = (
    tagged("What is your number?", "NEEDS_INFO"),
    call("get_customer_by_phone", phone_number="555-123-2002"),
    call("get_details_by_id", id="L1002"),
    tagged("Please switch airplane mode off.", "READY"),
    tagged("Now your bill: I am sending the request to pay.", "POST_OBS"),
    call("get_bills_for_customer", customer_id="C1001"),
    call("send_payment_request", customer_id="C1001", bill_id="B1234321"),
    tagged("Please pay it.", "POST_OBS"),
    call("resume_line", customer_id="C1001", line_id="L1002"),
    tagged("All is done.", "COMPLETED"),
    tagged("Glad to hear it.", "COMPLETED"),
)
CUSTOMER_STEPS: tuple[Step, ...] = (
    {"text": "My phone has no service."},
    {"text": "It is 555-123-2002."},
    call("toggle_airplane_mode"),
    {"text": "Airplane mode is off; there is still no service."},
    {"text": "Go on."},
    call("check_payment_request"),
    call("make_payment"),
    {"text": "I have paid."},
    call("reboot_device"),
    call("check_status_bar"),
    {"text": "It works now, thank you!"},
    {"text": "###STOP###"},
)


class Server:
    """The model's address, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}/v1"
        self.requests: list[dict[str, Any]] = []

    def of(self, model: str) -> list[dict[str, Any]]:
        """Requests to one model."""
        return [r for r in self.requests if r["model"] == model]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the script says next."""
        self.requests.append(request)
        agent = request["model"] == AGENT
        place = sum(m["role"] == "assistant" for m in request["messages"]) - int(agent)
        script = AGENT_STEPS if agent else CUSTOMER_STEPS
        return _completion(request["model"], place, script[min(place, len(script) - 1)])


def _completion(model: str, place: int, step: Step) -> dict[str, Any]:
    calls = [
        {"id": f"call_{model[10]}{place}_{i}", "type": "function",
         "function": {"name": name, "arguments": json.dumps(arguments)}}
        for i, (name, arguments) in enumerate(step.get("calls", ()))
    ]  # fmt: skip
    message = {"role": "assistant", "content": step.get("text"), "tool_calls": calls or None}
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


@contextmanager
def serving() -> Iterator[Server]:
    """The model while a test runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            data = json.dumps(known.answer(json.loads(self.rfile.read(length)))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Server(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
