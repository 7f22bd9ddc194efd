"""Harnesses by name."""

import pytest

from draligned.harnesses.registry import COUPLED, get_harness
from draligned.schema.errors import UserError


def test_coupled_is_as_the_paper_has_it() -> None:
    spec = get_harness("coupled")
    assert spec is COUPLED
    assert spec.tool_order == ("search", "read", "submit_report", "write_report")
    limits = spec.budget
    assert (limits.decisions, limits.tools, limits.acquisition) == (96, 192, 96)
    assert limits.output_tokens == 128_000
    assert (spec.handoff_aw, spec.handoff_wf, spec.gate) == ("coupled", "coupled", "no_tool_call")
    assert not spec.submits_saved_file
    assert spec.recursion_limit > 2 * limits.decisions + 2


@pytest.mark.parametrize("name", ["couple", "Coupled", "copuled"])
def test_an_unknown_name_gets_a_suggestion(name: str) -> None:
    with pytest.raises(UserError, match="did you mean 'coupled'"):
        get_harness(name)


def test_capital_letters_are_the_first_thing_to_be_mended() -> None:
    with pytest.raises(UserError, match="did you mean 'H-W'"):
        get_harness("h-w")


def test_a_name_near_to_none_gets_the_list() -> None:
    with pytest.raises(UserError, match="choose one of: coupled"):
        get_harness("xyz")
