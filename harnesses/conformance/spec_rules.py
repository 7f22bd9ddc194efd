"""Rules that a `HarnessSpec` meets before anything is run (DR-19 … DR-26, DR-44)."""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from draligned.gates.registry import get_gate
from draligned.harnesses.conformance.finding import Finding, found
from draligned.harnesses.duty import ENDING, split_duty
from draligned.harnesses.stages import DELEGATION, MECHANISMS, delegation, stages
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Channel

DELEGATE = "delegate"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,39}")
_STEPS_PER_DECISION, _SPARE_STEPS = 3, 8
"""Steps of the graph: a decision, its calls, and at most one move between contexts."""
_STEPS_PER_DELEGATION = 3
"""One is opened, decided in and closed even where no decision is left."""

Rule = Callable[[HarnessSpec], str | None]
"""What is wrong with a spec, in one line; none if nothing is."""


def check_spec(spec: HarnessSpec) -> tuple[Finding, ...]:
    """One finding a rule, in fixed order."""
    return tuple(found(name, rule(spec)) for name, rule in RULES.items())


def require_sound(spec: HarnessSpec) -> HarnessSpec:
    """`spec`, if it meets every rule. Raises `ConfigError` with the first that it breaks."""
    for finding in check_spec(spec):
        if finding.status == "failed":
            raise ConfigError(f"harness {spec.name!r}, rule {finding.rule}: {finding.detail}")
    return spec


def _name(spec: HarnessSpec) -> str | None:
    plain, duty = split_duty(spec.name)
    if duty != spec.progress_duty:
        return f"a name ends in {ENDING} where a stage tag is asked for, and nowhere else"
    if _NAME.fullmatch(plain):
        return None
    return "a name is a letter, then at most 39 letters, digits and hyphens (ASCII)"


def _tools_exist(spec: HarnessSpec) -> str | None:
    unknown = [n for n in dict.fromkeys((*_all_tools(spec), *spec.delegated)) if n not in TOOLS]
    if unknown:
        return f"there is no tool {', '.join(unknown)}; the tools are: {', '.join(TOOLS)}"
    return None


def _tools_listed(spec: HarnessSpec) -> str | None:
    own = [name for mechanism in MECHANISMS for name in getattr(spec, mechanism)]
    twice = [
        name for names in (own, spec.tool_order) for name, n in Counter(names).items() if n > 1
    ]
    if twice:
        return f"{twice[0]} is named twice"
    missing = [name for name in own if name not in spec.tool_order]
    if missing:
        return f"tool_order lacks {', '.join(missing)}"
    foreign = [name for name in spec.tool_order if name not in own]
    if foreign:
        return f"tool_order names {', '.join(foreign)}, which belongs to no mechanism"
    shown = Counter(TOOLS[name].name for name in own if name in TOOLS)
    same = [name for name, number in shown.items() if number > 1]
    return f"two tools are shown to the model as {same[0]}" if same else None


def _mechanisms(spec: HarnessSpec) -> str | None:
    """Each tool stands with the mechanism whose channel it writes to."""
    for mechanism in MECHANISMS:
        for name in getattr(spec, mechanism):
            channel = TOOLS[name].channel if name in TOOLS else Channel(mechanism)
            belongs = Channel.ACQUISITION if channel is Channel.CONTROL else channel
            if belongs != mechanism:
                return f"{name} is a tool of {belongs}, not of {mechanism}"
    return None if spec.tool_order else "there is no tool at all"


def _boundaries(spec: HarnessSpec) -> str | None:
    if "handoff" in (spec.handoff_aw, spec.handoff_wf) and not spec.development_only:
        return "a handoff boundary needs development_only = true"
    return None


def _gate(spec: HarnessSpec) -> str | None:
    if get_gate(spec.gate).injects_user_turns and not spec.development_only:
        return (
            f"Gates that inject user turns are refused in analysed research runs: {spec.gate} "
            "needs development_only = true"
        )
    if spec.gate == "runtime_owned" and len(stages(spec)) > 1:
        return "runtime_owned lets no spoken reply end a stage; both boundaries must be coupled"
    return None


