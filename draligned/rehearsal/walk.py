"""One step of a plan as what the agent says and calls."""

import json
import re
from dataclasses import dataclass
from typing import Any

from draligned.rehearsal.brief import TaskBrief
from draligned.rehearsal.documents import write_document
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.phrases import phrases
from draligned.rehearsal.plan import PlannedRequest, Step
from draligned.rehearsal.queries import query_for
from draligned.rehearsal.wire import Answer, Asked, Call, text_of

_URL = re.compile(r"https?://[^\s<>\"'“”（）()\[\]]+")
_PATH = "report.md"
_SOURCES = 3


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The agent at one point of an episode."""

    asked: Asked
    brief: TaskBrief
    draws: Draws

    def answer(self, step: Step, id_stem: str) -> Answer:
        """What the step says; calls are named after `id_stem`."""
        match step.kind:
            case "requests":
                return Answer(calls=self._requests(step), id_stem=id_stem)
            case "broken_call":
                return Answer(calls=(self._broken(step.requests[0]),), id_stem=id_stem)
            case "write":
                return Answer(calls=(self._write(step),), id_stem=id_stem)
            case "submit":
                return Answer(calls=(self._submit(step),), id_stem=id_stem)
            case "text":
                return Answer(text=self._document(step))
            case "closing":
                return Answer(text=phrases(self.brief.lang).closing)
            case "length_cut":
                document = self._document(step)
                return Answer(text=document[: len(document) // 2], finish="length")
            case "empty":
                return Answer(text="")

    def _requests(self, step: Step) -> tuple[Call, ...]:
        opened = self._opened()
        calls: list[Call] = []
        for request in step.requests:
            url = self._hit(request, opened) if request.tool == "read" else None
            if url is None:
                calls.append(_call("search", query=query_for(request, self.brief, self.draws)))
            else:
                opened.append(url)
                calls.append(_call("read", url=url))
        return tuple(calls)

    def _broken(self, request: PlannedRequest) -> Call:
        whole = _call("search", query=query_for(request, self.brief, self.draws))
        return Call(name="search", arguments=whole.arguments[:-2])

    def _hit(self, request: PlannedRequest, opened: list[str]) -> str | None:
        """An address that the latest tool results name and that was not opened yet."""
        for message in reversed(self.asked.messages):
            if message.get("role") != "tool":
                continue
            named: list[str] = _URL.findall(text_of(message))
            fresh = [u for u in dict.fromkeys(named) if u not in opened]
            if fresh:
                return self.draws.pick(fresh[:5], "hit", request.number)
        return None

    def _opened(self) -> list[str]:
        """Addresses the agent has opened, in order."""
        calls = (
            call.get("function", {})
            for message in self.asked.messages
            if message.get("role") == "assistant"
            for call in message.get("tool_calls") or ()
        )
        return [url for c in calls if c.get("name") == "read" and (url := _url_in(c))]

    def _document(self, step: Step) -> str:
        sources = self._opened()[:_SOURCES]
        return write_document(step, self.brief, self.draws, sources)

    def _write(self, step: Step) -> Call:
        tools = self.asked.tools
        tool = "write_report" if "write_report" in tools else "write_file"
        return self._fill(tool, self._document(step))

    def _submit(self, step: Step) -> Call:
        tool = "submit_report" if "submit_report" in self.asked.tools else "submit_file"
        takes_text = {"content", "text"} & set(self.asked.tools[tool])
        return self._fill(tool, self._document(step) if takes_text else "")

    def _fill(self, tool: str, content: str) -> Call:
        """A call whose text parameter holds `content` and whose path is always the same."""
        values = {p: content if p in ("content", "text") else _PATH for p in self.asked.tools[tool]}
        return _call(tool, **values)


def _url_in(function: dict[str, Any]) -> str | None:
    try:
        arguments: Any = json.loads(function.get("arguments", ""))
    except (ValueError, TypeError):
        return None
    url = arguments.get("url") if isinstance(arguments, dict) else None
    return url if isinstance(url, str) else None


def _call(name: str, **arguments: str) -> Call:
    return Call(name=name, arguments=json.dumps(arguments, ensure_ascii=False))
