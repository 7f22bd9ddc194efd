"""All gates by name, and what of them a research run may use."""

from typing import get_args

import pytest

from draligned.gates.registry import GATES, get_gate
from draligned.schema.endings import EndedBy
from draligned.schema.errors import ConfigError
from draligned.schema.harness import GateName


def test_the_registry_holds_what_a_spec_may_name() -> None:
    assert set(GATES) == set(get_args(GateName))
    assert all(get_gate(name).name == name for name in GATES)


def test_each_gate_names_itself_as_the_end() -> None:
    ends = [gate.ended_by for gate in GATES.values()]
    assert [EndedBy(name) for name in GATES] == ends
    assert len(set(ends)) == len(ends)


def test_which_gates_speak_as_the_user() -> None:
    speaking = {name for name, gate in GATES.items() if gate.injects_user_turns}
    assert speaking == {"marker", "runtime_owned"}


def test_an_unknown_gate_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ConfigError, match="choose one of: hard_cap, marker, no_tool_call"):
        get_gate("Marker")
