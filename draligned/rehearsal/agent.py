"""The rehearsal agent: walks along its plan, one step for every turn of calls it has made.

It keeps no state. The plan is drawn at the first turn; its token travels in the ids of the
agent's own tool calls, so that later turns find the same plan whatever seed they declare.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from draligned.rehearsal.brief import read_brief
from draligned.rehearsal.draws import Draws, digest
from draligned.rehearsal.phrases import phrases
from draligned.rehearsal.plan import Offer, draw_plan
from draligned.rehearsal.profiles import agent_profile
from draligned.rehearsal.walk import Walk
from draligned.rehearsal.wire import Answer, Asked

_TOKEN = re.compile(r"call_([0-9a-f]{16})_\d+_\d+")
_ASKS_FIRST = re.compile("澄清|(?:提|问)一个问题|clarif|one question", re.IGNORECASE)


def answer_as_agent(asked: Asked) -> Answer:
    """The agent's next turn."""
    users = tuple(asked.texts("user"))
    brief = read_brief(users)
    turns = [m for m in asked.messages if m.get("role") == "assistant"]
    if not turns and not brief.told and _ASKS_FIRST.search(" ".join(asked.texts("system"))):
        return Answer(text=phrases(brief.lang).question)
    done = [t for t in turns if t.get("tool_calls")]
    token = _token_of(done) or digest("plan", asked.seed, asked.model, *users)
    profile = agent_profile(asked.model, asked.overrides)
    plan = draw_plan(profile, token, len(brief.factors), offer_of(asked.tools))
    step = plan[min(len(done), len(plan) - 1)]
    walk = Walk(asked=asked, brief=brief, draws=Draws(token, "words"))
    return walk.answer(step, f"{token}_{len(done)}")


def _token_of(turns: Sequence[Mapping[str, Any]]) -> str | None:
    """The plan's token from the first of the agent's own call ids."""
    ids = (str(c.get("id")) for t in turns for c in t["tool_calls"] if isinstance(c, dict))
    found = (_TOKEN.fullmatch(call_id) for call_id in ids)
    return next((match[1] for match in found if match), None)


def offer_of(tools: Mapping[str, tuple[str, ...]]) -> Offer:
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
    )
