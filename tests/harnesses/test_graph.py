"""The compiled graph: once per spec, wide enough for the budget, and never traced."""

from pathlib import Path

import pytest

from draligned.harnesses.graph import compile_harness
from draligned.harnesses.registry import COUPLED
from draligned.schema.endings import Outcome
from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec

from .doubles import World, always, budget, call, says


def test_a_spec_is_compiled_once() -> None:
    again = HarnessSpec.from_json(COUPLED.to_json())
    assert compile_harness(COUPLED) is compile_harness(again)
    assert compile_harness(COUPLED) is not compile_harness(budget(tools=1))


def test_a_spec_that_cannot_be_compiled_is_a_user_error() -> None:
    with pytest.raises(ConfigError, match="fly"):
        compile_harness(COUPLED.model_copy(update={"tool_order": ("search", "fly")}))


def test_nodes_are_decide_and_act() -> None:
    drawn = compile_harness(COUPLED).loop.get_graph()
    assert set(drawn.nodes) == {"__start__", "decide", "act", "__end__"}
    assert {(e.source, e.target) for e in drawn.edges} == {
        ("__start__", "decide"),
        ("decide", "act"),
        ("decide", "__end__"),
        ("act", "act"),
        ("act", "__end__"),
    }


async def test_ninety_six_decisions_fit(tmp_path: Path) -> None:
    model = always(lambda n: says(None, call("write_report", f"稿{n}", f"c{n}")))
    end = await World(tmp_path).run(model)
    assert end is not None
    assert end.outcome is Outcome.BUDGET_DECISIONS
    assert len(model.requests) == 96
