"""Harnesses outside of any study: list them, show one, check one."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from draligned.bench_data.duty import duty_sha
from draligned.harnesses.conformance.finding import Finding
from draligned.harnesses.conformance.suite import check_harness
from draligned.harnesses.duty import split_duty, with_duty
from draligned.harnesses.mermaid import mermaid
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.specfile import is_file_name, load_spec, read_spec_file, template
from draligned.harnesses.stages import delegation, stages
from draligned.schema.harness import HarnessSpec

__all__ = ["check", "describe", "names", "rows", "template"]

NONE = "none"


class HarnessRow(NamedTuple):
    """One line of `harness list`."""

    name: str
    acquisition_to_workspace: str
    workspace_to_finalization: str
    topology: str
    gate: str
    submits: str
    development_only: str


def names() -> tuple[str, ...]:
    """Names of the built-in harnesses."""
    return tuple(HARNESSES)


def rows() -> list[HarnessRow]:
    """The built-in harnesses, in their order."""
    return [_row(spec) for spec in HARNESSES.values()]


def describe(name_or_path: str) -> list[str]:
    """A harness in lines to be read, its graph in Mermaid last. Raises `ConfigError`."""
    spec = load_spec(name_or_path)
    facts = dict(_facts(spec))
    width = max(map(len, facts)) + 2
    told = [f"{key:<{width}}{value}" for key, value in facts.items()]
    return [*told, "", mermaid(spec)]


def check(name_or_path: str, each: Callable[[Finding], None]) -> tuple[Finding, ...]:
    """All findings on a harness, each told as soon as it is made.

    Faults of a file are findings of the rule `file`. Raises `ConfigError` where there is
    no such harness or file.
    """
    made: list[Finding] = []

    def tell(finding: Finding) -> None:
        made.append(finding)
        each(finding)

    spec = _spec_to_check(name_or_path, tell)
    if spec is not None:
        asyncio.run(_check(spec, tell))
    return tuple(made)


def _spec_to_check(name_or_path: str, tell: Callable[[Finding], None]) -> HarnessSpec | None:
    plain, duty = split_duty(name_or_path)
    if not is_file_name(plain):
        return load_spec(name_or_path)
    spec, faults = read_spec_file(Path(plain))
    for fault in faults:
        tell(Finding(rule="file", status="failed", detail=fault))
    if spec is not None:
        tell(Finding(rule="file", status="passed"))
    return with_duty(spec) if spec is not None and duty else spec


async def _check(spec: HarnessSpec, tell: Callable[[Finding], None]) -> None:
    """Run the suite. Episodes are made to fail on purpose, so their notices are held back."""
    notices = logging.getLogger("draligned.harnesses")
    before, notices.disabled = notices.disabled, True
    try:
        async for finding in check_harness(spec):
            tell(finding)
    finally:
        notices.disabled = before


def _row(spec: HarnessSpec) -> HarnessRow:
    return HarnessRow(
        name=spec.name,
        acquisition_to_workspace=spec.handoff_aw,
        workspace_to_finalization=spec.handoff_wf,
        topology=spec.topology,
        gate=spec.gate,
        submits=_submits(spec),
        development_only="yes" if spec.development_only else "no",
    )


def _submits(spec: HarnessSpec) -> str:
    if not spec.finalization:
        return "nothing: a closing reply"
    return "the saved text" if spec.submits_saved_file else "a text of its own"


def _facts(spec: HarnessSpec) -> Iterator[tuple[str, str]]:
    """What a reader wants to know of a spec, in order."""
    budget, duty = spec.budget, spec.progress_duty
    yield "harness", f"{spec.name} ({spec.key})"
    yield "acquisition", _listed(spec.acquisition)
    yield "workspace", _listed(spec.workspace)
    yield "finalization", _listed(spec.finalization)
    yield "tool order", _listed(spec.tool_order)
    yield "acquisition→workspace", spec.handoff_aw
    yield "workspace→finalization", spec.handoff_wf
    yield "topology", spec.topology
    yield "gate", spec.gate
    yield "scripted turns", str(spec.scripted_turns)
    yield "submits", _submits(spec)
    yield "progress duty", f"a stage tag in every turn (block {duty_sha()})" if duty else NONE
    yield "development only", "yes" if spec.development_only else "no"
    yield (
        "budget",
        (
            f"{budget.decisions} decisions, {budget.tools} tool actions, {budget.acquisition} "
            f"requests, {budget.output_tokens} output tokens; not shown to the agent"
        ),
    )
    for stage in (*stages(spec), *([delegation(spec)] if spec.delegated else [])):
        reads = _listed(sorted(stage.reads))
        yield f"context {stage.name}", f"offers {_listed(stage.tools)}; reads {reads}"


def _listed(items: tuple[str, ...] | list[str]) -> str:
    return ", ".join(items) or NONE
