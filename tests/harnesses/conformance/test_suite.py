"""The suite passes for what is built in, and for harnesses a user may come up with."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from draligned.harnesses.conformance.end_rules import ENDINGS, NEVER, unreachable
from draligned.harnesses.conformance.finding import Finding
from draligned.harnesses.conformance.lab import Lab
from draligned.harnesses.conformance.spec_rules import RULES
from draligned.harnesses.conformance.suite import RUN_RULES, check_harness
from draligned.harnesses.desk import OpenWorkspace
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.sandbox.protocol import Workspace
from draligned.schema.endings import Outcome
from draligned.schema.errors import SandboxFailed
from draligned.schema.harness import EpisodeBudget, HarnessSpec
from tests.harnesses.doubles import opened


async def findings(
    spec: HarnessSpec, open_workspace: OpenWorkspace | None = opened
) -> list[Finding]:
    return [f async for f in check_harness(spec, open_workspace=open_workspace)]


def variant(base: str, **changes: Any) -> HarnessSpec:
    return HARNESSES[base].model_copy(update={"name": "mine", **changes})


GATED = {"development_only": True}
VARIANTS = {
    "marker": variant("handoff-both", gate="marker"),
    "terminal tool": variant("initial", gate="terminal_tool"),
    "typed state": variant("coupled", gate="typed_state"),
    "hard cap": variant("coupled", gate="hard_cap"),
    "runtime-owned": variant("coupled", gate="runtime_owned", **GATED),
    "searches only": variant(
        "coupled", acquisition=("search",), workspace=(), finalization=(), tool_order=("search",)
    ),
    "no requests": variant("coupled", acquisition=(), tool_order=("submit_report", "write_report")),
    "handoff and delegation": variant("H-D", handoff_aw="handoff", handoff_wf="handoff", **GATED),
    "scripted and handoff": variant("coupled", scripted_turns=1, handoff_aw="handoff", **GATED),
    "the last stage is blind to the user": variant(
        "handoff-both", access={**HARNESSES["coupled"].access, "finalization": ("drafts",)}
    ),
}


def not_passed(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.status != "passed"]


@pytest.mark.parametrize("name", HARNESSES)
async def test_built_in_harnesses_pass(name: str) -> None:
    found = await findings(HARNESSES[name])
    assert not_passed(found) == []
    assert [f.rule for f in found] == [*RULES, *RUN_RULES]


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
async def test_harnesses_of_a_users_own_pass(name: str) -> None:
    assert not_passed(await findings(VARIANTS[name])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["H-W", "H-D"])
async def test_harnesses_with_files_pass_in_the_real_sandbox(name: str) -> None:
    assert not_passed(await findings(HARNESSES[name], None)) == []


def test_what_cannot_be_reached_is_said_with_its_reason() -> None:
    spec = VARIANTS["searches only"].model_copy(update=GATED | {"gate": "runtime_owned"})
    assert unreachable(Lab(spec=spec)) == {
        Outcome.SUBMITTED: "nothing can be submitted",
        Outcome.TEXT_REPLY: "the runtime ends by state alone",
        Outcome.EMPTY_REPLY: "the gate runtime_owned answers a reply that says nothing",
        Outcome.CANCELLED: "a cancelled episode stays open and is continued",
    }
    assert set(unreachable(Lab(spec=HARNESSES["coupled"]))) == {Outcome.CANCELLED}
    covered = {ending.outcome for ending in ENDINGS} | {Outcome.SUBMITTED, *NEVER}
    assert covered == set(Outcome)


async def _first(found: AsyncIterator[Finding], rule: str) -> AsyncIterator[Finding]:
    """The finding of one rule; what comes after it is not run."""
    async for finding in found:
        if finding.rule == rule:
            yield finding
            return


async def test_without_a_sandbox_rules_on_runs_are_unknown_not_passed() -> None:
    async def none(files: Mapping[str, str]) -> Workspace:
        raise SandboxFailed("bubblewrap is not installed")

    found = await findings(HARNESSES["H-W"], none)
    runs = [f for f in found if f.rule in RUN_RULES]
    assert {f.status for f in runs} == {"unknown"}
    assert runs[0].detail == "cannot be checked here: no sandbox (bubblewrap is not installed)"
    assert not not_passed([f for f in found if f.rule in RULES])
    plain = check_harness(HARNESSES["initial"], open_workspace=none)
    assert [f.status async for f in _first(plain, "pair_check")] == ["passed"]


async def test_an_unsound_spec_is_not_run() -> None:
    found = await findings(variant("coupled", scripted_turns=2))
    assert {f.rule: f.detail for f in found if f.status == "failed"} == {
        "scripted_turns": "scripted_turns is 2; it is 0 or 1"
    }
    assert {f.status for f in found if f.rule in RUN_RULES} == {"unknown"}


async def test_a_small_budget_is_sound() -> None:
    small = EpisodeBudget(decisions=1, tools=1, acquisition=1, output_tokens=1)
    assert not_passed(await findings(variant("coupled", budget=small))) == []


async def test_a_rule_that_breaks_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(self: Lab, story: object, **how: object) -> object:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(Lab, "play", play)
    found = [f for f in await findings(HARNESSES["coupled"]) if f.rule in RUN_RULES]
    assert {(f.status, f.detail) for f in found if f.rule != "every_outcome_reachable"} == {
        ("failed", "ZeroDivisionError: ours")
    }
