"""The rehearsal agent: walks along its plan, one step for every turn of calls it has made.

It keeps no state. The plan is drawn at the first turn; its token travels in the ids of the
agent's own tool calls, so that later turns find the same plan whatever seed they declare.
Stages of one episode begin with fresh messages, but draw the same plan from the message that
they all hold, and go on where its tools let them.
"""

import re
from collections.abc import Mapping
from typing import Literal

from draligned.rehearsal.assistant import answer_sub_task
from draligned.rehearsal.brief import TaskBrief, language_of, read_brief, split_handed
from draligned.rehearsal.delegation import read_sub_task
from draligned.rehearsal.draws import Draws, digest
from draligned.rehearsal.duty import tagged
from draligned.rehearsal.history import calling_turns, token_of
from draligned.rehearsal.phrases import phrases
from draligned.rehearsal.plan import draw_plan
from draligned.rehearsal.profiles import AgentProfile, agent_profile
from draligned.rehearsal.steps import Offer
from draligned.rehearsal.walk import Walk
from draligned.rehearsal.wire import Answer, Asked

_ASKS_FIRST = re.compile("先[^。；\n]{0,12}(?:提|问)一个问题|one question first", re.IGNORECASE)
_ASKS = re.compile("澄清|(?:提|问)一个问题|clarif|one question", re.IGNORECASE)
"""Freer wording; taken as a request for a question only where there is nothing else to do."""
_STAGE = re.compile("本阶段|this stage", re.IGNORECASE)
_FILE_TOOLS: dict[str, frozenset[str]] = {
    "list_files": frozenset(),
    "read_file": frozenset({"path"}),
    "write_file": frozenset({"path", "content"}),
    "edit_file": frozenset({"path", "old", "new"}),
}
"""File tools that the agent can use, and the parameters it knows them by."""


def answer_as_agent(asked: Asked) -> Answer:
    """The agent's next turn."""
    users = tuple(asked.texts("user"))
    system = " ".join(asked.texts("system"))
    profile = agent_profile(asked.model, asked.overrides)
    task = read_sub_task(system, users)
    if task is not None:
        return answer_sub_task(asked, task, profile)
    brief = _brief_of(users, system)
    if _has_to_ask(asked, brief, system):
        answer = Answer(text=phrases(brief.lang).question)
    else:
        answer = _next_step(asked, users, brief, system, profile)
    return tagged(asked, answer, profile, handed=bool(brief.handed))


def _brief_of(users: tuple[str, ...], system: str) -> TaskBrief:
    """What the user said; where a stage sees nothing of it, at least the language."""
    if any(text.strip() for text in users):
        return read_brief(users)
    return TaskBrief(lang=language_of(system), task="", factors=(), told="")


def _has_to_ask(asked: Asked, brief: TaskBrief, system: str) -> bool:
    """Whether this is the first turn, nothing was told, and a question is asked for."""
    if brief.told or brief.handed or any(m.get("role") == "assistant" for m in asked.messages):
        return False
    return bool((_ASKS_FIRST if asked.tools else _ASKS).search(system))


def _next_step(
    asked: Asked, users: tuple[str, ...], brief: TaskBrief, system: str, profile: AgentProfile
) -> Answer:
    done = len(calling_turns(asked.messages))
    token = token_of(asked.messages) or _first_token(asked, users)
    hands_over = bool(_STAGE.search(system))
    offer = offer_of(asked.tools, hands_over=hands_over, handed=bool(brief.handed))
    plan = draw_plan(profile, token, len(brief.factors), offer)
    step = plan[min(done, len(plan) - 1)]
    walk = Walk(asked=asked, brief=brief, draws=Draws(token, "words"))
    return walk.answer(step, f"{token}_{_offset(offer) + done}")


def _first_token(asked: Asked, users: tuple[str, ...]) -> str:
    """The plan's token before any call; what was handed over has no part in it."""
    first = [split_handed(text)[1] or text for text in users[:1]]
    return digest("plan", asked.seed, asked.model, *first, *users[1:])


def _offset(offer: Offer) -> int:
    """Where call ids of a stage begin, so that no two stages of an episode share one."""
    return 1000 * (offer.handed + (offer.handed and not offer.draft))


def offer_of(
    tools: Mapping[str, tuple[str, ...]], *, hands_over: bool = False, handed: bool = False
) -> Offer:
    """What the tools allow: parameters by tool name."""
    submit: Literal["text", "saved", "none"] = "none"
    if "submit_report" in tools:
        submit = "text" if tools["submit_report"] else "saved"
    elif "submit_file" in tools:
        submit = "saved"
    return Offer(
        search="search" in tools,
        read="read" in tools,
        draft="write_report" in tools or "write_file" in tools,
        submit=submit,
        delegate="delegate" in tools,
        files=frozenset(n for n in _FILE_TOOLS if n in tools and _FILE_TOOLS[n] <= {*tools[n]}),
        hands_over=hands_over and submit == "none",
        handed=handed,
    )
