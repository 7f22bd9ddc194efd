"""How often somebody is asked to go on: one limit for every loop that re-prompts (Q34)."""

from draligned.gates.rule import ReplyFacts

REPROMPT_LIMIT = 3
"""Re-prompts in a row without a tool call after which an episode has stalled."""


def stalled(facts: ReplyFacts, limit: int = REPROMPT_LIMIT) -> bool:
    """Whether the reply is spoken once more although the limit of re-prompts is used up."""
    return facts.n_calls == 0 and facts.reprompts >= limit
