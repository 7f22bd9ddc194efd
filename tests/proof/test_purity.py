"""Tables come from logs and reads alone: rebuilt alike, refused where something is amiss."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.schema.errors import InventoryError
from draligned.schema.labels import RunSet

from .failing import FAST, Failing, with_app
from .studies import command, constructed, copied, finish, table_bytes


@pytest.fixture
def copy(small: Study, tmp_path: Path) -> Study:
    """A finished study that may be spoilt."""
    return copied(small.folder.root, tmp_path / "copy")


def test_deleted_tables_and_report_come_back_as_the_same_bytes(copy: Study) -> None:
    before, page = table_bytes(copy), copy.report().read_bytes()
    shutil.rmtree(copy.folder.root / "tables")
    shutil.rmtree(copy.folder.root / "report")
    again = draligned.open(copy.folder.root)
    assert again.report().read_bytes() == page
    assert table_bytes(again) == before


def test_measuring_does_not_need_the_ledger_or_the_claims(copy: Study) -> None:
    before = table_bytes(copy)
    for name in ("ledger", "claims", "launches", "tables"):
        shutil.rmtree(copy.folder.root / name)
    copy.measure()
    assert table_bytes(copy) == before


def events_line_changed(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    lines = log.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b'"kind":"', b'"kind":"x', 1)
    log.write_bytes(b"\n".join(lines))
    return "line 3"


def events_line_reworded(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    log.write_bytes(log.read_bytes().replace(b'"request":"', '"request":"再'.encode(), 1))
    return "the chain is broken"


def events_line_lost(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    lines = log.read_bytes().split(b"\n")
    log.write_bytes(b"\n".join(lines[:4] + lines[5:]))
    return "line 5"


def last_events_lost(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    log.write_bytes(b"\n".join(log.read_bytes().split(b"\n")[:-3]) + b"\n")
    return log.parts[-3]


def last_event_reworded(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    data = log.read_bytes()
    assert data.endswith(b"}}}\n")
    said = b'"work_done_by_state":true' in data
    was, now = (b"true", b"false") if said else (b"false", b"true")
    log.write_bytes(data.replace(b'by_state":' + was, b'by_state":' + now))
    assert log.read_bytes() != data
    return log.parts[-3]


def log_deleted(root: Path) -> str:
    log = max(root.glob("runs/*/a1/events.jsonl"))
    log.unlink()
    return log.parts[-3]


def header_deleted(root: Path) -> str:
    header = max(root.glob("runs/*/a1/header.json"))
    header.unlink()
    return header.parts[-3]


def design_changed(root: Path) -> str:
    design = root / "design" / "design.json"
    data = design.read_text("utf-8")
    design.write_text(data.replace('"domain":"', '"domain":"x', 1), encoding="utf-8")
    return "changed after it was frozen"


Spoiler = Callable[[Path], str]


def cut(pattern: str) -> Spoiler:
    """Cut a file in the middle."""

    def spoil(root: Path) -> str:
        found = max(root.glob(pattern))
        data = found.read_bytes()
        found.write_bytes(data[: len(data) // 2])
        return str(found.relative_to(root))

    spoil.__name__ = f"{Path(pattern).name} cut"
    return spoil


SPOILERS: tuple[Spoiler, ...] = (
    events_line_changed, events_line_reworded, events_line_lost, last_events_lost,
    last_event_reworded, log_deleted, header_deleted, design_changed,
    cut("reads/*/*/first.json"), cut("runs/*/a1/header.json"), cut("runs/*/a1/seal.json"),
    cut("plan.json"), cut("design/design.json"), cut("design/design.lock"),
)  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda f: f.__name__)
def test_damage_is_one_clear_error_and_no_table(spoil: Spoiler, copy: Study) -> None:
    root = copy.folder.root
    shutil.rmtree(root / "tables")
    named = spoil(root)
    done = command("measure", str(root), cwd=root)
    assert done.returncode == 1
    assert done.stderr.startswith("draligned: DamageError: ")
    assert done.stderr.count("\n") == 1
    assert named in done.stderr
    assert not (root / "tables").exists()


def test_lost_texts_are_an_error_where_they_are_needed(copy: Study) -> None:
    """Measuring needs them as well: which texts restate the fact decides what is read masked."""
    root = copy.folder.root
    shutil.rmtree(root / "blobs")
    for words in (["measure"], ["evaluate", "--mirrored"]):
        done = command(*words, str(root), cwd=root)
        assert done.returncode == 1, words
        assert "is missing" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_read_of_nothing_planned_is_refused(copy: Study) -> None:
    root = copy.folder.root
    read = max(root.glob("reads/*/*/first.json"))
    alien = read.parents[1] / ("0" * 16)
    alien.mkdir()
    packet = read.parent.name.encode()
    (alien / "first.json").write_bytes(read.read_bytes().replace(packet, b"0" * 16))
    done = command("measure", str(root), cwd=root)
    assert done.returncode == 2
    assert "is of no planned packet" in done.stderr


def test_open_cells_are_refused_or_marked(drafted: Path, tmp_path: Path) -> None:
    study = copied(drafted, tmp_path / "study")
    study.run(limit=10)
    study.evaluate(limit=5)
    with pytest.raises(InventoryError, match=r"2 runs .* and .* reads"):
        study.measure()
    assert not (study.folder.root / "tables").exists()
    done = command("report", str(study.folder.root), "--partial", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PARTIAL: 2 runs and " in done.stdout
    inventory = study.table("inventory")
    assert inventory[inventory["kind"] == "runs"]["open"].sum() == 2
    page = (study.folder.root / "report" / "index.html").read_text("utf-8")
    assert "尚未完成：运行 2/12" in page
    finish(study)
    assert study.table("inventory")["open"].sum() == 0
    assert "尚未完成：运行 2/12" not in study.report(partial=True).read_text("utf-8")


def test_failed_and_censored_runs_are_counted_and_not_estimated(tmp_path: Path) -> None:
    study = constructed(tmp_path / "study", tasks=3, more=FAST)
    cells = study.cells(study.plan_runs())
    failed, censored = cells[0], cells[3]
    assert failed.run_set is censored.run_set is RunSet.PANEL
    assert failed.pair != censored.pair
    app = Failing({failed.run_id: "broken", censored.run_id: "filtered"})
    finish(with_app(study, app))
    inventory = study.table("inventory")
    runs = inventory[inventory["kind"] == "runs"]
    assert (runs["failed"].sum(), runs["censored"].sum(), runs["open"].sum()) == (1, 1, 0)
    assert runs["done"].sum() == len(cells) - 2
    assert {r.run_id for r in study.observed()}.isdisjoint({failed.run_id, censored.run_id})
    pairs = study.table("pairs")
    assert len(pairs) == sum(c.run_set is RunSet.PANEL for c in cells) / 2
    estimates = study.table("estimates")
    whole = estimates[estimates["primary"] & (estimates["model"] == "all")]
    assert set(whole["n_planned"]) == {len(pairs)}
    for channel, column in (("A", "a_status"), ("F", "f_status")):
        readable = pairs[pairs[column] == "readable"]
        row = whole[whole["channel"] == channel].iloc[0]
        assert row["n_readable"] == len(readable) <= len(pairs) - 2
        d = readable[f"d_{channel.lower()}"].groupby(readable["task_id"]).mean().mean()
        assert row["value"] == pytest.approx(d)
    reasons = set(pairs["a_reason_p"].dropna()) | set(pairs["a_reason_q"].dropna())
    assert len(reasons) >= 2, reasons
