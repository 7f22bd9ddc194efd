"""Rules on what the agent is shown: the pair, budgets, user turns, the order of tools."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from draligned.harnesses.conformance.lab import WIDE, Lab, Run
from draligned.harnesses.conformance.player import Busy
from draligned.harnesses.conformance.stage_set import SENTENCES
from draligned.harnesses.stages import delegation, stages
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.chat import ChatRequest, Message
from draligned.schema.design import Lang
from draligned.schema.events import ToolResult, UserTurn
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Side
from draligned.schema.strictjson import visible

LANGS: tuple[Lang, ...] = ("zh", "en")


async def pair_check(lab: Lab) -> str | None:
    """What P and Q are sent differs in the endpoint sentence alone, in every context (DR-45)."""
    for lang in LANGS:
        p, q = [await lab.play(lab.toolkit.whole(), side=side, lang=lang) for side in Side]
        if p.end is None or q.end is None or p.end.outcome != q.end.outcome:
            return "P and Q do not come to the same end"
        if len(p.requests) != len(q.requests):
            return f"P makes {len(p.requests)} model calls, Q {len(q.requests)}"
        problem = next(_differences(p.requests, q.requests, lang), None)
        if problem is not None:
            return f"{problem} ({lang})"
        if not _endpoint_is_told(p.requests, lang) and _may_be_told(lab.spec):
            return f"the endpoint sentence never reaches the agent ({lang})"
    return None


def _differences(
    left: Sequence[ChatRequest], right: Sequence[ChatRequest], lang: Lang
) -> Iterator[str]:
    for number, (p, q) in enumerate(zip(left, right, strict=True), start=1):
        if p.tools != q.tools:
            yield f"call {number} declares other tools in P than in Q"
        if len(p.messages) != len(q.messages):
            yield f"call {number} has another number of messages in P than in Q"
        for place, (one, two) in enumerate(zip(p.messages, q.messages, strict=False), start=1):
            problem = _differs(one, two, lang)
            if problem:
                yield f"call {number}, message {place}: {problem}"


def _differs(one: Message, two: Message, lang: Lang) -> str | None:
    p, q = SENTENCES[lang][Side.P], SENTENCES[lang][Side.Q]
    text = one.text or ""
    if one.role == "user" and p in text:
        if text.count(p) != 1 or not text.endswith(p):
            return "the endpoint is not the last sentence, once"
        one = one.model_copy(update={"text": text.removesuffix(p) + q})
    return None if one == two else f"P and Q differ outside the endpoint ({one.role} message)"


def _endpoint_is_told(requests: Sequence[ChatRequest], lang: Lang) -> bool:
    sentence = SENTENCES[lang][Side.P]
    return any(sentence in (m.text or "") for r in requests for m in r.messages)


def _may_be_told(spec: HarnessSpec) -> bool:
    return any("user_message" in stage.reads for stage in stages(spec))


SMALL = {"decisions": 17, "tools": 19, "acquisition": 23, "output_tokens": 4_831}
"""Limits that are reached soon, and numbers that no text holds by chance."""
_TOKENS = 700
"""A turn's tokens where the budget of tokens is to be used up."""
_APART = {"output_tokens": 2 * _TOKENS}
"""How far apart two limits are: more than one turn spends, so that no remainder is the same."""
_TELLING = 20
"""A smaller limit may stand in a text by chance."""


async def no_budget_number(lab: Lab) -> str | None:
    """No text shows a limit, what is left of it, or changes with it (DR-31)."""
    for lang in LANGS:
        own = await lab.play(lab.toolkit.whole(), lang=lang)
        limits = [n for n in lab.spec.budget.model_dump().values() if n >= _TELLING]
        problem = _shows(own, limits) or await _same_under(lab, WIDE, lang, busy=False)
        for name, limit in _reached(lab).items():
            problem = problem or await _same_under(lab, {**WIDE, name: limit}, lang, busy=True)
        if problem:
            return f"{problem} ({lang})"
    return None


def _reached(lab: Lab) -> dict[str, int]:
    """The limits that this harness can use up."""
    requests = bool(lab.toolkit.searches())
    return {name: limit for name, limit in SMALL.items() if requests or name != "acquisition"}


