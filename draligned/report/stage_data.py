"""All that the page of progress reports is made of; nothing else is read."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from draligned.schema.design import Lang
from draligned.schema.progress import StageDesign


@dataclass(frozen=True, kw_only=True)
class LaneLine:
    """One line of the admission table (SI-46)."""

    design: str
    deployment: str
    planned: int
    replied: int
    transport: int
    identity: int
    probes: int
    good: int
    counts: bool
    """Whether its replies enter any number."""
    reason: str
    rehearsal: bool


@dataclass(frozen=True, kw_only=True)
class ExampleReply:
    """One stored reply of a layer. Everything in it is data."""

    layer: str
    deployment: str
    scenario_id: str
    point: str
    last: str
    """The last message that it answers."""
    required: str | None
    text: str
    calls: tuple[str, ...]
    position_id: str


@dataclass(frozen=True, kw_only=True)
class DesignPart:
    """One design of the study: its lanes, and its tables if any lane counts."""

    design: StageDesign
    lanes: tuple[LaneLine, ...]
    tables: Mapping[str, pd.DataFrame]
    """`shares`, `layers`, `confusion`, `contrasts`, and `mixed` and `gee` where they were made;
    empty where there is no number."""
    examples: tuple[ExampleReply, ...] = ()
    """A reply of each layer."""
    silence: str = ""
    """Why there is no number."""


@dataclass(frozen=True, kw_only=True)
class RolloutLine:
    """One deployment under one gate."""

    deployment: str
    arm: str
    lang: str
    planned: int
    ended: int
    begun: int
    transport: int
    superseded: int
    counts: bool
    reason: str
    rehearsal: bool


@dataclass(frozen=True, kw_only=True)
class RolloutPart:
    """The rollouts of the study; tables are empty where no line counts."""

    lines: tuple[RolloutLine, ...]
    tables: Mapping[str, pd.DataFrame]
    """`outcomes`, `gates`, `deployments`, `contrasts`, `concentration`, `reports`, `inputs`."""


@dataclass(frozen=True, kw_only=True)
class Tau2Part:
    """One score of conversations on tau2-bench."""

    name: str
    files: int
    version: str
    """Of the tau2-bench that replayed."""
    rehearsal: bool
    tables: Mapping[str, pd.DataFrame]
    """As `progress tau2 score` makes them."""


@dataclass(frozen=True, kw_only=True)
class StageData:
    """One page. `seed` and `draws` are those of the intervals."""

    name: str
    lang: Lang
    version: str
    seed: int
    draws: int
    designs: tuple[DesignPart, ...]
    rollout: RolloutPart | None = None
    """None where no rollout was begun."""
    tau2: tuple[Tau2Part, ...] = ()
    regate: pd.DataFrame | None = None
    """Table `gates` of gates applied after the fact; none where that was never asked for."""

    @property
    def lanes(self) -> tuple[LaneLine, ...]:
        """All lanes, by design and deployment."""
        return tuple(lane for part in self.designs for lane in part.lanes)

    @property
    def rehearsal(self) -> bool:
        """Whether any deployment is a rehearsal."""
        lines = () if self.rollout is None else self.rollout.lines
        played = any(line.rehearsal for line in lines) or any(s.rehearsal for s in self.tau2)
        replayed = self.regate is not None and bool(self.regate["rehearsal"].any())
        return played or replayed or any(lane.rehearsal for lane in self.lanes)
