"""Where a harness is run for a check: in memory, with a scripted model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from draligned.harnesses.conformance.memory import MemoryStore
from draligned.harnesses.conformance.player import TOKENS, Move, Player
from draligned.harnesses.conformance.stage_set import RUN, OnePage, condition, header
from draligned.harnesses.conformance.toolkit import Toolkit
from draligned.harnesses.desk import OpenWorkspace
from draligned.harnesses.episode import run_episode
from draligned.schema.chat import ChatReply, ChatRequest
from draligned.schema.design import Lang
from draligned.schema.endings import EpisodeEnd
from draligned.schema.events import Body
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Side
from draligned.store.blobs import Blobs
from draligned.study.attempts import events_key
from draligned.study.log import read_events

LOG = events_key(RUN, 1)
WIDE = {"decisions": 211, "tools": 1217, "acquisition": 1223, "output_tokens": 9_811_373}
"""Limits that no story comes near, and numbers that no text holds by chance."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """An episode that was run for a check, and all that can be known of it."""

    spec: HarnessSpec
    store: MemoryStore
    end: EpisodeEnd | None
    requests: tuple[ChatRequest, ...]
    """What the model was sent, in order."""
    replies: dict[int, ChatReply | BaseException]
    asked: tuple[str, ...]
    """What retrieval was asked."""

    @cached_property
    def blobs(self) -> Blobs:
        """Texts that the log names."""
        return Blobs(self.store)

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """What was logged, read again from the store. Raises `DamageError` on any damage."""
        return tuple(event.body for event in read_events(self.store, LOG))

    def of(self, *kinds: str) -> list[Body]:
        """What was logged of those kinds."""
        return [body for body in self.bodies if body.kind in kinds]


@dataclass(frozen=True, kw_only=True)
class Lab:
    """Runs one harness again and again."""

    spec: HarnessSpec
    open_workspace: OpenWorkspace | None = None
    toolkit: Toolkit = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "toolkit", Toolkit(self.spec))

    def with_spec(self, **changes: object) -> "Lab":
        """The same with another spec, whether sound or not."""
        return replace(self, spec=self.spec.model_copy(update=changes))

    def with_budget(self, **limits: int) -> "Lab":
        """The same with other limits, and steps enough to come to them."""
        budget = self.spec.budget.model_copy(update=limits)
        return self.with_spec(
            budget=budget, recursion_limit=1000 if limits else self.spec.recursion_limit
        )

    async def play(
        self,
        story: Sequence[Move],
        *,
        side: Side = Side.P,
        lang: Lang = "zh",
        tokens: int = TOKENS,
        begun: MemoryStore | None = None,
        known: dict[int, ChatReply | BaseException] | None = None,
    ) -> Run:
        """Run the harness, or go on with what `begun` holds of an episode."""
        player = Player(story, marker=self.toolkit.marker, tokens=tokens, known=dict(known or {}))
        store, pages = begun or MemoryStore(), OnePage()
        cond = condition(self.spec, side, lang)
        end = await run_episode(
            self.spec,
            cond,
            header(self.spec, cond),
            model=player,
            retrieval=pages,
            store=store,
            blobs=Blobs(store),
            seed=None,
            retry_waits=(),
            open_workspace=self.open_workspace,
        )
        return Run(
            spec=self.spec,
            store=store,
            end=end,
            requests=tuple(player.requests),
            replies=player.known,
            asked=tuple(pages.asked),
        )
