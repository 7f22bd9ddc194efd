"""Gates by name."""

from draligned.gates.no_tool_call import NO_TOOL_CALL
from draligned.gates.rule import Gate
from draligned.schema.errors import ConfigError

GATES: dict[str, Gate] = {gate.name: gate for gate in (NO_TOOL_CALL,)}


def get_gate(name: str) -> Gate:
    """The gate of that name. Raises `ConfigError`, which lists the names there are."""
    if name not in GATES:
        raise ConfigError(f"there is no gate {name!r}; choose one of: {', '.join(sorted(GATES))}")
    return GATES[name]
