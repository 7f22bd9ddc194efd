"""The agents and the launch of a run, against both flavours of the benchmark's interface."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from draligned.progress.tau2 import launch
from draligned.progress.tau2.agents import agent_class, block, register, without_tag
from draligned.progress.tau2.reading import HIDDEN_KEY, VALUES, WHOLE_KEY
from draligned.schema.tau2 import DutyArm, DutyRun

DUTY = DutyRun(
    name="n", arm="tag", block="b", block_sha256="0", domain="telecom", agent_llm="a",
    agent_args={"temperature": 0}, user_llm="u", trials=2, max_steps=9, seed=1, split="base",
    tasks=("t",), tau2="toy",
)  # fmt: skip


class Reply(BaseModel):
    """A message of the agent."""

    content: str | None
    tool_calls: list[str] | None = None
    raw_data: dict[str, Any] | None = None

    def is_tool_call(self) -> bool:
        """As the benchmark asks."""
        return self.tool_calls is not None


class Stock:
    """The benchmark's own agent."""

    def __init__(
        self, tools: Any, domain_policy: str, llm: str | None = None, llm_args: Any = None
    ) -> None:
        self.given = (tools, domain_policy, llm, llm_args)

    @property
    def system_prompt(self) -> str:
        """Its instructions."""
        return "instructions"

    def generate_next_message(self, message: Reply, state: list[Reply]) -> Any:
        """Says back what it is told."""
        state.append(message)
        return message, state


def test_the_block_names_the_four_tags_and_is_all_that_is_added() -> None:
    made = agent_class(Stock, hidden=False)([], "policy")
    assert made.system_prompt == f"instructions\n{block()}"
    named = [value for value in VALUES if f"<stage>{value}</stage>" in block()]
    assert len(named) == 4


def test_the_tag_is_shown_or_kept_from_the_customer() -> None:
    said = Reply(content="Hello.\n<stage>READY</stage>", raw_data={"x": 1})
    for hidden in (False, True):
        shown, state = agent_class(Stock, hidden=hidden)([], "p").generate_next_message(said, [])
        assert state == [said], "the agent's own history keeps the tag"
        assert ("<stage>" in shown.content) is not hidden
    assert shown.content == "Hello."
    assert shown.raw_data == {"x": 1, HIDDEN_KEY: "<stage>READY</stage>", WHOLE_KEY: said.content}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(content="No tag."), Reply(content=None, tool_calls=["c"]),
        Reply(content="<stage>READY</stage>"), Reply(content="<stage>READY</stage>",
                                                     tool_calls=["c"]),
    ],
)  # fmt: skip
def test_nothing_is_hidden_where_there_is_no_tag_or_nothing_else(reply: Reply) -> None:
    assert without_tag(reply) == reply


@pytest.mark.parametrize(
    "tag",
    [
        "<STAGE>ready</STAGE>", "＜stage＞READY＜/stage＞", "<stage>READY",
        "<st\u200bage>READY</stage>",
        "`<stage>READY</stage>`", "&lt;stage&gt;READY&lt;/stage&gt;", '{"stage": "NEEDS_INFO"}',
    ],
)  # fmt: skip
def test_broken_tags_are_kept_from_the_customer_too(tag: str) -> None:
    said = Reply(content=f"Hello.\n{tag}")
    shown = without_tag(said)
    assert shown.content == "Hello."
    assert shown.raw_data[WHOLE_KEY] == said.content
    assert HIDDEN_KEY in shown.raw_data


@dataclass
class Fake:
    """What a fake benchmark was told."""

    registered: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)


def fake(patch: pytest.MonkeyPatch, *, newer: bool) -> Fake:
    """A benchmark with the newer or the older interface, in place of an installed one."""
    told = Fake()

    class Config(BaseModel):
        domain: str
        agent: str
        save_to: str
        task_ids: list[str] | None
        num_trials: int

    class Newer(Config):
        auto_resume: bool

    class Older(Config):
        results_dir: str
        llm_args_judge: dict[str, Any]

    name = "register_agent_factory" if newer else "register_agent"
    registry = type("Registry", (), {
        name: staticmethod(lambda made, key: told.registered.update({key: made}))
    })  # fmt: skip
    config = {"TextRunConfig": Newer, "RunConfig": object} if newer else {"RunConfig": Older}
    parts: dict[str, dict[str, Any]] = {
        "tau2": {}, "tau2.agent": {}, "tau2.data_model": {},
        "tau2.registry": {"registry": registry}, "tau2.agent.llm_agent": {"LLMAgent": Stock},
        "tau2.data_model.simulation": config,
        "loguru": {"logger": type("L", (), {"remove": staticmethod(lambda: None)})},
        ("tau2.runner.batch" if newer else "tau2.run"): {
            "run_domain": lambda found: told.asked.update(found.model_dump())
        },
    }  # fmt: skip
    if newer:
        parts["tau2.runner"] = {}
    for key, held in parts.items():
        module = ModuleType(key)
        vars(module).update(held)
        patch.setitem(sys.modules, key, module)
    if not newer:
        patch.setitem(sys.modules, "tau2.runner", None)
        patch.setitem(sys.modules, "tau2.runner.batch", None)
    return told


@pytest.mark.parametrize("newer", [True, False])
@pytest.mark.parametrize("arm", ["tag", "hidden"])
def test_a_run_is_asked_for_in_the_words_of_both_versions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arm: DutyArm, newer: bool
) -> None:
    told = fake(monkeypatch, newer=newer)
    (tmp_path / "duty.json").write_text(DUTY.model_copy(update={"arm": arm}).to_json())
    launch.main(tmp_path, 3)
    ((name, made),) = told.registered.items()
    assert told.asked["agent"] == name
    assert (told.asked["task_ids"], told.asked["num_trials"]) == (["t"], 2)
    place = Path(told.asked["save_to"]) if newer else Path(told.asked["results_dir"])
    assert place == tmp_path.resolve()
    agent = made(tools=[], domain_policy="p", llm="m", llm_args={})
    assert agent.given == ([], "p", "m", {})
    assert agent.system_prompt.endswith(block())


def test_the_arm_without_is_the_benchmarks_own_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    told = fake(monkeypatch, newer=True)
    assert register("none") == "llm_agent"
    assert told.registered == {}


def test_tags_after_long_blanks_are_hidden_in_bounded_time() -> None:
    blank = " " * 1_000_000
    assert without_tag(Reply(content=f"Hi{blank}x <stage>READY</stage>")).content == f"Hi{blank}x"


def test_what_stops_the_benchmark_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(monkeypatch, newer=True)

    def stop(_: object) -> None:
        raise KeyError("no domain\n\x1b[31mtelecm")

    monkeypatch.setattr(sys.modules["tau2.runner.batch"], "run_domain", stop)
    (tmp_path / "duty.json").write_text(DUTY.to_json())
    with pytest.raises(SystemExit) as caught:
        launch.main(tmp_path, 1)
    said = str(caught.value.code)
    assert said.startswith("tau2-bench: KeyError")
    assert said.isprintable()
