"""Damage to tables, and tables that are not of today, is found and named by row and column."""

from pathlib import Path

import pyarrow as pa
import pytest

from tests.verify.damage import Damages, Named, must_be_named
from tests.verify.studies import Copy

DAMAGES = Damages()
damage = DAMAGES.kind


@damage
def table_cell(copy: Copy) -> Named:
    copy.cell("estimates", "value", lambda v: v + 1e-6)
    return "table estimates", "tables/estimates.parquet", "column value"


@damage
def table_label(copy: Copy) -> Named:
    copy.cell("requests", "label", lambda _: "P_ONLY" if _ != "P_ONLY" else "Q_ONLY")
    return "table requests", "column label", "run_id"


@damage
def table_count(copy: Copy) -> Named:
    copy.cell("matrix", "n_identified", lambda v: v + 1)
    return "table matrix", "column n_identified"


@damage
def wrong_rounding(copy: Copy) -> Named:
    copy.cell("pairs", "m_p", lambda v: round(v / 3 + 0.1, 4))
    return "table pairs", "column m_p"


@damage
def no_rounding(copy: Copy) -> Named:
    copy.cell("estimates", "coarse_hi", lambda v: v + 3e-13)
    return "table estimates", "column coarse_hi"


@damage
def interval(copy: Copy) -> Named:
    copy.cell("estimates", "ci_lo", lambda v: v - 1e-7)
    return "table estimates", "column ci_lo"


@damage
def row_lost(copy: Copy) -> Named:
    copy.write_table("pairs", copy.table("pairs").slice(1))
    return "table pairs", "pair_id", "stored no such row, recomputed a row"


@damage
def row_twice(copy: Copy) -> Named:
    table = copy.table("pairs")
    copy.write_table("pairs", pa.concat_tables([table, table.slice(0, 1)]))
    return "table pairs", "pair_id", "a second row of that key"


@damage
def column_lost(copy: Copy) -> Named:
    copy.write_table("matrix", copy.table("matrix").drop_columns(["x"]))
    return "table matrix", "column x", "no such column"


@damage
def table_lost(copy: Copy) -> Named:
    (copy.root / "tables/tasks.parquet").unlink()
    return "table tasks", "tables/tasks.parquet", "no file"


@damage
def table_unreadable(copy: Copy) -> Named:
    copy.place("tables/tasks.parquet", b"PAR1")
    return "table tasks", "tables/tasks.parquet", "no parquet file"


@damage
def other_table_lost(copy: Copy) -> Named:
    (copy.root / "tables/agenda.parquet").unlink()
    return "table agenda", "tables/agenda.parquet", "no file"


@damage
def other_table_unreadable(copy: Copy) -> Named:
    (copy.root / "tables/visits.parquet").write_bytes(b"PAR1 and no more")
    return "table visits", "tables/visits.parquet", "no parquet file"


@damage
def sentinel_read_lost(copy: Copy) -> Named:
    path = next(iter(sorted((copy.root / "sentinels").rglob("*.json"))))
    key = str(path.relative_to(copy.root))
    path.unlink()
    return "sentinels", key, "no file"


@damage
def lock_lost(copy: Copy) -> Named:
    (copy.root / "design/design.lock").unlink()
    return "design/design.lock", "no lock"


@damage
def stale_tables(copy: Copy) -> Named:
    """The settings have changed since."""
    copy.place("study.toml", (copy.root / "study.toml").read_bytes() + b"seed = 7\n")
    return "stamps of tables", "tables [hash of measure]"


@damage
def stamp(copy: Copy) -> Named:
    """A protocol is replaced after the tables were made, its reads left as they were."""
    key = next((copy.root / "reads").glob("*/protocol.lock")).relative_to(copy.root)
    copy.change(str(key), lambda r: r.update(version=1, lang="en"))
    return "stamps of tables", "tables/estimates.parquet", "hash of protocol"


@pytest.mark.parametrize("kind", sorted(DAMAGES))
def test_damage_is_named(kind: str, whole: Path, tmp_path: Path) -> None:
    must_be_named(DAMAGES[kind], whole, tmp_path / "study")


def test_there_are_many_kinds() -> None:
    assert len(DAMAGES) >= 12
