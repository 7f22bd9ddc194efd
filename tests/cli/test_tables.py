"""draligned tables: listed, printed, described, written as CSV."""

from pathlib import Path

import pandas as pd
import pytest

import draligned
from draligned.api.tabular import hashes, layouts, load_csv
from draligned.progress.duty_tables import TABLES
from draligned.schema.errors import DamageError, InputError
from draligned.schema.tabular import TableMeta
from draligned.study.tables import read_meta, to_bytes
from tests.cli.conftest import Copy
from tests.cli.console import call

DUTY = {table.name for table in TABLES}
"""Made only where a harness asks for stage tags."""


@pytest.fixture
def measured(study: Copy) -> Path:
    root = study("read")
    assert call("measure", str(root)).code == 0
    return root


def test_all_tables_are_listed_with_rows_and_what_a_row_is(measured: Path) -> None:
    said = call("tables", str(measured))
    assert said.code == 0
    names = [line.split()[0] for line in said.out.splitlines()[1:]]
    assert names == sorted(set(layouts()) - DUTY)
    (line,) = [line for line in said.out.splitlines() if line.startswith("pairs ")]
    assert line.split()[1] == str(len(draligned.open(measured).table("pairs")))
    assert "one planned pair × evaluator" in line
    assert "no evidence" in said.err.replace("no table here is evidence", "no evidence")
    assert "changed" not in said.err


def test_before_measure_it_says_what_to_do(study: Copy) -> None:
    said = call("tables", str(study("ran")))
    assert (said.code, said.out) == (0, "no tables yet; `draligned measure` makes them\n")
    assert "run `draligned measure` first" in call("tables", "pairs", str(study("draft"))).err


def test_the_study_may_be_the_current_folder(
    measured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(measured)
    assert call("tables").out == call("tables", str(measured)).out
    assert call("tables", "tasks").out == call("tables", "tasks", str(measured)).out
    assert "there is no table 'task'; tables here: " in call("tables", "task").err


def test_what_is_the_same_in_all_rows_is_said_once(measured: Path) -> None:
    out = call("tables", "estimates", str(measured)).out
    first, header = out.splitlines()[0], next(x for x in out.splitlines() if "estimand" in x)
    assert first.startswith("in all rows: ")
    assert "harness coupled" in first
    assert "harness" not in header
    everything = call("tables", "estimates", str(measured), "--all").out.splitlines()
    assert everything[0].split() == [name for name, _ in layouts()["estimates"].columns]
    assert len(everything) == 1 + len(draligned.open(measured).table("estimates"))


def test_columns_are_described(measured: Path) -> None:
    out = call("tables", "pairs", str(measured), "--columns").out
    assert "keys: evaluator, harness, model, task_id, pair_id" in out
    assert "sign of x under P less x under Q" in out
    assert call("tables", "--columns", str(measured)).code == 2


def test_every_table_goes_to_csv_and_comes_back(measured: Path, tmp_path: Path) -> None:
    folder = tmp_path / "csv"
    assert call("tables", str(measured), "--csv", str(folder)).code == 0
    assert {p.stem for p in folder.iterdir()} == set(layouts()) - DUTY
    study = draligned.open(measured)
    for path in folder.iterdir():
        pd.testing.assert_frame_equal(load_csv(path, path.stem), study.table(path.stem))
    with pytest.raises(InputError, match="another table's"):
        load_csv(folder / "pairs.csv", "tasks")
    with pytest.raises(InputError, match="no table 'nothing'"):
        load_csv(folder / "pairs.csv", "nothing")
    with pytest.raises(InputError, match="cannot be read"):
        load_csv(folder / "nothing.csv", "tasks")
    assert "is a folder" in call("tables", "tasks", str(measured), "--csv", str(folder)).err


def test_chinese_names_are_seen_in_a_spreadsheet(measured: Path, tmp_path: Path) -> None:
    """The byte order mark is what makes common spreadsheets read UTF-8."""
    call("tables", "tasks", str(measured), "--csv", str(tmp_path / "表.csv"))
    assert (tmp_path / "表.csv").read_bytes().startswith(b"\xef\xbb\xbfevaluator,")


def test_a_table_that_is_older_than_the_settings_says_so(measured: Path) -> None:
    settings = measured / "study.toml"
    settings.write_text(settings.read_text("utf-8") + 'unresolved_items = "ignore"\n', "utf-8")
    said = call("tables", "tasks", str(measured))
    assert "changed since the tables were made: measure; `draligned measure` again" in said.err
    assert call("measure", str(measured)).code == 0
    assert "changed" not in call("tables", "tasks", str(measured)).err


def test_the_files_name_design_protocol_versions_and_units(measured: Path) -> None:
    study = draligned.open(measured)
    (info,) = [i for i in study.tables() if i.name == "pairs"]
    assert info.meta is not None
    assert info.meta.hashes == hashes(study.readings())
    assert info.meta.hashes["design"] == study.locks()[-1].design_sha256
    assert set(info.meta.versions) == {"draligned", "numpy", "pandas", "pyarrow"}
    assert info.meta.rehearsal
    assert info.meta.keys == layouts()["pairs"].keys


def test_the_same_study_makes_the_same_bytes(measured: Path) -> None:
    before = {p.name: p.read_bytes() for p in (measured / "tables").iterdir()}
    call("measure", str(measured))
    assert {p.name: p.read_bytes() for p in (measured / "tables").iterdir()} == before


def test_tables_of_an_older_version_open_without_a_description(measured: Path) -> None:
    study = draligned.open(measured)
    study.folder.store.replace("tables/tasks.parquet", to_bytes(study.table("tasks")))
    assert "carries no description" in call("tables", "tasks", str(measured), "--columns").out
    assert call("tables", str(measured)).code == 0


def test_a_description_that_is_none_is_damage(measured: Path) -> None:
    study = draligned.open(measured)
    meta = TableMeta(layout=1, table="tasks")
    whole = to_bytes(study.table("tasks"), meta)
    broken = whole.replace(b'{"layout":1', b'{"lay\xffut":1')
    assert broken != whole
    study.folder.store.replace("tables/tasks.parquet", broken)
    with pytest.raises(DamageError, match=r"tables/tasks\.parquet: its description"):
        read_meta(study.folder.store, "tasks")
