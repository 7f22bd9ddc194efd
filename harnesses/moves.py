"""The nodes that begin or end a context, or speak as the user. No budget is spent in any."""

from typing import Literal

from draligned.harnesses.context import Entry, Episode
from draligned.harnesses.opening import stage_messages
from draligned.harnesses.texts import FRAMES
from draligned.models.turn import is_blank
from draligned.schema.events import DelegationClosed, HandedOver, UserTurn


async def close_delegation(episode: Episode) -> None:
    """End the sub-context on top; its closing text becomes the answer of the call (DR-25)."""
    context, reason = episode.state.top, episode.closed_by
    if context.parent is None or reason is None:
        raise RuntimeError("there is no delegation to close")
    text = context.closing if reason == "answered" else None
    body = DelegationClosed(
        number=context.parent,
        reason=reason,
        text_sha256=None if text is None else episode.bench.blobs.put(text),
    )
    episode.record(Entry(body))
    episode.closed_by = episode.turn = None


async def hand_over(episode: Episode) -> None:
    """End the stage and begin the next one in a fresh context (DR-20)."""
    stage = episode.rules.stages[episode.state.stage + 1]
    text = _handed(episode)
    messages = stage_messages(
        episode.condition, episode.rules, episode.state.stage + 1, handed=text
    )
    handed: Literal["draft", "reply"] = "draft" if hands_draft(episode) else "reply"
    body = HandedOver(
        to=stage.name,
        source="none" if text is None else handed,
        text_sha256=None if text is None else episode.bench.blobs.put(text),
        messages=messages,
    )
    episode.record(Entry(body))
    episode.turn = None


async def speak_as_user(episode: Episode) -> None:
    """Speak the script's next turn, or the gate's re-prompt where the script is over."""
    state = episode.state
    if episode.awaits_script:
        number = state.scripted + 1
        body = UserTurn(origin="scripted", number=number, text=episode.condition.turns[number])
    else:
        text = FRAMES[episode.bench.lang].go_on
        body = UserTurn(origin="gate", number=state.reprompts + 1, text=text)
    episode.record(Entry(body))
    episode.turn = None


def hands_draft(episode: Episode) -> bool:
    """Whether the stage that runs hands its last draft on, rather than its closing text."""
    return "workspace" in episode.stage.name.split("+") and episode.state.draft is not None


def can_hand_over(episode: Episode) -> bool:
    """Whether another stage follows, and there is something for it."""
    follows = episode.state.stage + 1 < len(episode.rules.stages)
    return follows and (hands_draft(episode) or not is_blank(episode.state.top.closing))


def _handed(episode: Episode) -> str | None:
    """The text that the next stage may read, if it may (DR-26)."""
    reads = episode.rules.stages[episode.state.stage + 1].reads
    if hands_draft(episode):
        draft = episode.state.draft
        return episode.bench.blobs.get(draft.text_sha256) if draft and "drafts" in reads else None
    return episode.state.top.closing if "results" in reads else None
