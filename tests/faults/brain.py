"""What the provider answers: drawn by hash from the request and how often it was seen before."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from draligned.schema.base import unit_draw
from tests.hard.agents import BROKEN_CALLS, ENDS, USAGES
from tests.hard.loopback import Asked, Said

from .heard import Heard
from .wires import encoded, rendered

T = TypeVar("T")
Json = dict[str, Any]
DRAFT, REPORT, CLOSING = "〔草稿〕", "〔报告〕", "〔结语〕"
"""What texts of each kind begin with, so that none can be taken for another."""
OTHER_TOOLS = (
    "search", "read", "submit_report", "write_report", "list_files", "read_file", "write_file",
    "edit_file", "submit_file", "delegate", "python", "execute",
)  # fmt: skip
PATHS = ("report.md", "report.md", "report.md", "notes/a.md", "结果.md")
BAD_PATHS = ("../x.md", "/etc/passwd", "C:\\x", "a:b.md", "CON.md", "", "x" * 300, "no.md", ".")
CALL_IDS = ("", "dup", "dup", None, 7, "i" * 5000, "\ud835", "\x00", "../../etc", "cdefgh")
ODD_TEXTS = ("", "", "\ud835", "\x00\u2028", "{0.__class__} %s", "长" * 400)
WALL = "99999"
"""Seconds that nobody waits."""


class Reply(NamedTuple):
    """What goes out, and how: see `manners`."""

    said: Said
    manner: str = "whole"
    streamed: bool = False


class Fate(NamedTuple):
    """How an episode's model tends to behave; drawn once an episode."""

    name: str
    faults: float = 0.12
    """Share of tries that fail."""
    lasting: float = 0.05
    """Share of turns whose answer is hostile however often it is asked for."""
    broken: float = 0.12
    """Share of calls that cannot be executed."""
    close: float = 0.22
    """Share of turns that call no tool."""
    batch: int = 3
    """Calls of a turn at most, but for floods."""
    flood: float = 0.03
    """Share of turns with more calls than any small budget has room for."""


FATES = (
    Fate("usual"),
    Fate("usual"),
    Fate("usual"),
    Fate("eager", close=0.02, flood=0.08),
    Fate("slow", close=0.01, batch=1, flood=0.0),
    Fate("wild", faults=0.45, lasting=0.0),
    Fate("clumsy", broken=0.7, close=0.1),
    Fate("barren", broken=1.0, close=0.0, batch=1, flood=0.0, lasting=0.0),
    Fate("parrot", close=0.0, batch=1, flood=0.0, broken=0.0, lasting=0.0, faults=0.02),
    Fate("cut off", faults=0.0, lasting=0.3, close=0.0),
)
WALLED = Fate("walled", faults=0.0, lasting=0.0)
"""One in eighty: after its first turn, the provider asks for longer waits than anyone allows."""


@dataclass
class Brain:
    """Stateless but for the count of requests seen; nothing depends on their order."""

    seed: int
    calm: bool = False
    """Whether what is answered is the same for every try of a request."""
    _seen: Counter[str] = field(default_factory=Counter)

    def reply(self, heard: Heard) -> Reply:
        """The answer to one request."""
        draw = Draw(self.seed, heard.digest, self._seen[heard.digest])
        self._seen[heard.digest] += 1
        fate = self.fate(heard)
        if fate is WALLED and heard.turns >= 1:
            return Reply(Said(429, b"later", {"Retry-After": WALL}))
        if not self.calm and draw.number("try") < fate.faults:
            return _fault(heard, draw)
        turn = draw.whatever_the_try()
        if turn.number("lasting") < fate.lasting:
            return _lasting(heard, turn)
        return _sent(heard, _usual(heard, fate, turn), turn if self.calm else draw)

    def fate(self, heard: Heard) -> Fate:
        """By the first user message and the declared seed: the same for a whole context."""
        draw = Draw(self.seed, heard.user, heard.seed or 0)
        return WALLED if draw.number("walled") < 0.0125 else draw.one_of("fate", FATES)


