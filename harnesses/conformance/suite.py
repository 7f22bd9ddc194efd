"""The conformance suite: rules by name, over any `HarnessSpec` (issue of the harness family)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from draligned.harnesses.conformance.context_rules import access, delegation
from draligned.harnesses.conformance.end_rules import (
    end_names_its_gate,
    every_outcome_reachable,
    no_draft_promoted,
    unreachable,
)
from draligned.harnesses.conformance.finding import Finding, found
from draligned.harnesses.conformance.lab import WIDE, Lab
from draligned.harnesses.conformance.log_rules import one_event_schema, resume
from draligned.harnesses.conformance.spec_rules import check_spec
from draligned.harnesses.conformance.text_rules import (
    no_budget_number,
    no_extra_user_turn,
    pair_check,
    tool_order,
)
from draligned.harnesses.desk import OpenWorkspace
from draligned.harnesses.file_tools import FILE_TOOLS
from draligned.schema.errors import DralignedError
from draligned.schema.harness import HarnessSpec
from draligned.schema.strictjson import visible

RunRule = Callable[[Lab], Awaitable[str | None]]
"""Runs a harness; what is wrong with it, in one line."""

RUN_RULES: Mapping[str, RunRule] = {
    rule.__name__: rule
    for rule in (
        pair_check,
        no_budget_number,
        no_extra_user_turn,
        tool_order,
        one_event_schema,
        resume,
        every_outcome_reachable,
        no_draft_promoted,
        end_names_its_gate,
        access,
        delegation,
    )
}


async def check_harness(
    spec: HarnessSpec, *, open_workspace: OpenWorkspace | None = None
) -> AsyncIterator[Finding]:
    """One finding a rule: those on the spec, then, if it is sound, those on its runs.

    `open_workspace` starts the sandbox of a harness with files; the usual one by default.
    Where none can be started, the rules on runs are `unknown`. Nothing is written to disk.
    Runs have wide limits, for a harness with a small budget is sound; `no_budget_number` alone
    looks for the harness's own.
    """
    on_spec = check_spec(spec)
    for finding in on_spec:
        yield finding
    sound = all(finding.status == "passed" for finding in on_spec)
    why_not = await _no_sandbox(spec, open_workspace) if sound else "a rule above failed"
    own = Lab(spec=spec, open_workspace=open_workspace)
    lab = own.with_budget(**WIDE)
    for name, rule in RUN_RULES.items():
        if why_not is not None:
            detail = f"cannot be checked here: {why_not}"
            yield Finding(rule=name, status="unknown", detail=detail)
        else:
            yield await _checked(name, rule, own if rule is no_budget_number else lab)


async def _no_sandbox(spec: HarnessSpec, open_workspace: OpenWorkspace | None) -> str | None:
    """Why the files of a harness cannot be used here; none if they can, or if it has none."""
    if not {tool.name for tool in FILE_TOOLS} & set(spec.tool_order):
        return None
    try:
        workspace = await (open_workspace or _sandbox())({})
        await workspace.aclose()
    except (DralignedError, OSError, ImportError) as error:
        return f"no sandbox ({visible(str(error), 200)})"
    return None


def _sandbox() -> OpenWorkspace:
    from draligned.harnesses.sandbox.client import open_workspace

    return open_workspace


async def _checked(name: str, rule: RunRule, lab: Lab) -> Finding:
    try:
        problem = await rule(lab)
    except Exception as error:
        problem = visible(f"{type(error).__name__}: {error}", 200)
    detail = ""
    if rule is every_outcome_reachable:
        detail = "; ".join(
            f"{o} is not to be reached: {why}" for o, why in unreachable(lab).items()
        )
    return found(name, problem, detail)
