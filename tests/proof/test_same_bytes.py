"""Tables are the same bytes whatever the concurrency, the folder and the number of processes."""

from pathlib import Path

from draligned.api import Study

from .studies import answered, constructed, copied, finish, started, table_bytes

TABLES = 10


def test_concurrency_1_and_16_and_another_folder(whole: Study, tmp_path: Path) -> None:
    one = finish(constructed(tmp_path / "another place" / "one", tasks=8), concurrency=1)
    assert len(table_bytes(whole)) >= TABLES
    assert table_bytes(one) == table_bytes(whole)


def test_a_moved_study_measures_the_same(whole: Study, tmp_path: Path) -> None:
    moved = copied(whole.folder.root, tmp_path / "moved")
    moved.measure()
    assert table_bytes(moved) == table_bytes(whole)


def test_another_seed_gives_other_tables(small: Study, tmp_path: Path) -> None:
    other = finish(constructed(tmp_path / "other", seed=7))
    assert table_bytes(other) != table_bytes(small)


def test_two_processes_fill_one_study(small: Study, drafted: Path, tmp_path: Path) -> None:
    study = copied(drafted, tmp_path / "shared")
    assert _both("run", study=study) == [0, 0]
    assert _both("evaluate", "--mirrored", study=study) == [0, 0]
    assert len(study.locks()) == 1
    study.measure()
    assert table_bytes(study) == table_bytes(small)
    counts = answered(study)
    assert set(counts.values()) == {1}
    assert counts.keys() == answered(small).keys()


def test_two_processes_that_ask_for_different_models_are_both_remembered(
    drafted: Path, tmp_path: Path
) -> None:
    study = copied(drafted, tmp_path / "shared")
    pair = [
        started("run", str(study.folder.root), "--model", name, "--limit", "1", cwd=tmp_path)
        for name in ("rehearsal-a", "rehearsal-b")
    ]
    for process in pair:
        process.communicate(timeout=300)
    assert {b.model_name for b in study.plan().blocks} == {"rehearsal-a", "rehearsal-b"}
    assert len(study.locks()) == 1


def _both(*words: str, study: Study) -> list[int]:
    """Exit codes of two processes that do the same on one folder at once."""
    root = study.folder.root
    pair = [started(words[0], str(root), *words[1:], cwd=root.parent) for _ in range(2)]
    ends = [p.communicate(timeout=300) for p in pair]
    codes = [p.returncode for p in pair]
    assert all(code in {0, 3} for code in codes), ends
    return codes
