"""Names of environments: what their answers depend on, and nothing else (DESIGN §6)."""

from draligned.schema.base import short_id
from draligned.schema.config import Scope, SourceConfig
from draligned.schema.design import Lang

_PASSING = {
    "mode",
    "scope",
    "snapshots",
    "api_key_env",
    "timeout_seconds",
    "concurrency",
    "requests_per_minute",
    "retry_after_cap_seconds",
    "price",
    "currency",
}
_PASSING_READING = {"seconds", "per_host", "delay_seconds", "retry_after_cap_seconds"}
"""Settings that change how or how fast answers come, never what is recorded as one."""


def source_identity(config: SourceConfig, lang: Lang) -> str:
    """`<kind>-<lang>-<hash>`; the hash covers every setting that answers depend on.

    The name of the source in study.toml is not part of it.
    """
    settings = config.model_dump(mode="json", exclude=_PASSING | {"reading"})
    reading = config.reading.model_dump(mode="json", exclude=_PASSING_READING)
    return f"{config.kind}-{lang}-{short_id('source', settings, reading)[:8]}"


def environment_name(source: str, scope: Scope, snapshot: int) -> str:
    """The environment of a source's answers within `scope`; snapshots count from 1.

    One for the whole study, and the first of several, go by the source's own name.
    """
    parts = [source]
    if scope != "study":
        parts.append(scope)
    if snapshot > 1:
        parts.append(str(snapshot))
    return "-".join(parts)


def scope_id(scope: Scope, *, task_id: str, pair_id: str) -> str:
    """The part of an environment in which a run of that task and pair asks."""
    if scope == "study":
        return "study"
    return pair_id if scope == "pair" else short_id("task", task_id)
