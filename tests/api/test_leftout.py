"""Development-only harnesses: run and shown by status, kept out of analysis by default (DR-20)."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.api.study import RunRequest
from draligned.schema.errors import ConfigError, DesignError, InventoryError

QUICK = """\
[construction]
tasks = 1
lang = "en"

[run]
models = ["rehearsal-a"]

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
"""
TAKEN = QUICK + "include_development = true\n"


def begun(root: Path) -> Study:
    (root / "study.toml").write_text(QUICK, encoding="utf-8")
    made = draligned.open(root)
    made.construct()
    return made


def development(study: Study, *, replicates: int = 1) -> RunRequest:
    """The coupled loop under another name, marked as for development only."""
    (block,) = study.plan_runs().blocks
    apart = block.harness.model_copy(update={"name": "handoff-aw", "development_only": True})
    changes = {"harness": apart, "replicates": replicates}
    return RunRequest(blocks=(block.model_copy(update=changes),))


def switched(study: Study, text: str) -> Study:
    (study.folder.root / "study.toml").write_text(text, encoding="utf-8")
    return draligned.open(study.folder.root)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """One pair in the coupled harness, one in a development harness."""
    made = begun(tmp_path)
    made.run()
    made.run(development(made))
    return made


def harnesses(study: Study) -> dict[str, set[str]]:
    names = [p.stem for p in (study.folder.root / "tables").iterdir()]
    return {n: set(study.table(n)["harness"].dropna()) for n in names}


def test_they_are_counted_and_neither_read_nor_measured(study: Study) -> None:
    found = study.status()
    assert [(b.harness, b.done, b.development) for b in found.blocks] == [("coupled", 2, False)]
    assert [(b.harness, b.done, b.development) for b in found.left_out] == [("handoff-aw", 2, True)]
    study.evaluate()
    reads = {r.packet_id for e in study.plan().evaluators for r in study.readings().records(e)}
    apart = {u for u in reads if u not in {unit.packet_id for unit in study.readings().units}}
    assert apart == set()
    study.report()
    assert all(names <= {"coupled"} for names in harnesses(study).values())
    assert not any(frame["development"].any() for frame in map(study.table, harnesses(study)))
    page = (study.folder.root / "report" / "index.html").read_text("utf-8")
    assert page.count("handoff-aw") == 1
    assert "2 planned runs of development-only harnesses (handoff-aw) were left out" in page


def test_they_are_not_missing(study: Study) -> None:
    study.run(development(study, replicates=2), limit=0)
    assert sum(b.open for b in study.status().left_out) == 2
    study.evaluate()
    study.measure()


def test_one_switch_takes_them_in_and_stamps_them(study: Study) -> None:
    study.evaluate()
    taken = switched(study, TAKEN)
    assert taken.left_out() is None
    with pytest.raises(InventoryError, match="reads"):
        taken.measure()
    taken.evaluate()
    taken.report()
    for name, found in harnesses(taken).items():
        if not found:
            continue
        assert "handoff-aw" in found, name
        rows = taken.table(name).dropna(subset=["harness"])
        assert (rows["development"] == (rows["harness"] == "handoff-aw")).all(), name
    page = (taken.folder.root / "report" / "index.html").read_text("utf-8")
    assert "Development only." in page
    assert "were left out" not in page
    assert "taken in (handoff-aw)" in (taken.status().note or "")


def test_turned_off_again_their_reads_stay_and_are_left_out(study: Study) -> None:
    study.evaluate()
    study.measure()
    before = _tables(study)
    taken = switched(study, TAKEN)
    taken.evaluate()
    taken.measure()
    assert _tables(taken) != before
    again = switched(study, QUICK)
    again.measure()
    assert _tables(again) == before


def test_nothing_but_development_is_one_clear_line(tmp_path: Path) -> None:
    made = begun(tmp_path)
    made.run(development(made))
    for command in (made.evaluate, made.measure, made.report, made.forecast_reads):
        with pytest.raises(DesignError, match=r"^only development-only harnesses") as found:
            command()
        assert "include_development = true" in str(found.value)
        assert "\n" not in str(found.value)
    assert not (tmp_path / "report").exists()


def test_a_run_of_theirs_can_be_looked_at(study: Study) -> None:
    run_id = study.readings().left_out.cells[0].run_id
    lines = study.show(run_id)
    assert lines[0].startswith("of a development-only harness")
    assert lines[-1] == "state done; request packets: none"


def test_a_harness_keeps_its_meaning(study: Study) -> None:
    (block,) = development(study).blocks
    other = block.harness.model_copy(update={"gate": "marker"})
    changed = RunRequest(blocks=(block.model_copy(update={"harness": other}),))
    with pytest.raises(ConfigError, match="`handoff-aw` was run in this study as another"):
        study.run(changed)


def _tables(study: Study) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (study.folder.root / "tables").iterdir()}
