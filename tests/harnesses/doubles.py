"""Doubles: a model that says what a script tells it, and a source of two pages."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from draligned.harnesses.episode import run_episode
from draligned.harnesses.registry import COUPLED
from draligned.harnesses.sandbox.paths import check_path
from draligned.harnesses.sandbox.protocol import CodeResult, FileEntry
from draligned.retrieval.protocol import Served
from draligned.schema.chat import (
    ChatReply,
    ChatRequest,
    Message,
    StopReason,
    ToolCall,
    Usage,
)
from draligned.schema.design import Assigned, Condition
from draligned.schema.endings import EpisodeEnd
from draligned.schema.errors import SandboxFailed, WorkspaceRefusal
from draligned.schema.events import Body, Event, RunHeader
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Channel, Observes, Side
from draligned.schema.refusals import RefusalReason
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore
from draligned.study.attempts import events_key
from draligned.study.log import read_events

RUN = "00112233445566aa"


def made(name: str, call_id: str = "", **arguments: str) -> ToolCall:
    """A well-formed call of any tool."""
    return ToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def call(name: str, value: str, call_id: str = "") -> ToolCall:
    """A well-formed call of a tool of one argument."""
    argument = {"search": "query", "read": "url"}.get(name, "content")
    return ToolCall(
        call_id=call_id, name=name, arguments=json.dumps({argument: value}, ensure_ascii=False)
    )


def says(
    text: str | None = None,
    *calls: ToolCall,
    stop: StopReason | None = None,
    tokens: int = 10,
    estimated: bool = False,
    reasoning: str | None = None,
) -> ChatReply:
    """One reply."""
    return ChatReply(
        message=Message(role="assistant", text=text, tool_calls=calls, reasoning=reasoning),
        stop=stop or (StopReason.TOOL_CALLS if calls else StopReason.STOP),
        usage=Usage(input_tokens=1, output_tokens=tokens, estimated=estimated),
        requested_model="scripted",
        echoed_model="scripted",
        request_sha256="0" * 64,
    )


Line = ChatReply | BaseException


@dataclass
class Scripted:
    """Answers call n with line n, so that a resumed episode is answered as the first was."""

    lines: Callable[[int], Line]
    requests: list[ChatRequest] = field(default_factory=list)
    name: str = "scripted"
    key: str = "0123456789abcdef"
    requested_model: str = "scripted"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        self.requests.append(request)
        line = self.lines(request.key.sequence)
        if isinstance(line, BaseException):
            raise line
        return line


def script(*lines: Line) -> Scripted:
    """A model that says these lines in turn."""
    return Scripted(lambda sequence: lines[sequence - 1])


def always(line: Callable[[int], Line]) -> Scripted:
    """A model whose line depends on the number of the call."""
    return Scripted(line)


@dataclass
class Pages:
    """Finds one page for every query; `status_of` makes requests fail, `error_of` raises."""

    status_of: Callable[[str], ReturnStatus] = lambda request: ReturnStatus.OK
    error_of: Callable[[str], Exception | None] = lambda request: None
    asked: list[str] = field(default_factory=list)
    environment: str = "pages"

    async def search(self, query: str) -> Served:
        """See `Retrieval.search`."""
        status = self._ask(query)
        hits = (SearchHit(title="T", url="https://a.example/1", snippet=f"on {query}"),)
        ok = status is ReturnStatus.OK
        answer = RetrievalAnswer(
            tool="search", request=query, status=status, hits=hits if ok else ()
        )
        return Served(answer, True)

    async def read(self, url: str) -> Served:
        """See `Retrieval.read`."""
        status = self._ask(url)
        text = "page text" if status is ReturnStatus.OK else ""
        return Served(RetrievalAnswer(tool="read", request=url, status=status, text=text), True)

    def _ask(self, request: str) -> ReturnStatus:
        self.asked.append(request)
        error = self.error_of(request)
        if error is not None:
            raise error
        return self.status_of(request)


SCRIPTED = {
    Side.P: ("任务：\n沟通提升", "用户情况：\n常住地是杭州。"),
    Side.Q: ("任务：\n沟通提升", "用户情况：\n常住地是深圳。"),
}


async def opened(files: Mapping[str, str]) -> "Files":
    """A workspace without a sandbox."""
    return Files(dict(files))


@dataclass
class Files:
    """A workspace in memory, with the same names allowed and the same words of refusal."""

    files: dict[str, str]

    async def list_files(self) -> tuple[FileEntry, ...]:
        """See `Workspace.list_files`."""
        return tuple(FileEntry(p, len(t.encode())) for p, t in sorted(self.files.items()))

    async def read_file(self, path: str) -> str:
        """See `Workspace.read_file`."""
        check_path(path)
        if path not in self.files:
            raise WorkspaceRefusal(RefusalReason.NOT_FOUND, path)
        return self.files[path]

    async def write_file(self, path: str, content: str) -> None:
        """See `Workspace.write_file`."""
        check_path(path)
        self.files[path] = content

    async def edit_file(self, path: str, old: str, new: str) -> str:
        """See `Workspace.edit_file`."""
        content = await self.read_file(path)
        if content.count(old) != 1:
            missing = old not in content
            raise WorkspaceRefusal(
                RefusalReason.OLD_TEXT_MISSING if missing else RefusalReason.OLD_TEXT_NOT_UNIQUE
            )
        self.files[path] = content.replace(old, new)
        return self.files[path]

    async def run_python(self, code: str) -> CodeResult:
        """Writes `code` to the file `made.txt`; dies of the code `die`."""
        if code == "die":
            raise SandboxFailed("dead")
        self.files["made.txt"] = code
        return CodeResult(exit="ok", output=f"ran {code}", saved={"made.txt": code})

    async def aclose(self) -> None:
        """See `Workspace.aclose`."""
        self.files = {}


def condition(side: Side = Side.P, turns: tuple[str, ...] | None = None) -> Condition:
    """A condition whose arms differ in the last sentence."""
    city = "杭州" if side is Side.P else "深圳"
    return Condition(
        task_id="1",
        user_id="User1",
        lang="zh",
        assigned=(Assigned(factor_id="f" * 16, side=side),),
        system="研究助手。之后不会再有用户回复。",
        turns=turns or (f"任务：\n沟通提升\n\n用户情况：\n常住地是{city}。",),
    )


def header(cond: Condition, run_id: str = RUN, attempt: int = 1) -> RunHeader:
    """A header of that condition."""
    return RunHeader(
        run_id=run_id,
        attempt=attempt,
        condition_id=cond.condition_id,
        design_sha256="d" * 64,
        model_name="scripted",
        model_key="0123456789abcdef",
        requested_model="scripted",
        harness_name="coupled",
        harness_key=COUPLED.key,
        environment="pages",
        replicate=1,
        observes={c: Observes.FULL for c in Channel if c is not Channel.CONTROL},
        rehearsal=True,
        started_utc="2026-01-01T00:00:00.000+00:00",
        versions={},
    )


@dataclass
class World:
    """A study folder with one run in it."""

    root: Path
    spec: HarnessSpec = COUPLED
    side: Side = Side.P
    attempt: int = 1
    run_id: str = RUN

    @property
    def store(self) -> LocalStore:
        """The folder's store."""
        return LocalStore(self.root)

    async def run(
        self, model: Scripted, pages: Pages | None = None, *, seed: int | None = 7
    ) -> EpisodeEnd | None:
        """Run or continue the episode."""
        scripted = SCRIPTED[self.side] if self.spec.scripted_turns else None
        cond = condition(self.side, scripted)
        return await run_episode(
            self.spec,
            cond,
            header(cond, self.run_id, self.attempt),
            model=model,
            retrieval=pages or Pages(),
            store=self.store,
            blobs=Blobs(self.store),
            seed=seed,
            retry_waits=(0.0, 0.0),
            open_workspace=opened,
        )

    @property
    def log(self) -> str:
        """Key of the run's log."""
        return events_key(self.run_id, self.attempt)

    def events(self) -> list[Event]:
        """What was logged."""
        return read_events(self.store, self.log)

    def bodies(self) -> list[Body]:
        """What was logged, without clocks."""
        return [e.body for e in self.events()]

    def kinds(self) -> list[str]:
        """The kinds of what was logged."""
        return [b.kind for b in self.bodies()]


def budget(**limits: int) -> HarnessSpec:
    """The coupled harness with other limits."""
    return COUPLED.model_copy(update={"budget": COUPLED.budget.model_copy(update=limits)})


def tool_texts(requests: Iterable[ChatRequest]) -> list[str]:
    """Every tool result that was ever sent to the model."""
    return [m.text or "" for r in requests for m in r.messages if m.role == "tool"]
