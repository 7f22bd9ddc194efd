"""All tools there are, by the names that a `HarnessSpec` uses."""

from collections.abc import Iterable

from draligned.harnesses.delegate_tool import DELEGATE
from draligned.harnesses.file_tools import FILE_TOOLS
from draligned.harnesses.report_tools import SUBMIT_REPORT, SUBMIT_SAVED, WRITE_REPORT
from draligned.harnesses.request_tools import READ, SEARCH
from draligned.harnesses.tools import Tool
from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec

TOOLS: dict[str, Tool] = {
    **{t.name: t for t in (SEARCH, READ, SUBMIT_REPORT, WRITE_REPORT, *FILE_TOOLS, DELEGATE)},
    "submit_saved_report": SUBMIT_SAVED,
}
"""Two tools may be declared to the model by one name, in different harnesses."""


def needs_sandbox(spec: HarnessSpec) -> bool:
    """Whether a harness has tools that touch files."""
    return bool(set(spec.tool_order) & {tool.name for tool in FILE_TOOLS})


def tools_of(names: Iterable[str], harness: str) -> dict[str, Tool]:
    """The tools of those names, in that order, by the names that the model is told.

    Raises `ConfigError` for names that do not exist, or that the model could not tell apart.
    """
    wanted = tuple(names)
    unknown = [name for name in wanted if name not in TOOLS]
    if unknown:
        raise ConfigError(f"harness {harness!r} names tools that do not exist: {unknown}")
    found = {TOOLS[name].name: TOOLS[name] for name in wanted}
    if len(found) != len(wanted):
        raise ConfigError(f"harness {harness!r} declares two tools by one name")
    return found