async def _same_under(lab: Lab, limits: dict[str, int], lang: Lang, *, busy: bool) -> str | None:
    """Runs whose limits are a turn or two apart show the same texts, and none of the numbers."""
    story = [Busy()] if busy else lab.toolkit.whole()
    tokens = _TOKENS if limits["output_tokens"] == SMALL["output_tokens"] else 1
    more = {name: limit + _APART.get(name, 2) for name, limit in limits.items()}
    one = await lab.with_budget(**limits).play(story, lang=lang, tokens=tokens)
    two = await lab.with_budget(**more).play(story, lang=lang, tokens=tokens)
    for number, (a, b) in enumerate(zip(one.requests, two.requests, strict=False), start=1):
        if (a.messages, a.tools) != (b.messages, b.tools):
            return f"what call {number} shows changes with the budget"
    return _shows(one, limits.values()) or _shows(two, more.values())


_NUMBER = re.compile(r"(?<![\w.])\d+(?:[,_ ]\d{3})*(?!\w)")


def _shows(run: Run, numbers: Iterable[int]) -> str | None:
    wanted = {str(number) for number in numbers}
    for text in _shown(run):
        hits = [hit for hit in _NUMBER.findall(text) if re.sub(r"\D", "", hit) in wanted]
        if hits:
            return f"the budget number {hits[0]} is shown: {visible(text, 80)!r}"
    return None


def _shown(run: Run) -> Iterator[str]:
    """Every text that an agent was shown or would have been shown next."""
    for request in run.requests:
        for message in request.messages:
            if message.role != "assistant":
                yield message.text or ""
        for tool in request.tools:
            yield tool.to_json()
    for body in run.bodies:
        if isinstance(body, ToolResult):
            yield run.blobs.get(body.text_sha256)


async def no_extra_user_turn(lab: Lab) -> str | None:
    """A context has one user message, and those of the script; a gate's are logged (DR-42)."""
    run = await lab.play(lab.toolkit.whole())
    spoken = [body for body in run.bodies if isinstance(body, UserTurn)]
    scripted = sum(body.origin == "scripted" for body in spoken)
    prompts = len(spoken) - scripted
    if scripted != lab.spec.scripted_turns:
        return f"{scripted} scripted turns were spoken, {lab.spec.scripted_turns} are planned"
    for number, request in enumerate(run.requests, start=1):
        roles = [message.role for message in request.messages]
        if roles[:2] != ["system", "user"] or roles.count("system") != 1:
            return f"call {number} does not begin with one system and one user message"
        if roles.count("user") > 1 + scripted + prompts:
            return f"call {number} has {roles.count('user')} user messages"
        after_tool = ("tool", "user") in pairwise(roles)
        if after_tool and not prompts:
            return f"call {number}: a user message follows a tool result"
    return _spoken_by_gate(lab, prompts)


def _spoken_by_gate(lab: Lab, prompts: int) -> str | None:
    if prompts and not lab.spec.development_only:
        return f"a gate spoke {prompts} times as the user in a harness that may be analysed"
    return None


async def tool_order(lab: Lab) -> str | None:
    """Every context declares its own tools in the order of the spec (DR-44)."""
    spec = lab.spec
    allowed = {_names(stage.tools) for stage in (*stages(spec), delegation(spec))}
    if spec.scripted_turns:
        allowed.add(())
    for lang in LANGS:
        run = await lab.play(lab.toolkit.whole(), lang=lang)
        seen = {tuple(tool.name for tool in request.tools) for request in run.requests}
        if foreign := seen - allowed:
            return f"a context declares {', '.join(sorted(foreign)[0])}"
        for tool in (tool for request in run.requests for tool in request.tools):
            if not tool.description or tool.parameters.get("additionalProperties") is not False:
                return f"{tool.name} is declared without a description or with open parameters"
    first = stages(spec)[0]
    if spec.scripted_turns == 0 and _names(first.tools) not in seen:
        return f"the context {first.name} does not declare its tools"
    return None


def _names(tools: Sequence[str]) -> tuple[str, ...]:
    return tuple(TOOLS[name].name for name in tools)
