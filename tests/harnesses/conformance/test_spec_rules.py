"""Every rule on a spec: one that breaks it is refused by that rule's name, and by it alone."""

from typing import Any

import pytest

from draligned.harnesses.conformance.spec_rules import RULES, check_spec, require_sound
from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.stages import ALL_READABLE
from draligned.schema.errors import ConfigError
from draligned.schema.harness import EpisodeBudget, HarnessSpec

ACCESS = HARNESSES["coupled"].access
FILES = HARNESSES["H-W"]


def changed(base: str = "coupled", **changes: Any) -> HarnessSpec:
    return HARNESSES[base].model_copy(update=changes)


BROKEN: list[tuple[str, HarnessSpec, str]] = [
    ("name", changed(name=""), "a name is a letter"),
    ("name", changed(name="../x"), "a name is a letter"),
    ("name", changed(name="工具"), "a name is a letter"),
    ("name", changed(name="a" * 41), "a name is a letter"),
    ("name", changed(name="a\n"), "a name is a letter"),
    ("mechanisms", changed(acquisition=(), workspace=("search", "read", "write_report")), "search"),
    ("mechanisms", changed(workspace=("submit_report",), finalization=("write_report",)), "submit"),
    ("tools_listed", changed(tool_order=("search", "read", "submit_report")), "lacks write_report"),
    ("tools_listed", changed(tool_order=(*changed().tool_order, "list_files")), "no mechanism"),
    ("tools_listed", changed(tool_order=(*changed().tool_order, "search")), "named twice"),
    ("boundaries", changed(handoff_aw="handoff"), "development_only = true"),
    ("boundaries", changed(handoff_wf="handoff"), "development_only = true"),
    ("gate", changed(gate="marker"), "refused in analysed research runs"),
    ("gate", changed(gate="runtime_owned"), "refused in analysed research runs"),
    ("gate", changed("handoff-aw", gate="runtime_owned"), "must be coupled"),
    ("topology", changed(topology="delegated"), "together or not at all"),
    ("topology", changed("H-D", topology="single"), "together or not at all"),
    ("topology", changed("H-D", delegated=(), access=ACCESS), "together or not at all"),
    ("topology", changed("H-D", delegated=("search", "write_file")), "acquisition tools only"),
    ("topology", changed("H-D", delegated=("search", "delegate")), "acquisition tools only"),
    ("topology", changed("H-D", delegated=("search", "search")), "names a tool twice"),
    ("scripted_turns", changed(scripted_turns=2), "it is 0 or 1"),
    ("scripted_turns", changed(scripted_turns=-1), "it is 0 or 1"),
    ("submission", changed(submits_saved_file=True), "must be false with submit_report"),
    ("submission", changed("H-W", submits_saved_file=False), "must be true with submit_file"),
    ("submission", changed("initial", submits_saved_file=False), "must be true"),
    ("submission", changed("initial", workspace=(), tool_order=("search", "read",
        "submit_saved_report")), "workspace lacks write_report"),
    ("budget", changed(budget=EpisodeBudget(tools=0)), "budget.tools must be at least 1"),
    ("budget", changed(budget=EpisodeBudget(output_tokens=-1)), "budget.output_tokens"),
    ("recursion_limit", changed(recursion_limit=100), "96 decisions need 296"),
    ("recursion_limit", changed("H-D", recursion_limit=871), "192 delegations need 872"),
    ("access_keys", changed(access={**ACCESS, "search": ALL_READABLE}), "access names search"),
    ("access_keys", changed(access={**ACCESS, "delegation": ("results",)}), "names delegation"),
    ("access_keys", changed(access={**ACCESS, "workspace": ("drafts",) * 2}), "twice"),
    ("usable", changed(access={}), "search needs access to results, which the context loop lacks"),
    ("usable", changed("H-D", access=ACCESS), "which the context delegation lacks"),
    ("usable", changed("H-W", access={"acquisition": ("results",)}), "needs access to drafts"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "spec", "said"), BROKEN, ids=[f"{rule}-{n}" for n, (rule, *_) in enumerate(BROKEN)]
)
def test_a_broken_spec_fails_by_the_rule_alone(rule: str, spec: HarnessSpec, said: str) -> None:
    failed = {f.rule: f.detail for f in check_spec(spec) if f.status == "failed"}
    assert list(failed) == [rule]
    assert said in failed[rule]
    with pytest.raises(ConfigError, match=f"rule {rule}: "):
        require_sound(spec)


def test_tools_that_do_not_exist_are_named_with_those_that_do() -> None:
    spec = changed(acquisition=("serch", "read"), tool_order=("serch", "read", "submit_report"))
    failed = {f.rule: f.detail for f in check_spec(spec) if f.status == "failed"}
    assert failed["tools_exist"].startswith("there is no tool serch; the tools are: search, read")


def test_two_ways_to_submit_are_one_too_many() -> None:
    both = ("submit_report", "submit_saved_report")
    spec = changed(finalization=both, tool_order=("search", "read", *both, "write_report"))
    failed = {f.rule: f.detail for f in check_spec(spec) if f.status == "failed"}
    assert "shown to the model as submit_report" in failed["tools_listed"]
    assert "it has one, or none" in failed["submission"]


@pytest.mark.parametrize("name", HARNESSES)
def test_built_in_specs_are_sound(name: str) -> None:
    assert require_sound(HARNESSES[name]) is HARNESSES[name]


def test_every_rule_is_broken_once() -> None:
    assert {rule for rule, *_ in BROKEN} | {"tools_exist"} == set(RULES)