def _topology(spec: HarnessSpec) -> str | None:
    offered = DELEGATE in spec.tool_order
    delegated = spec.topology == "delegated"
    if not offered == delegated == bool(spec.delegated):
        return (
            "topology = 'delegated', the tool delegate in tool_order, and tools in delegated "
            "come together or not at all"
        )
    foreign = [n for n in spec.delegated if n == DELEGATE or n not in spec.acquisition]
    if foreign:
        return f"delegated names {', '.join(foreign)}: a sub-context has acquisition tools only"
    twice = len(set(spec.delegated)) != len(spec.delegated)
    return "delegated names a tool twice" if twice else None


def _scripted_turns(spec: HarnessSpec) -> str | None:
    if spec.scripted_turns in (0, 1):
        return None
    return f"scripted_turns is {spec.scripted_turns}; it is 0 or 1"


def _submission(spec: HarnessSpec) -> str | None:
    """Whether a saved text is submitted is said by the tools; the flag must agree (DR-23)."""
    if len(spec.finalization) > 1:
        return f"finalization has {len(spec.finalization)} tools; it has one, or none"
    saves = any(name in SUBMITS_SAVED for name in spec.finalization)
    if saves != spec.submits_saved_file:
        tools = ", ".join(spec.finalization) or "no tool"
        return f"submits_saved_file must be {str(saves).lower()} with {tools} in finalization"
    for tool, savers in SUBMITS_SAVED.items():
        if tool in spec.finalization and not savers & set(spec.workspace):
            return (
                f"{tool} submits what is saved, but workspace lacks {' or '.join(sorted(savers))}"
            )
    return None


SUBMITS_SAVED: Mapping[str, frozenset[str]] = {
    "submit_file": frozenset({"write_file", "python"}),
    "submit_saved_report": frozenset({"write_report"}),
}
"""Tools that submit a saved text, and those that can save it."""


def _budget(spec: HarnessSpec) -> str | None:
    low = [name for name, limit in spec.budget.model_dump().items() if limit < 1]
    return f"budget.{low[0]} must be at least 1" if low else None


def _recursion_limit(spec: HarnessSpec) -> str | None:
    limits = spec.budget
    needed = _STEPS_PER_DECISION * limits.decisions + _SPARE_STEPS
    said = f"{limits.decisions} decisions"
    if spec.delegated:
        needed += _STEPS_PER_DELEGATION * limits.tools
        said += f" and {limits.tools} delegations"
    if spec.recursion_limit >= needed:
        return None
    return f"recursion_limit is {spec.recursion_limit}; {said} need {needed}"


def _access_keys(spec: HarnessSpec) -> str | None:
    known = (*MECHANISMS, *([DELEGATION] if spec.delegated else ()))
    for key, capabilities in spec.access.items():
        if key not in known:
            return f"access names {key}; it can name {', '.join(known)}"
        if len(set(capabilities)) != len(capabilities):
            return f"access.{key} names a capability twice"
    return None


def _usable(spec: HarnessSpec) -> str | None:
    """No tool stands where its need can never be met."""
    for stage in (*stages(spec), delegation(spec)):
        for name in stage.tools:
            lacking = TOOLS[name].needs - stage.reads if name in TOOLS else frozenset()
            if lacking:
                where = f"the context {stage.name}"
                return f"{name} needs access to {', '.join(sorted(lacking))}, which {where} lacks"
    return None


def _all_tools(spec: HarnessSpec) -> tuple[str, ...]:
    return (*spec.acquisition, *spec.workspace, *spec.finalization, *spec.tool_order)


RULES: Mapping[str, Rule] = {
    "name": _name,
    "tools_exist": _tools_exist,
    "mechanisms": _mechanisms,
    "tools_listed": _tools_listed,
    "boundaries": _boundaries,
    "gate": _gate,
    "topology": _topology,
    "scripted_turns": _scripted_turns,
    "submission": _submission,
    "budget": _budget,
    "recursion_limit": _recursion_limit,
    "access_keys": _access_keys,
    "usable": _usable,
}
