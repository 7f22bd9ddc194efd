"""The switch counts only where reasoning was seen with it on and none with it off (SI-52)."""

from collections.abc import Iterator

import pytest

from draligned.progress.designs import design
from draligned.progress.manipulation import manipulation
from draligned.schema.progress import Position, ReplyStatus, StageDesign, StageReply

DESIGN = design("thinking")


def replies(
    known: StageDesign, on: float, off: float, status: ReplyStatus = ReplyStatus.OK
) -> Iterator[StageReply]:
    """One reply a stimulus; the first shares of each level come with reasoning."""
    for level, share in (("on", on), ("off", off)):
        own = [s for s in known.stimuli if s.factors["thinking"] == level]
        for n, asked in enumerate(own):
            position = Position(
                design="thinking", deployment="m", model_key="k", stimulus_id=asked.stimulus_id,
                repetition=1,
            )  # fmt: skip
            yield StageReply(position=position, status=status, reasoning_shown=n < share * len(own))


@pytest.mark.parametrize(
    ("on", "off", "switched"),
    [
        (1.0, 0.0, True), (0.5, 0.0, True), (0.4, 0.0, False), (0.0, 0.0, False),
        (1.0, 1.0, False), (1.0, 0.01, False), (0.0, 1.0, False),
    ],
)  # fmt: skip
def test_reasoning_on_and_none_off(on: float, off: float, switched: bool) -> None:
    found = manipulation(DESIGN, replies(DESIGN, on, off))
    assert found is not None
    assert (found.on, found.off) == (60, 60)
    assert found.switched is switched
    assert (found.reason == "") is switched


def test_nothing_scorable_is_no_switch() -> None:
    found = manipulation(DESIGN, replies(DESIGN, 1.0, 0.0, ReplyStatus.IDENTITY))
    assert found is not None
    assert (found.on, found.switched) == (0, False)
    assert "0 of 0 replies" in found.reason


def test_other_designs_have_no_switch() -> None:
    assert manipulation(design("bundle"), []) is None
