"""The report as a study writes it: its language, and what an unfinished study says."""

import gc
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.api.reporting import status_of
from draligned.schema.errors import ConfigError, InventoryError
from draligned.schema.labels import ReadRole
from draligned.schema.packets import CellRead, ItemRead, ReadRecord

QUICK = """\
[construction]
tasks = 2

[controls]
aa_share = 0
neutral_share = 0
placebo_share = 0
masked_share = 0
sentinel_share = 0

[measure]
draws = 200
"""


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two tasks, of which one pair of each model was run and read."""
    root = tmp_path_factory.mktemp("pilot")
    (root / "study.toml").write_text(QUICK, encoding="utf-8")
    made = draligned.open(root)
    made.construct(lang="zh")
    made.run(made.plan_runs(pilot=1))
    made.evaluate()
    return made


@pytest.mark.parametrize(
    ("lang", "words"),
    [(None, "由主评读者"), ("zh", "由主评读者"), ("en", ", the primary evaluator.")],
)
def test_the_page_speaks_the_language_asked_for(pilot: Study, lang: str | None, words: str) -> None:
    assert words in pilot.report(partial=True, lang=lang).read_text("utf-8")


def test_a_language_that_is_not_there_is_the_users_mistake(pilot: Study) -> None:
    before = pilot.report(partial=True).read_bytes()
    with pytest.raises(ConfigError, match="'fr'; a report is written in zh or en"):
        pilot.report(partial=True, lang="fr")
    assert Path(pilot.folder.root, "report/index.html").read_bytes() == before


def test_a_pilot_is_a_partial_study(pilot: Study) -> None:
    with pytest.raises(InventoryError):
        pilot.report()
    page = pilot.report(partial=True, lang="en").read_text("utf-8").replace("\u00a0", " ")
    assert "Still open: runs 4/8 (50.0 %), reads 0/" in page
    assert page.count("partial · numbers may change") == page.count("<section")


def test_tables_and_status_are_made_without_a_record_of_every_read_in_memory(pilot: Study) -> None:
    def held() -> int:
        return sum(isinstance(o, ReadRecord | CellRead | ItemRead) for o in gc.get_objects())

    before, readings = held(), pilot.readings()
    readings.tables()
    assert sum(r.read for r in status_of(readings).reads) > 10
    assert held() == before


def test_reads_of_some_packets_are_those_among_all(pilot: Study) -> None:
    readings = pilot.readings()
    (evaluator,) = readings.plan.ordered_evaluators
    every = list(readings.records(evaluator))
    packet = every[-1].packet_id
    assert list(readings.records(evaluator, [packet, "0" * 16])) == [
        r for role in ReadRole for r in every if (r.packet_id, r.role) == (packet, role)
    ]
