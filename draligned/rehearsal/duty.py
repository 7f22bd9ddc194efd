"""Stage tags of rehearsal agents: what they believe of their own work, and how they fail to say it.

An agent that is asked for tags finds their form and order in its instructions. What it believes
comes from the messages alone. Each turn has one fate, drawn by the declared seed and the number of
the turn, so that a test can say beforehand what every tag will be.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from draligned.rehearsal.draws import Draws
from draligned.rehearsal.history import Messages, came_to_nothing, past_calls
from draligned.rehearsal.profiles import AgentProfile
from draligned.rehearsal.wire import Answer, Asked, Call, text_of

_TAG = re.compile(r"^<stage>([a-z_]+)</stage>", re.MULTILINE)
_REQUESTS, _SAVES = ("search", "read"), ("write_report", "write_file", "edit_file")
_SUBMITS = ("submit_report", "submit_file")
_FOUND = "[ok]"
"""How results of requests begin that returned something."""
_FIELDS = ("query", "content", "new", "task")
"""Arguments that a leaking agent writes its tag into as well."""


def tagged(asked: Asked, answer: Answer, profile: AgentProfile, *, handed: bool) -> Answer:
    """`answer` with the tag that the instructions ask for; as it is where they ask for none.

    Empty and cut replies stay as they are.
    """
    values = _TAG.findall("\n".join(asked.texts("system")))
    if not values or answer.finish == "length" or not (answer.calls or answer.text):
        return answer
    fate = fate_of(asked.seed, asked.model, turn_of(asked.messages), profile)
    at = believed(asked, values, handed=handed)
    value = values[max(0, min(len(values) - 1, at + {"early": 1, "late": -1}.get(fate, 0)))]
    tag = f"<stage>{value}</stage>"
    leaks = Draws("leak", asked.seed, turn_of(asked.messages)).chance(profile.tag_leaks)
    calls = tuple(_leaking(call, tag) for call in answer.calls) if leaks else answer.calls
    return replace(answer, text=_said(answer.text or "", tag, fate), calls=calls)


def turn_of(messages: Messages) -> int:
    """How many turns came before this one in its context."""
    return sum(m.get("role") == "assistant" for m in messages)


def fate_of(seed: int, model: str, turn: int, profile: AgentProfile) -> str:
    """What becomes of the tag of a turn, counted from 0."""
    return Draws("tag", seed, model, turn).weighted(profile.tags.model_dump(), "fate")


def believed(asked: Asked, values: Sequence[str], *, handed: bool) -> int:
    """Place of the stage that the messages show, among `values`."""
    results = {str(m.get("tool_call_id")): text_of(m) for m in asked.messages
               if m.get("role") == "tool"}  # fmt: skip
    place = int(handed) + (handed and not set(_SAVES) & set(asked.tools))
    for call in past_calls(asked.messages):
        result = results.get(call.call_id)
        if result is None or came_to_nothing(result):
            continue
        if call.name in _SUBMITS:
            place = max(place, 3)
        elif call.name in _SAVES:
            place = max(place, 2)
        elif call.name in _REQUESTS and result.startswith(_FOUND):
            place = max(place, 1)
    return min(place, len(values) - 1)


def _said(text: str, tag: str, fate: str) -> str:
    if fate == "omission":
        return text
    if fate == "malformed":
        return f"{tag}\n\n{text or '…'}"
    return f"{text}\n\n{tag}" if text else tag


def _leaking(call: Call, tag: str) -> Call:
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return call
    changed = {k: f"{v}\n{tag}" if k in _FIELDS else v for k, v in arguments.items()}
    return Call(name=call.name, arguments=json.dumps(changed, ensure_ascii=False))
