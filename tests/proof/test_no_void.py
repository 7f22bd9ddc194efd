"""A scripted, valid evaluator gives no VOID at all."""

from pathlib import Path

import pytest

from draligned.api import Study
from draligned.schema.labels import CellStatus
from draligned.schema.packets import ReadRecord

from .studies import constructed, finish

FAULTLESS = """
[evaluate]
evaluators = ["faultless"]

[models.faultless]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.0, flip = 0.0, order_bias = 0.0 } }
"""


def reads_of(study: Study) -> list[ReadRecord]:
    """All reads of a study."""
    readings = study.readings()
    return [r for e in readings.plan.evaluators for r in readings.records(e)]


@pytest.mark.parametrize(("lang", "tasks"), [("zh", 8), ("en", 4)])
def test_a_faultless_reader_gives_no_void(lang: str, tasks: int, tmp_path: Path) -> None:
    study = finish(constructed(tmp_path / "study", tasks=tasks, lang=lang, more=FAULTLESS))
    reads = reads_of(study)
    cells = [cell for read in reads for cell in read.cells]
    assert len(reads) > 10 * tasks
    assert len(cells) > 40 * tasks
    assert {read.void for read in reads} == {None}
    assert {cell.status for cell in cells} == {CellStatus.VALID}
    assert not any(read.dropped for read in reads)
    assert not any(r.void for r in study.status().reads)
    for name in ("requests", "documents"):
        reasons = set(study.table(name)["reason"].dropna())
        assert not reasons & {"void_read", "mirror_disagreement", "read_missing"}


def test_the_shipped_reader_errs_but_is_never_void(whole: Study) -> None:
    reads = reads_of(whole)
    assert not any(read.void for read in reads)
    assert {c.status for read in reads for c in read.cells} == {CellStatus.VALID}
    assert "abstained" in set(whole.table("requests")["reason"].dropna())
