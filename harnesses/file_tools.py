"""Tools of the file workspace; what they do to files happens in the sandbox (DR-23, DR-37)."""

from collections.abc import Awaitable, Callable
from functools import wraps

from draligned.harnesses import texts
from draligned.harnesses.report_tools import submission
from draligned.harnesses.sandbox.protocol import CodeResult
from draligned.harnesses.tools import Args, Bench, CallSite, Done, Execute, Tool, refused
from draligned.models.turn import is_blank
from draligned.schema.errors import SandboxFailed, WorkspaceRefusal
from draligned.schema.events import CodeRun, DraftSaved, SavedFile, WorkspaceRead
from draligned.schema.harness import Capability
from draligned.schema.labels import Channel
from draligned.schema.refusals import RefusalReason

_DRAFTS: frozenset[Capability] = frozenset({"drafts"})


def _named(
    tool: str,
) -> Callable[[Callable[[Bench, CallSite, Args], Awaitable[Done]]], Execute]:
    """Turn a refusal of the workspace into a result that the agent can read."""

    def decorate(work: Callable[[Bench, CallSite, Args], Awaitable[Done]]) -> Execute:
        @wraps(work)
        async def run(bench: Bench, site: CallSite, args: Args) -> Done:
            try:
                return await work(bench, site, args)
            except WorkspaceRefusal as refusal:
                return refused(site, tool, args.get("path"), refusal.reason)

        return run

    return decorate


@_named("list_files")
async def _list_files(bench: Bench, site: CallSite, args: Args) -> Done:
    files = await bench.desk.use(lambda w: w.list_files())
    effect = WorkspaceRead(sequence=site.sequence, call_index=site.call_index, tool="list_files")
    return Done(effect, "\n".join(f.path for f in files) or bench.receipts.no_files)


@_named("read_file")
async def _read_file(bench: Bench, site: CallSite, args: Args) -> Done:
    path = args["path"]
    content = await bench.desk.use(lambda w: w.read_file(path))
    effect = WorkspaceRead(
        sequence=site.sequence, call_index=site.call_index, tool="read_file", path=path
    )
    return Done(effect, content)


@_named("write_file")
async def _write_file(bench: Bench, site: CallSite, args: Args) -> Done:
    path, content = args["path"], args["content"]
    await bench.desk.use(lambda w: w.write_file(path, content))
    return _saved(bench, site, "write_file", path, content)


@_named("edit_file")
async def _edit_file(bench: Bench, site: CallSite, args: Args) -> Done:
    path, old, new = args["path"], args["old"], args["new"]
    content = await bench.desk.use(lambda w: w.edit_file(path, old, new))
    return _saved(bench, site, "edit_file", path, content)


def _saved(bench: Bench, site: CallSite, tool: str, path: str, content: str) -> Done:
    effect = DraftSaved(
        sequence=site.sequence,
        call_index=site.call_index,
        path=path,
        text_sha256=bench.desk.keep(path, content),
        chars=len(content),
        tool=tool,
    )
    return Done(effect)


@_named("submit_file")
async def _submit_file(bench: Bench, site: CallSite, args: Args) -> Done:
    path = args["path"]
    content = await bench.desk.use(lambda w: w.read_file(path))
    if is_blank(content):
        return refused(site, "submit_file", path, RefusalReason.NOTHING_SAVED)
    return submission(bench, site, content, path)


async def _python(bench: Bench, site: CallSite, args: Args) -> Done:
    """Run code. One that takes the sandbox down with it is killed; its changes are lost."""
    try:
        result = await bench.desk.run_code(args["code"])
    except SandboxFailed:
        result = CodeResult(exit="killed", output="")
    saved = tuple(
        SavedFile(path=path, text_sha256=bench.desk.keep(path, text), chars=len(text))
        for path, text in sorted(result.saved.items())
    )
    for path in result.removed:
        bench.desk.forget(path)
    effect = CodeRun(
        sequence=site.sequence,
        call_index=site.call_index,
        exit=result.exit,
        output_sha256=bench.blobs.put(shown := f"{result.exit}\n{result.output}"),
        saved=saved,
        removed=tuple(sorted(result.removed)),
    )
    return Done(effect, shown)


LIST_FILES = Tool(
    name="list_files",
    arguments=(),
    channel=Channel.WORKSPACE,
    text=texts.LIST_FILES,
    execute=_list_files,
    needs=_DRAFTS,
)
READ_FILE = Tool(
    name="read_file",
    arguments=("path",),
    channel=Channel.WORKSPACE,
    text=texts.READ_FILE,
    execute=_read_file,
    needs=_DRAFTS,
)
WRITE_FILE = Tool(
    name="write_file",
    arguments=("path", "content"),
    channel=Channel.WORKSPACE,
    text=texts.WRITE_FILE,
    execute=_write_file,
)
EDIT_FILE = Tool(
    name="edit_file",
    arguments=("path", "old", "new"),
    channel=Channel.WORKSPACE,
    text=texts.EDIT_FILE,
    execute=_edit_file,
    needs=_DRAFTS,
    may_be_blank=frozenset({"old", "new"}),
)
SUBMIT_FILE = Tool(
    name="submit_file",
    arguments=("path",),
    channel=Channel.FINALIZATION,
    text=texts.SUBMIT_FILE,
    execute=_submit_file,
    needs=_DRAFTS,
)
PYTHON = Tool(
    name="python",
    arguments=("code",),
    channel=Channel.WORKSPACE,
    text=texts.PYTHON,
    execute=_python,
    needs=_DRAFTS,
)
FILE_TOOLS = (LIST_FILES, READ_FILE, WRITE_FILE, EDIT_FILE, SUBMIT_FILE, PYTHON)
