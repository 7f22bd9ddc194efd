"""A small stand-in for tau2-bench: a phone with a bill, and a shop.

It has the calls that replaying uses and no others, so that what is tested here needs no install.
"""

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from pydantic import BaseModel

from draligned.progress.tau2.benchmark import Benchmark

PHONE, SHOP = "telecom", "retail"


class Kind(Enum):
    """What a tool does, as the benchmark says it."""

    READ = "read"
    WRITE = "write"
    GENERIC = "generic"


class Basis(Enum):
    """What a reward is made of."""

    DB = "DB"
    ENV_ASSERTION = "ENV_ASSERTION"
    ACTION = "ACTION"
    NL_ASSERTION = "NL_ASSERTION"


class Call(BaseModel):
    """A tool call."""

    id: str = ""
    name: str
    arguments: dict[str, Any] = {}
    requestor: str = "assistant"


class Action(BaseModel):
    """A listed action; only names are compared."""

    name: str
    arguments: dict[str, Any] = {}
    requestor: str = "assistant"

    def compare_with_tool_call(self, call: Call) -> bool:
        """Whether a call is this action."""
        return call.name == self.name


class Criteria(BaseModel):
    """When a task is done."""

    reward_basis: list[Basis]
    actions: list[Action] | None = None
    env_assertions: list[str] | None = None


class Start(BaseModel):
    """The initial state."""

    initialization_data: None = None
    initialization_actions: list[Action] | None = None


class Task(BaseModel):
    """A task."""

    id: str
    initial_state: Start | None = None
    evaluation_criteria: Criteria | None = None


class Kit:
    """A database and its tools."""

    def __init__(self, db: dict[str, Any], tools: Mapping[str, Kind]) -> None:
        self.db = db
        self.tools = tools

    def has_tool(self, name: str) -> bool:
        """Whether there is such a tool."""
        return name in self.tools

    def tool_type(self, name: str) -> Kind:
        """What it does."""
        return self.tools[name]


class Answer(BaseModel):
    """The answer of a tool."""

    content: str | None


class Environment:
    """The phone or the shop."""

    def __init__(self, tools: Kit, user_tools: Kit | None) -> None:
        self.tools = tools
        self.user_tools = user_tools

    def set_state(
        self, initialization_data: None, initialization_actions: Sequence[Action] | None,
        message_history: Sequence[object],
    ) -> None:  # fmt: skip
        """Run the initial actions."""
        assert not message_history
        for action in initialization_actions or ():
            self.make_tool_call(action.name, action.requestor, **action.arguments)

    def make_tool_call(self, tool_name: str, requestor: str, **arguments: Any) -> str:
        """Do what the tool does; raises for one that is not there."""
        kit = self.user_tools if requestor == "user" else self.tools
        if kit is None or not kit.has_tool(tool_name):
            raise ValueError(f"no tool {tool_name}")
        if tool_name == "toggle_airplane_mode":
            kit.db["airplane"] = not kit.db["airplane"]
        elif tool_name == "pay":
            kit.db["paid"] = True
        elif tool_name == "exchange":
            kit.db["item"] = arguments["to"]
        return json.dumps(kit.db)

    def get_response(self, call: Call) -> Answer:
        """The answer of a call; errors are answers as well."""
        try:
            return Answer(content=self.make_tool_call(call.name, call.requestor, **call.arguments))
        except (ValueError, KeyError) as error:
            return Answer(content=f"Error: {error}")

    def run_env_assertion(self, assertion: str, raise_assertion_error: bool) -> bool:
        """Whether what the word says holds."""
        assert not raise_assertion_error
        phone = self.user_tools
        assert phone is not None
        on = bool(self.tools.db["paid"]) and not phone.db["airplane"]
        return on if assertion == "service" else not on

    def get_db_hash(self) -> str:
        """Of the agent's database."""
        return json.dumps(self.tools.db)

    def get_user_db_hash(self) -> str | None:
        """Of the customer's database."""
        return None if self.user_tools is None else json.dumps(self.user_tools.db)


AGENT_TOOLS = {"pay": Kind.WRITE, "lookup": Kind.READ, "transfer_to_human_agents": Kind.GENERIC}
PHONE_TOOLS = {"toggle_airplane_mode": Kind.WRITE, "check_status_bar": Kind.READ}
SHOP_TOOLS = {"exchange": Kind.WRITE, "lookup": Kind.READ}


def environment(domain: str, kind: type[Environment] = Environment) -> Environment:
    """A fresh environment. Raises `KeyError` for another domain."""
    made = {
        PHONE: lambda: kind(
            Kit({"paid": False}, AGENT_TOOLS), Kit({"airplane": True}, PHONE_TOOLS)
        ),
        SHOP: lambda: kind(Kit({"item": "old"}, SHOP_TOOLS), None),
    }
    return made[domain]()


def benchmark(kind: type[Environment] = Environment) -> Benchmark:
    """The stand-in."""
    return Benchmark("toy", lambda domain: _constructor(domain, kind), Task, Call)


def _constructor(domain: str, kind: type[Environment]) -> Any:
    environment(domain)
    return lambda: environment(domain, kind)


REPAIR = Task(
    id="[mms_issue]airplane_mode_on",
    evaluation_criteria=Criteria(
        reward_basis=[Basis.ENV_ASSERTION], env_assertions=["service"],
        actions=[Action(name="toggle_airplane_mode", requestor="user"), Action(name="pay")],
    ),
)  # fmt: skip
HAND_OFF = Task(
    id="[service_issue]lock_sim_card_pin",
    evaluation_criteria=Criteria(
        reward_basis=[Basis.ENV_ASSERTION, Basis.ACTION], env_assertions=["no_service"],
        actions=[Action(name="transfer_to_human_agents", arguments={"summary": "x"})],
    ),
)  # fmt: skip
EXCHANGE = Task(
    id="7",
    evaluation_criteria=Criteria(
        reward_basis=[Basis.DB, Basis.NL_ASSERTION],
        actions=[Action(name="exchange", arguments={"to": "new"})],
    ),
)  # fmt: skip
NOTHING = Task(
    id="8",
    evaluation_criteria=Criteria(
        reward_basis=[Basis.DB], actions=[Action(name="lookup"), Action(name="not_there")]
    ),
)  # fmt: skip


def embedded(*tasks: Task) -> list[dict[str, Any]]:
    """Tasks as a results file holds them."""
    return [task.model_dump(mode="json") for task in tasks]
