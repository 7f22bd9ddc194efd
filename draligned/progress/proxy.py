"""A lexical stand-in for the task part of a spoken reply (SI-56, SI-57).

It looks for words that were fixed with the scenario before any reply; it is no judgement of
quality. While something is missing from the user, the reply must also ask.
"""

import re

from draligned.schema.progress import Point, StageReply, Stimulus

_ASKS = re.compile(
    r"[?？]|请问|请.{0,6}(?:告诉|提供|确认|说)|吗|呢|哪|什么|多少|几"
    r"|\b(?:which|what|when|who|how|please (?:tell|say|give|let|provide))\b",
    re.IGNORECASE,
)


def task_passed(stimulus: Stimulus, reply: StageReply) -> bool | None:
    """Whether a spoken reply holds a word of every group; none where there is nothing to judge:
    no text, a tool call, or no words fixed for the checkpoint."""
    text = (reply.text or "").lower()
    if not stimulus.concepts or not text.strip() or reply.tool_calls:
        return None
    if stimulus.point is Point.WAIT and _ASKS.search(text) is None:
        return False
    return all(any(word.lower() in text for word in group) for group in stimulus.concepts)
