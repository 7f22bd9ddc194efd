"""What the messages of a request say that the agent has done and seen."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draligned.rehearsal.wire import text_of

Messages = Sequence[Mapping[str, Any]]
_URL = re.compile(r"https?://[^\s<>\"'“”（）()\[\]]+")
_TOKEN = re.compile(r"call_([0-9a-f]{16})_\d+_\d+")
_NOT_DONE = ("refused", "已拒绝", "access_denied", "budget_exhausted", "tool_call_invalid")
"""How results begin of calls that changed nothing."""


@dataclass(frozen=True, kw_only=True)
class PastCall:
    """A call of the agent's own, as it stands in the messages."""

    call_id: str
    name: str
    arguments: str
    """Raw; it may be broken."""

    def argument(self, name: str) -> str | None:
        """A text argument; none where the call has none of that name."""
        try:
            values: Any = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return None
        value = values.get(name) if isinstance(values, dict) else None
        return value if isinstance(value, str) else None


def calling_turns(messages: Messages) -> list[Mapping[str, Any]]:
    """The agent's messages that have tool calls."""
    turns = (m for m in messages if m.get("role") == "assistant")
    return [t for t in turns if t.get("tool_calls") and isinstance(t["tool_calls"], list)]


def past_calls(messages: Messages) -> Iterator[PastCall]:
    """All calls that the agent has made, in order."""
    for turn in calling_turns(messages):
        for call in turn["tool_calls"]:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                yield PastCall(
                    call_id=str(call.get("id")),
                    name=str(function.get("name")),
                    arguments=str(function.get("arguments") or ""),
                )


def token_of(messages: Messages) -> str | None:
    """The plan's token from the first of the agent's own call ids that holds one."""
    found = (_TOKEN.fullmatch(call.call_id) for call in past_calls(messages))
    return next((match[1] for match in found if match), None)


def opened(messages: Messages) -> list[str]:
    """Addresses the agent has opened, in order."""
    reads = (c for c in past_calls(messages) if c.name == "read")
    return [url for call in reads if (url := call.argument("url"))]


def urls_in(text: str) -> list[str]:
    """Addresses in a text, each once, in order."""
    return list(dict.fromkeys(_URL.findall(text)))


def results(messages: Messages) -> list[str]:
    """Texts of the tool results, in order."""
    return [text_of(m) for m in messages if m.get("role") == "tool"]


def came_to_nothing(result: str) -> bool:
    """Whether a tool's result says that the call was refused or not executed."""
    return result.startswith(_NOT_DONE)


def saved_files(messages: Messages) -> dict[str, str]:
    """The files as the agent's own calls have left them, by path."""
    answered = {str(m.get("tool_call_id")): text_of(m) for m in messages if m.get("role") == "tool"}
    files: dict[str, str] = {}
    for call in past_calls(messages):
        if call.name not in ("write_file", "edit_file"):
            continue
        if call.call_id in answered and not came_to_nothing(answered[call.call_id]):
            _apply(call, files)
    return files


def _apply(call: PastCall, files: dict[str, str]) -> None:
    path = call.argument("path")
    if path is None:
        return
    if call.name == "write_file":
        files[path] = call.argument("content") or ""
    elif path in files:
        old, new = call.argument("old"), call.argument("new")
        if old and new is not None:
            files[path] = files[path].replace(old, new, 1)
