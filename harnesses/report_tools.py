"""Tools around one report kept by the harness: drafts and submissions (DR-22, DR-24)."""

from draligned.harnesses import texts
from draligned.harnesses.tools import Args, Bench, CallSite, Done, Tool, refused
from draligned.schema.events import DraftSaved, Submitted
from draligned.schema.labels import Channel
from draligned.schema.refusals import RefusalReason

DOCUMENT = "report"
"""Path of the one document that `write_report` saves."""


async def _write_report(bench: Bench, site: CallSite, args: Args) -> Done:
    content = args["content"]
    effect = DraftSaved(
        sequence=site.sequence,
        call_index=site.call_index,
        path=DOCUMENT,
        text_sha256=bench.desk.keep(DOCUMENT, content),
        chars=len(content),
    )
    return Done(effect)


async def _submit_report(bench: Bench, site: CallSite, args: Args) -> Done:
    return submission(bench, site, args["content"], None)


async def _submit_saved(bench: Bench, site: CallSite, args: Args) -> Done:
    saved = bench.desk.text(DOCUMENT)
    if saved is None:
        return refused(site, "submit_report", None, RefusalReason.NOTHING_SAVED)
    return submission(bench, site, saved, DOCUMENT)


def submission(bench: Bench, site: CallSite, content: str, path: str | None) -> Done:
    """The accepted submission of a text; `path` where a saved document was submitted."""
    effect = Submitted(
        sequence=site.sequence,
        call_index=site.call_index,
        text_sha256=bench.blobs.put(content),
        chars=len(content),
        path=path,
    )
    return Done(effect)


WRITE_REPORT = Tool(
    name="write_report",
    arguments=("content",),
    channel=Channel.WORKSPACE,
    text=texts.WRITE_REPORT,
    execute=_write_report,
)
SUBMIT_REPORT = Tool(
    name="submit_report",
    arguments=("content",),
    channel=Channel.FINALIZATION,
    text=texts.SUBMIT_REPORT,
    execute=_submit_report,
)
SUBMIT_SAVED = Tool(
    name="submit_report",
    arguments=(),
    channel=Channel.FINALIZATION,
    text=texts.SUBMIT_SAVED,
    execute=_submit_saved,
    needs=frozenset({"drafts"}),
)
"""`submit_report` without a text: the draft that is saved becomes the final (DR-24)."""