class Draw(NamedTuple):
    """Draws by name for one request."""

    seed: int
    digest: str
    seen: int

    def number(self, name: str) -> float:
        """In [0, 1)."""
        return unit_draw(*self, name)

    def one_of(self, name: str, options: Sequence[T]) -> T:
        """One of `options`."""
        return options[int(self.number(name) * len(options))]

    def whatever_the_try(self) -> "Draw":
        """The same for every try of the request."""
        return self._replace(seen=0)


# what fails


STATUSES = (
    Said(500, b"<html>oops</html>"),
    Said(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"}),
    Said(503, b"", {"Retry-After": "0.01"}),
    Said(529, b'{"error": {"message": "overloaded"}}'),
    Said(408), Said(409, b"conflict"),
    Said(429, b"slow", {"Retry-After": "0"}), Said(429, b"slow", {"Retry-After": "-5"}),
    Said(429, b"slow", {"Retry-After": "abc"}), Said(429, b"slow", {"Retry-After": "0.01"}),
    Said(429, b"slow", {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    Said(200, b"<html><body>please log in</body></html>", {"Content-Type": "text/html"}),
    Said(200, b"unsupported model: x"), Said(200, b""), Said(204), Said(202, b"{}"),
    Said(200, b'{"error": {"message": "upstream"}}'), Said(200, b"null"), Said(200, b"\xff\xfe"),
)  # fmt: skip
REFUSALS = (
    Said(400, b'{"error": {"message": "bad request"}}'), Said(401, b"who are you"),
    Said(403, b"no"), Said(404, b'{"error": "no such model"}'), Said(413, b"too long"),
    Said(422, b'{"error": {"message": "unprocessable"}}'),
)  # fmt: skip
OPEN = (
    Said(429, b"slow", {"Retry-After": "75"}), Said(503, b"", {"Retry-After": WALL}),
    Said(429, b'{"error": {"code": "insufficient_quota"}}'), Said(402, b"pay"),
)  # fmt: skip
MANNERS = (
    "hang_up", "reset", "cut", "cut", "too_little", "too_long_a_length", "too_short_a_length",
    "no_length_cut", "no_length_cut", "garbage", "not_gzip", "gzip", "drip",
)  # fmt: skip


def _fault(heard: Heard, draw: Draw) -> Reply:
    """One try fails; the next one of the same request may not."""
    what = draw.number("what")
    if what < 0.08:
        return Reply(draw.one_of("open", OPEN))
    if what < 0.14:
        return Reply(draw.one_of("refusal", REFUSALS))
    if what < 0.17:
        return _tells_the_key(heard, draw)
    if what < 0.175:
        return Reply(Said(), "stall")
    if what < 0.55:
        return Reply(draw.one_of("status", STATUSES))
    sound = _usual(heard, FATES[0], draw.whatever_the_try())
    return _sent(heard, sound, draw)._replace(manner=draw.one_of("manner", MANNERS))


def _tells_the_key(heard: Heard, draw: Draw) -> Reply:
    """Servers that repeat the headers they were sent; what they say must never be stored."""
    said = f"you sent Bearer {heard.key}".encode()
    status = draw.one_of("key", (200, 400, 401, 500, 502, 0))
    if status:
        return Reply(Said(status, said))
    return _sent(heard, _completion({"content": f"{CLOSING} {said.decode()}"}), draw)


def _lasting(heard: Heard, turn: Draw) -> Reply:
    """An answer that stays the same however often it is asked for."""
    draw = turn.number("end")
    if draw < 0.1:
        status = (Said(500, b"for ever"), Said(429, b"slow"), Said(200, b"<html>for ever</html>"))
        return Reply(turn.one_of("for ever", status))
    if draw < 0.25:
        late = heard.turns > 0
        refusals = REFUSALS if late else (REFUSALS[0], REFUSALS[-1])
        return Reply(turn.one_of("refused", refusals))
    case = ENDS[turn.one_of("ends", sorted(ENDS))]
    said = case.answer(Asked({"messages": heard.messages, "model": heard.model}, 0.0)) or Said()
    if said.status != 200:
        return Reply(said)
    try:
        payload = json.loads(said.body)
    except (ValueError, RecursionError):
        return Reply(said)
    return _sent(heard, payload, turn)


# what works


def _sent(heard: Heard, payload: Any, draw: Draw) -> Reply:
    wire = heard.wire
    kind = "text/event-stream" if wire.stream else "application/json"
    said = Said(200, rendered(wire, payload), {"Content-Type": kind})
    return Reply(said, draw.one_of("sent", ("whole", "whole", "chunked")), wire.stream)


def _completion(message: Json, finish: str | None = None, **usage: Any) -> Json:
    default = "tool_calls" if message.get("tool_calls") else "stop"
    message = {"role": "assistant", **message}
    choice = {"index": 0, "message": message, "finish_reason": finish or default}
    counted = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
    found = usage.get("usage", counted)
    payload: Json = {"id": "x", "model": "echoed", "choices": [choice]}
    return payload if found == "leave out" else {**payload, "usage": found}


def _usual(heard: Heard, fate: Fate, turn: Draw) -> Json:
    """A turn of an agent that works: calls, or a closing text."""
    message, finish = _said(heard, fate, turn), None
    written = int(3 + 180 * turn.number("tokens") ** 2)
    if turn.number("many") < 0.01:
        written = 3000
    if heard.limit is not None and written >= heard.limit:
        written, finish = heard.limit, "length"
    usage: Any = {"prompt_tokens": 9, "completion_tokens": written, "total_tokens": 9 + written}
    if turn.number("odd usage") < 0.08:
        usage = USAGES[turn.one_of("usage", sorted(USAGES))]
    if turn.number("thoughts") < 0.2:
        message["reasoning_content"] = "hm \ud800 {}"
    return _completion(message, finish, usage=usage)


def _said(heard: Heard, fate: Fate, turn: Draw) -> Json:
    hidden = not heard.tools and turn.number("hidden") < 0.2
    if not (heard.tools or hidden) or turn.number("close") < fate.close:
        return {"content": f"{CLOSING}{turn.digest[:12]}\u2028\x85 \ud83c\udf78 {{x}}"}
    count = 1 + int(turn.number("count") * fate.batch)
    if turn.number("flood") < fate.flood:
        count = 14
    calls = [_call(heard, fate, turn, n) for n in range(count)]
    content = turn.one_of("beside", (None, "", "我来查", [{"type": "text", "text": "部分"}]))
    return {"content": content, "tool_calls": calls}


def _call(heard: Heard, fate: Fate, turn: Draw, n: int) -> Any:
    """One call of a turn: broken, of a tool that is not offered here, or sound."""
    if fate.name == "parrot" and "search" in heard.tools:
        return _tool("search", {"query": "同样的问题"}, f"p{heard.turns}")
    if turn.number(f"broken {n}") < fate.broken:
        return BROKEN_CALLS[turn.one_of(f"how {n}", sorted(BROKEN_CALLS))]
    known = heard.tools and turn.number(f"other {n}") < 0.95
    names = tuple(heard.tools) if known else OTHER_TOOLS
    name = turn.one_of(f"tool {n}", names)
    wanted = heard.tools.get(name, {}).get("required", ("content",))
    arguments = {field: _value(heard, name, field, turn, n) for field in wanted}
    call_id: Any = f"c{turn.digest[:8]}{n}"
    if turn.number(f"odd id {n}") < 0.15:
        call_id = turn.one_of(f"id {n}", CALL_IDS)
    return _tool(name, arguments, call_id)


def _tool(name: str, arguments: Json, call_id: Any) -> Json:
    function = {"name": name, "arguments": encoded(arguments).decode()}
    return {"id": call_id, "type": "function", "function": function}


def _value(heard: Heard, tool: str, field: str, turn: Draw, n: int) -> str:
    own = f"{turn.digest[:10]}-{n}"
    if field == "path":
        bad = turn.number(f"bad path {n}") < 0.2
        return turn.one_of(f"path {n}", BAD_PATHS if bad else PATHS)
    if field == "task":
        return f"{heard.episode} {own}"
    if field == "code":
        return f"open('c{n}.md', 'w').write('{DRAFT}{own}')"
    if field == "old":
        return turn.one_of(f"old {n}", (DRAFT, "没有的", own))
    if field in ("content", "new"):
        mark = REPORT if tool.startswith("submit") else DRAFT
        odd = turn.one_of(f"odd {n}", ODD_TEXTS)
        return f"{mark}{own} {odd}"
    return f"{field} {own}"
