"""The reader of live pages, put together: policy, connections, manners, robots.txt, caps."""

from collections.abc import Callable

import httpcore
import httpx

from draligned.retrieval.address import AddressPolicy
from draligned.retrieval.fetch import Fetched, ReadingClient, fetch
from draligned.retrieval.polite import HostGate, Manners
from draligned.retrieval.reader import PageReader
from draligned.retrieval.robots import RobotsManners
from draligned.retrieval.transport import GuardedBackend, GuardedTransport, Resolver, look_up
from draligned.schema.config import ReadingConfig
from draligned.schema.errors import ConfigError

_ROBOTS_BYTES = 512_000
"""RFC 9309 wants 500 KiB to be read."""
_ROBOTS_SECONDS = 10.0


def web_reader(
    reading: ReadingConfig,
    *,
    benchmark: Callable[[str, str], bool] | None = None,
    resolver: Resolver = look_up,
    backend: httpcore.AsyncNetworkBackend | None = None,
) -> PageReader:
    """A reader of the real web under `reading`; close it with `aclose`.

    `benchmark(url, text)` says whether a page belongs to the benchmark itself. `resolver` and
    `backend` stand in for name service and sockets in tests. Raises `ConfigError` for an entry
    of `reading.allow` that means nothing.
    """
    policy = AddressPolicy(reading.allow)
    transport = GuardedTransport(GuardedBackend(policy, resolver, backend))
    client = ReadingClient(transport, reading.user_agent)
    manners = _manners(client, policy, reading)
    return PageReader(client, reading, manners=manners, benchmark=benchmark)


def check_reading(name: str, reading: ReadingConfig) -> None:
    """Raise `ConfigError` for settings of source `name` that no page can be read with."""
    AddressPolicy(reading.allow)
    agent = reading.user_agent
    if not (agent.strip() and agent.isascii() and agent.isprintable()):
        raise ConfigError(
            f"study.toml: `retrieval.{name}.reading.user_agent` must be one line of letters, "
            "digits and signs of ASCII"
        )


def _manners(client: ReadingClient, policy: AddressPolicy, reading: ReadingConfig) -> Manners:
    gate = HostGate(policy, reading)
    if not reading.robots:
        return gate
    limits = reading.model_copy(
        update={
            "wire_bytes": _ROBOTS_BYTES,
            "body_bytes": _ROBOTS_BYTES,
            "seconds": min(reading.seconds, _ROBOTS_SECONDS),
            "redirects": max(reading.redirects, 5),
            "pdf_bytes": 1,
        }
    )

    async def load(url: httpx.URL) -> Fetched:
        return await fetch(client, url, limits, gate)

    return RobotsManners(gate, reading.user_agent, load)
