"""Gates by name."""

from draligned.gates.hard_cap import HARD_CAP
from draligned.gates.marker import MARKER
from draligned.gates.no_tool_call import NO_TOOL_CALL
from draligned.gates.rule import Gate
from draligned.gates.runtime_owned import RUNTIME_OWNED
from draligned.gates.terminal_tool import TERMINAL_TOOL
from draligned.gates.typed_state import TYPED_STATE
from draligned.schema.errors import ConfigError

GATES: dict[str, Gate] = {
    gate.name: gate
    for gate in (NO_TOOL_CALL, MARKER, TERMINAL_TOOL, TYPED_STATE, HARD_CAP, RUNTIME_OWNED)
}


def get_gate(name: str) -> Gate:
    """The gate of that name. Raises `ConfigError`, which lists the names there are."""
    if name not in GATES:
        raise ConfigError(f"there is no gate {name!r}; choose one of: {', '.join(sorted(GATES))}")
    return GATES[name]
