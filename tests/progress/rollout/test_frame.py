"""What the last reply was where speech ended a session; the tables count every such end once."""

from pathlib import Path

import pandas as pd
import pytest

from draligned.progress.rehearsed import ALL
from draligned.progress.rollout.frame import CAUSES, cause_of, trajectory_frame
from draligned.progress.rollout.tables import causes
from draligned.schema.chat import ChatReply, ChatRequest, StopReason
from draligned.schema.errors import RequestRefused
from draligned.schema.rollout import RolloutOutcome
from tests.progress.rollout.acting import LOOK, Scripted, Turn, reply, tag
from tests.progress.rollout.test_outcomes import ENDS, LOST, WAITS, WORK, played

BLANK = "\u200b \n"


@pytest.mark.parametrize(
    ("arm", "turns", "cause"),
    [
        ("B1", [LOOK, "哪天？"], "unmarked"),
        ("B1", [LOOK, f"{WAITS}\n再见"], "unreadable"),
        ("B1", ['{"stage": "completed"}'], "unreadable"),
        ("B1", [tag("finished")], "unreadable"),
        ("B1", [LOOK, ""], "empty"),
        ("B1", [BLANK], "empty"),
        ("B1", [WAITS, WAITS], "spoken"),
        ("B2", ["哪天？", ENDS], "spoken"),
        ("B2", ["哪天？", ""], "empty"),
        ("A", [""], "empty"),
        ("B1", [ENDS], None),
        ("B1", [LOOK, WAITS, *WORK, ""], None),
        ("A2", ["哪天？"], None),
        ("B2", [RequestRefused("empty", status=400)], None),
        ("B2", [LOOK, LOST], None),
    ],
)
async def test_the_cause_of_an_end(
    tmp_path: Path, arm: str, turns: list[Turn], cause: str | None
) -> None:
    last = (await played(tmp_path, arm, turns))[-1]
    assert cause_of(last) == cause
    assert (cause is None) == (last.outcome not in CAUSES)


class Cut(Scripted):
    """Every reply ends for a reason of its own."""

    def __init__(self, stop: StopReason, turn: Turn) -> None:
        super().__init__([])
        self.stop, self.turn = stop, turn

    async def complete(self, request: ChatRequest) -> ChatReply:
        return reply(self.turn, stop=self.stop)


@pytest.mark.parametrize(
    ("stop", "cause"), [(StopReason.LENGTH, "cut"), (StopReason.CONTENT_FILTER, "filtered")]
)
@pytest.mark.parametrize("turn", [LOOK, "哪天？", "", f"{WAITS}\n再见"])
@pytest.mark.parametrize(("arm", "outcome"), [("B1", "dead_end"), ("B2", "stall")])
async def test_a_cut_or_filtered_reply_is_named_first(
    tmp_path: Path, stop: StopReason, cause: str, turn: Turn, arm: str, outcome: str
) -> None:
    last = (await played(tmp_path, arm, Cut(stop, turn)))[-1]
    assert (last.outcome, cause_of(last)) == (outcome, cause)


async def test_every_end_is_counted_once(tmp_path: Path) -> None:
    ends: list[list[Turn]] = [
        ["哪天？"],
        ["哪天？"],
        [""],
        [f"{WAITS}\n再见"],
        [WAITS, WAITS],
        [ENDS],
    ]
    steps = [await played(tmp_path / str(n), "B1", turns) for n, turns in enumerate(ends)]
    frame = trajectory_frame(steps)
    both = pd.concat([frame, frame.assign(deployment=ALL)], ignore_index=True)
    table = causes(both)
    assert set(table["deployment"]) == {"m", ALL}
    own = table[table["deployment"] == ALL].set_index(["outcome", "cause"])
    assert own.loc["dead_end", "k"].to_dict() == {
        "unmarked": 2, "unreadable": 1, "empty": 1, "cut": 0, "filtered": 0,
    }  # fmt: skip
    assert own.loc["stall", "k"].to_dict() == {"spoken": 1, "empty": 0, "cut": 0, "filtered": 0}
    assert (own.groupby("outcome")["k"].sum() == own.groupby("outcome")["of"].first()).all()
    assert set(own.index.get_level_values(0)) == {o.value for o in CAUSES}
    assert RolloutOutcome.PREMATURE.value in set(frame["outcome"])


def test_without_such_ends_the_table_is_empty() -> None:
    frame = pd.DataFrame({"arm": ["B2"], "deployment": ["m"], "outcome": ["ok"], "cause": [None]})
    assert causes(frame).empty
