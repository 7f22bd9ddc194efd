"""Scenarios as data: what is asked, which tools there are, and a script from start to end (SI-8).

A scenario's script is fixed text (SI-10). Looking something up and checking it change nothing;
step one and step two are the task. A helpdesk scenario has one step and, instead of the second,
a look at the result after the user has said that it works (Q26).
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from draligned.schema.base import Record
from draligned.schema.chat import ToolSpec
from draligned.schema.design import Lang
from draligned.schema.errors import DamageError, InputError
from draligned.schema.progress import Family

SETS = ("main", "helpdesk")
SetName = Literal["main", "helpdesk"]


class ToolUse(Record):
    """A tool, and how the script calls it. `fields`: what each argument is."""

    tool: str = Field(pattern=r"^[a-z][a-z0-9_]{2,40}$")
    description: str = Field(min_length=4)
    fields: dict[str, str] = Field(min_length=1)
    args: dict[str, str] = Field(min_length=1)
    result: dict[str, str] = Field(min_length=1)

    @model_validator(mode="after")
    def _all_given(self) -> Self:
        if set(self.args) != set(self.fields):
            raise ValueError(f"{self.tool}: the script gives {sorted(self.args)}, "
                             f"the tool declares {sorted(self.fields)}")  # fmt: skip
        if not all(value.strip() for value in self.args.values()):
            raise ValueError(f"{self.tool}: an argument is empty")
        return self

    def spec(self) -> ToolSpec:
        """The tool as it is offered to a model."""
        properties = {n: {"type": "string", "description": d} for n, d in self.fields.items()}
        return ToolSpec(
            name=self.tool,
            description=self.description,
            parameters={
                "type": "object", "properties": properties, "required": list(self.fields),
                "additionalProperties": False,
            },
        )  # fmt: skip


class Missing(Record):
    """What only the user can say: a field of step one, asked for and answered by the script."""

    field: str
    pattern: str
    """Regular expression that the whole value must match, wherever it is used."""
    asked: str
    answer: str


class Script(Record):
    """Fixed turns between the tool calls."""

    request: str
    confirm: str
    """The assistant before step one."""
    yes: str
    between: str
    """The assistant after step one."""
    go_on: str
    report: str
    """The assistant at the end."""
    thanks: str
    small_talk: str
    """A user turn before anything was looked up."""


class Concepts(Record):
    """Tokens that a useful reply holds, one of each group, by checkpoint (SI-56)."""

    wait: tuple[tuple[str, ...], ...]
    ready: tuple[tuple[str, ...], ...]
    step: tuple[tuple[str, ...], ...]
    done: tuple[tuple[str, ...], ...]


class Scenario(Record):
    """One storyline."""

    scenario_id: str = Field(pattern=r"^[a-z]+-[0-9]{2}$")
    family: Family
    role: str
    """First paragraph of the system message."""
    lookup: ToolUse
    check: ToolUse
    one: ToolUse
    two: ToolUse
    identifier: str
    """Key of step one's result that step two must be given word for word."""
    missing: Missing
    script: Script
    concepts: Concepts

    @property
    def steps(self) -> int:
        """How many steps change something."""
        return 1 if self.family == "helpdesk" else 2

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """All tools, in the order of the script."""
        return tuple(use.spec() for use in (self.lookup, self.check, self.one, self.two))

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        for fault in self._faults():
            raise ValueError(f"{self.scenario_id}: {fault}")
        return self

    def _faults(self) -> list[str]:
        given = self.one.args.get(self.missing.field, "")
        names = [use.tool for use in (self.lookup, self.check, self.one, self.two)]
        found = {
            f"step one has no field {self.missing.field}": not given,
            "the script's value does not match its own pattern": not re.fullmatch(
                self.missing.pattern, given
            ),
            f"the user never says {given}": given not in self.missing.answer,
            f"the request gives {given} away": given in self.script.request,
            f"step one's result has no {self.identifier}": self.identifier not in self.one.result,
            "step two is not given step one's identifier": (
                self.two.args.get(self.identifier) != self.one.result.get(self.identifier)
            ),
            "two tools share a name": len(set(names)) < len(names),
        }
        return [fault for fault, there in found.items() if there]


@cache
def load_scenarios(which: SetName, lang: Lang) -> tuple[Scenario, ...]:
    """The scenarios of a set, in file order. Raises `InputError`, `DamageError`."""
    name = f"{which}_{lang}.toml"
    source = files("draligned.bench_data") / "progress" / name
    if not source.is_file():
        raise InputError(f"there are no {which} scenarios in {lang}")
    try:
        rows = tomllib.loads(source.read_text("utf-8"))["scenarios"]
        found = tuple(Scenario.model_validate(row) for row in rows)
    except (KeyError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise DamageError(f"bench_data/progress/{name}: {error}") from error
    if len({s.scenario_id for s in found}) < len(found):
        raise DamageError(f"bench_data/progress/{name}: two scenarios share an id")
    return found
