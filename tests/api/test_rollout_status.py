"""Which lines of a rollout count: a line that was mostly lost says nothing of behaviour."""

from pathlib import Path

import pytest

import draligned
from draligned.models.turn import read_turn
from draligned.progress import lanes
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.plan import plan
from draligned.progress.rollout.play import planned
from draligned.progress.rollout.shelf import add_step
from draligned.progress.rollout.trajectory import begun, lost, stepped
from draligned.schema.errors import ConfigError, InputError
from draligned.schema.progress import Probe
from tests.progress.rollout.acting import LANE, reply, tag

ADMITTED = LANE.model_copy(update={"probes": (Probe(good=True, reason="ok"),) * 20})


@pytest.mark.parametrize(("n_lost", "counts"), [(6, True), (7, False), (12, False)])
def test_a_line_that_was_mostly_lost_enters_no_number(
    tmp_path: Path, n_lost: int, counts: bool
) -> None:
    study = draligned.open(tmp_path)
    store = study.folder.store
    lanes.put_lane(store, ADMITTED)
    cells = planned(ADMITTED, [plan(store, ARMS["B1"], "zh", 1)])
    for number, (cell, here) in enumerate(cells.values()):
        now = begun(cell, here)
        said = read_turn(reply(tag("completed")), here.tools)
        add_step(store, lost(now, "gone") if number < n_lost else stepped(now, said))
    (line,) = study.rollouts.status()
    assert (line.ended, line.transport, line.counts) == (12, n_lost, counts)
    if counts:
        assert set(study.rollouts.frame()["outcome"]) == {"transport", "premature"}
        return
    assert line.reason.startswith("lost: ")
    with pytest.raises(InputError, match="admitted and complete"):
        study.rollouts.frame()


def test_one_bundle_has_one_name(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        '[models.twin]\nmodel = "rehearsal-progress"\nprovider = "rehearsal"\n', encoding="utf-8"
    )
    study = draligned.open(tmp_path)
    rollouts = study.rollouts
    for begin in (
        lambda: rollouts.run(["B2"], ["rehearsal", "twin"], repetitions=1),
        lambda: study.progress.run("bundle", ["rehearsal", "twin"]),
    ):
        with pytest.raises(ConfigError, match="model `twin` is the same as `rehearsal`"):
            begin()
    assert not (tmp_path / "progress").exists(), "nothing was asked or written"
    rollouts.run(["B2"], ["rehearsal"], repetitions=1, limit=1)
    with pytest.raises(ConfigError, match="model `twin` is the same as `rehearsal`"):
        rollouts.run(["B2"], ["twin"], repetitions=1)
    (line,) = rollouts.status()
    assert (line.deployment, line.ended) == ("rehearsal", 1)
