"""One step of a plan as what the agent says and calls."""

import json
from dataclasses import dataclass

from draligned.rehearsal.brief import TaskBrief
from draligned.rehearsal.delegation import Errand, write_sub_task
from draligned.rehearsal.documents import leans_of, write_document, write_notes
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.edits import passage
from draligned.rehearsal.history import (
    came_to_nothing,
    opened,
    results,
    saved_files,
    urls_in,
)
from draligned.rehearsal.housekeeping import NOTES, REPORT
from draligned.rehearsal.phrases import phrases
from draligned.rehearsal.queries import query_for
from draligned.rehearsal.steps import PlannedRequest, Step
from draligned.rehearsal.wire import Answer, Asked, Call

_SOURCES = 3
_HITS = 5


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The agent at one point of an episode, a stage or a sub-task."""

    asked: Asked
    brief: TaskBrief
    draws: Draws
    queries: tuple[str, ...] = ()
    """By number of the request; empty: they are made up from the task."""

    def answer(self, step: Step, id_stem: str) -> Answer:
        """What the step says; calls are named after `id_stem`."""
        calls = self._calls(step)
        return Answer(calls=calls, id_stem=id_stem) if calls else self._reply(step)

    def _reply(self, step: Step) -> Answer:
        match step.kind:
            case "text":
                return Answer(text=self._document(step))
            case "closing":
                return Answer(text=self._closing(step))
            case "hand_over":
                notes = self._notes() if step.notes else phrases(self.brief.lang).handing_over
                return Answer(text=notes)
            case "length_cut":
                document = self._document(step)
                return Answer(text=document[: len(document) // 2], finish="length")
            case _:
                return Answer(text="")

    def _calls(self, step: Step) -> tuple[Call, ...]:
        match step.kind:
            case "requests":
                noted = (self._fill("write_file", self._notes(), NOTES),) if step.notes else ()
                return (*noted, *self._requests(step))
            case "broken_call":
                return (self._broken(step.requests[0]),)
            case "delegate":
                return self._delegations(step)
            case "write":
                return (self._save(step),)
            case "submit":
                return (*((self._save(step),) if step.saves else ()), self._submit(step))
            case _:
                return self._upkeep(step)

    def _upkeep(self, step: Step) -> tuple[Call, ...]:
        """Calls around the files."""
        match step.kind:
            case "list":
                return (_call("list_files"),)
            case "notes":
                return (self._fill("write_file", self._notes(), NOTES),)
            case "read_back":
                return (_call("read_file", path=step.path),)
            case "stray":
                return (self._stray(step.path),)
            case _:
                return ()

    def _requests(self, step: Step) -> tuple[Call, ...]:
        seen = opened(self.asked.messages)
        calls: list[Call] = []
        for request in step.requests:
            url = self._hit(request, seen) if request.tool == "read" else None
            if url is None:
                calls.append(_call("search", query=self.query(request)))
            else:
                seen.append(url)
                calls.append(_call("read", url=url))
        return tuple(calls)

    def query(self, request: PlannedRequest) -> str:
        """The query of a planned search."""
        if self.queries:
            return self.queries[request.number]
        return query_for(request, self.brief, self.draws)

    def _broken(self, request: PlannedRequest) -> Call:
        whole = _call("search", query=self.query(request))
        return Call(name="search", arguments=whole.arguments[:-2])

    def _delegations(self, step: Step) -> tuple[Call, ...]:
        cut = step.in_one or len(step.requests)
        parameter = next(iter(self.asked.tools["delegate"]), "task")
        errands = [Errand(r.tool, self.query(r)) for r in step.requests]
        return tuple(
            _call("delegate", **{parameter: write_sub_task(part, self.brief.lang)})
            for part in (errands[:cut], errands[cut:])
            if part
        )

    def _hit(self, request: PlannedRequest, seen: list[str]) -> str | None:
        """An address that the latest tool results name and that was not opened yet."""
        for result in reversed(results(self.asked.messages)):
            fresh = [u for u in urls_in(result) if u not in seen]
            if fresh:
                return self.draws.pick(fresh[:_HITS], "hit", request.number)
        return None

    def _document(self, step: Step) -> str:
        if step.repeats and leans_of(self.brief.handed, self.brief) == step.leans:
            return self.brief.handed
        sources = opened(self.asked.messages) or urls_in(self.brief.handed)
        return write_document(step, self.brief, self.draws, sources[:_SOURCES])

    def _notes(self) -> str:
        found = [u for text in results(self.asked.messages) for u in urls_in(text)]
        return write_notes(self.brief, list(dict.fromkeys(found))[:_HITS])

    def _closing(self, step: Step) -> str:
        """A word, or the report itself where what was saved could not be submitted."""
        told = results(self.asked.messages)
        if not self._takes_text() and told and came_to_nothing(told[-1]):
            return self._document(step)
        return phrases(self.brief.lang).closing

    def _save(self, step: Step) -> Call:
        tools = self.asked.tools
        text = self._document(step)
        if "write_report" in tools:
            return self._fill("write_report", text)
        current = saved_files(self.asked.messages).get(REPORT) if step.edit else None
        edit = passage(current, text) if current else None
        if edit:
            return _call("edit_file", path=REPORT, old=edit[0], new=edit[1])
        return self._fill("write_file", text)

    def _stray(self, which: str) -> Call:
        """A call that a workspace refuses."""
        match which:
            case "parent_path":
                return self._fill("write_file", self._notes(), f"../{REPORT}")
            case "absolute_path":
                return self._fill("write_file", self._notes(), f"/{REPORT}")
            case "not_found":
                return _call("read_file", path="sources.md")
            case _:
                absent = phrases(self.brief.lang).absent
                return _call("edit_file", path=REPORT, old=absent, new=absent + absent)

    def _submit(self, step: Step) -> Call:
        return self._fill(self._submission, self._document(step) if self._takes_text() else "")

    @property
    def _submission(self) -> str:
        return "submit_report" if "submit_report" in self.asked.tools else "submit_file"

    def _takes_text(self) -> bool:
        return bool({"content", "text"} & set(self.asked.tools.get(self._submission, ())))

    def _fill(self, tool: str, content: str, path: str = REPORT) -> Call:
        """A call whose text parameter holds `content`, and the other one the path."""
        names = self.asked.tools[tool]
        return _call(tool, **{p: content if p in ("content", "text") else path for p in names})


def _call(name: str, /, **arguments: str) -> Call:
    return Call(name=name, arguments=json.dumps(arguments, ensure_ascii=False))
