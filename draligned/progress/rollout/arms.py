"""The configurations that can be run: which gate ends a session, and who speaks in between.

B1 and B2 have the same user turns; only B1 asks for reports. Under A the runtime owns the end
and speaks once the user has nothing to add; the leave to use defaults, which the user of B1 and
B2 gives with the answer, comes in the matched re-prompt or nowhere (SI-89, SI-90, Q34). The
other four put the remaining signals of the survey to use (SI-103).
"""

from collections.abc import Iterable

from draligned.gates.hard_cap import TURN_CAP
from draligned.gates.registry import get_gate
from draligned.gates.reprompts import REPROMPT_LIMIT
from draligned.gates.rule import Gate
from draligned.schema.errors import ConfigError
from draligned.schema.rollout import RolloutArm

SHORT_CAP = 8
"""Replies of the arm that nothing but a counter ends: a rollout takes five or six."""


def _owned(name: str, reprompt: str) -> RolloutArm:
    return RolloutArm.model_validate(
        {
            "name": name, "panel": "B", "gates": ("runtime_owned",), "authorises": False,
            "reprompt": reprompt, "reprompt_limit": REPROMPT_LIMIT, "cap": TURN_CAP,
        }
    )  # fmt: skip


def _beside(name: str, *gates: str, reports: bool = False) -> RolloutArm:
    return RolloutArm(
        name=name, panel="C", gates=gates, reports=reports, authorises=True, cap=TURN_CAP
    )


_ALL = (
    RolloutArm(
        name="B1", panel="A", gates=("marker",), reports=True, authorises=True, cap=TURN_CAP
    ),
    RolloutArm(name="B2", panel="A", gates=("no_tool_call",), authorises=True, cap=TURN_CAP),
    _owned("A", "unmatched"),
    _owned("A-matched", "matched"),
    _beside("B3", "terminal_tool"),
    _beside("A1", "typed_state"),
    RolloutArm(
        name="A2", panel="C", gates=("hard_cap",), authorises=True, reprompt="unmatched",
        cap=SHORT_CAP,
    ),
    _beside("C", "marker", "typed_state", reports=True),
)  # fmt: skip
ARMS = {arm.name: arm for arm in _ALL}
MAIN = ("B1", "B2", "A", "A-matched")
"""Those of Table 19."""
_WORDS = {"A-unmatched": "A"}


def arms(names: Iterable[str]) -> tuple[RolloutArm, ...]:
    """Arms by name, each once; `B1,B2` names two. Raises `ConfigError`, naming those there are."""
    wanted = [part.strip() for name in names for part in name.split(",") if part.strip()]
    found = dict.fromkeys(_WORDS.get(name, name) for name in wanted)
    for name in found:
        if name not in ARMS:
            raise ConfigError(f"there is no gate {name!r}; there are {', '.join(ARMS)}")
    return tuple(ARMS[name] for name in found or MAIN)


def gates_of(arm: RolloutArm) -> tuple[Gate, ...]:
    """The shared gate values of an arm."""
    return tuple(get_gate(name) for name in arm.gates)
