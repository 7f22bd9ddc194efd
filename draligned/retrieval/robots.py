"""robots.txt as RFC 9309 reads it: the longest rule wins, `*` and `$` have a meaning.

The parser of the standard library knows neither, so rules are read here.
"""

import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx

from draligned.retrieval.canonical import normal_percent
from draligned.retrieval.fetch import Fetched
from draligned.retrieval.flights import Flights
from draligned.retrieval.polite import Manners, Refused
from draligned.schema.retrieval import ReturnStatus

_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#]*)")
_TOKEN = re.compile(r"[A-Za-z_-]+")
_ORIGINS = 1_000


class Rule(NamedTuple):
    """A path pattern, and whether it allows."""

    pattern: str
    allows: bool


class Robots(NamedTuple):
    """The rules of one site for one user agent."""

    rules: tuple[Rule, ...] = ()

    def allows(self, path: str) -> bool:
        """Whether `path` (with its query) may be requested; a tie of rules allows."""
        plain = normal_percent(path)
        found = [
            (len(rule.pattern), rule.allows) for rule in self.rules if matches(rule.pattern, plain)
        ]
        return plain == "/robots.txt" or not found or max(found)[1]


def parse_robots(text: str, user_agent: str) -> Robots:
    """Rules of `text` for the product that `user_agent` begins with, or for all agents."""
    named = _TOKEN.match(user_agent)
    token = named.group().lower() if named else "*"
    groups: dict[str, list[Rule]] = {}
    for agents, rule in _rules(text):
        for agent in agents:
            kept = groups.setdefault(agent, [])
            if rule is not None:
                kept.append(rule)
    return Robots(tuple(groups.get(token, groups.get("*", []))))


def matches(pattern: str, path: str) -> bool:
    """Whether a rule's pattern covers `path`; time grows with the product of their lengths."""
    anchored = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    for part in parts[:-1] if anchored else parts:
        place = path.find(part, place)
        if place < 0:
            return False
        place += len(part)
    if not anchored:
        return True
    if not parts:
        return place == len(path)
    return len(path) - len(parts[-1]) >= place and path.endswith(parts[-1])


def _rules(text: str) -> Iterator[tuple[tuple[str, ...], Rule | None]]:
    """Each rule with the agents it stands under; a group without rules counts too."""
    agents: tuple[str, ...] = ()
    open_group = False
    for line in text.removeprefix("\ufeff").splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        key, value = found.group(1).lower(), found.group(2).strip()
        if key == "user-agent":
            agents = (*agents, _agent(value)) if open_group else (_agent(value),)
            open_group = True
            yield agents, None
        elif key in ("allow", "disallow"):
            open_group = False
            if value:
                yield agents, Rule(normal_percent(value), key == "allow")


def _agent(value: str) -> str:
    found = _TOKEN.match(value)
    return found.group().lower() if found else value


class RobotsManners:
    """`inner` and robots.txt: read once for an origin, through the same policy and caps."""

    def __init__(
        self,
        inner: Manners,
        user_agent: str,
        load: Callable[[httpx.URL], Awaitable[Fetched]],
    ) -> None:
        self._inner = inner
        self._user_agent = user_agent
        self._load = load
        self._known: OrderedDict[str, Robots] = OrderedDict()
        self._loading: Flights[Robots] = Flights()

    async def admit(self, url: httpx.URL) -> None:
        """Raise `Refused` by address, by rule, or where the rules cannot be read now."""
        await self._inner.admit(url)
        robots = await self._robots(url)
        if not robots.allows(url.raw_path.decode("ascii", "replace")):
            raise Refused(ReturnStatus.ROBOTS, "robots.txt of the site disallows this page")

    @asynccontextmanager
    async def slot(self, url: httpx.URL) -> AsyncIterator[None]:
        """The inner one's."""
        async with self._inner.slot(url):
            yield

    def told_to_wait(self, url: httpx.URL, seconds: float) -> None:
        """The inner one's."""
        self._inner.told_to_wait(url, seconds)

    async def _robots(self, url: httpx.URL) -> Robots:
        place = url.copy_with(raw_path=b"/robots.txt", fragment=None)
        origin = str(place)
        if origin in self._known:
            return self._known[origin]

        async def load() -> Robots:
            robots = self._read(place, await self._load(place))
            self._known[origin] = robots
            if len(self._known) > _ORIGINS:
                self._known.popitem(last=False)
            return robots

        return (await self._loading.share(origin, load)).value

    def _read(self, place: httpx.URL, fetched: Fetched) -> Robots:
        if fetched.refused is ReturnStatus.REFUSED:
            return Robots()  # too many redirects: as if there were none (RFC 9309, 2.3.1.2)
        if fetched.refused is not None and fetched.url != str(place):
            why = f"it leads elsewhere: {fetched.detail}"  # which says nothing of the page itself
            raise Refused(ReturnStatus.ERROR, f"robots.txt of the site cannot be read ({why})")
        if fetched.refused is not None:
            raise Refused(fetched.refused, fetched.detail)
        if fetched.code is None or fetched.code >= 500:
            why = f"HTTP {fetched.code}" if fetched.code else fetched.detail
            raise Refused(ReturnStatus.ERROR, f"robots.txt of the site cannot be read ({why})")
        if fetched.code == 429:
            raise Refused(ReturnStatus.RATE_LIMITED, "robots.txt of the site: HTTP 429")
        if not 200 <= fetched.code < 300:
            return Robots()
        return parse_robots(fetched.body.decode("utf-8", "replace"), self._user_agent)
