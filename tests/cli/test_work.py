"""run and evaluate: limits, forecasts, additions, tables, exit codes."""

import shutil
from pathlib import Path

import pytest

import draligned
from draligned.study.work import WorkSummary
from tests.cli.conftest import Copy
from tests.cli.console import SMALL, Said, call, snapshot


def tables(root: Path) -> dict[str, bytes]:
    """The bytes of all tables."""
    return {p.name: p.read_bytes() for p in sorted((root / "tables").iterdir())}


def done(said: Said) -> Said:
    """The command ended well."""
    assert said.code == 0, said
    return said


def test_one_at_a_time_gives_the_tables_of_all_at_once(study: Copy, stages: Path) -> None:
    root = study("draft")
    codes = [call("run", str(root), "--limit", "1").code for _ in range(4)]
    assert codes == [3, 3, 3, 0]
    for _ in range(20):
        said = call("evaluate", str(root), "--mirrored", "--limit", "7")
        if said.code == 0:
            break
        assert "no tables yet" not in said.out
        assert "stopped: the limit of 7 is reached" in said.out
    assert "tables: " in done(said).out
    assert tables(root) == tables(stages / "read")


def test_a_limit_counts_what_lies_beyond_it_as_open_and_progress_what_was_done_before(
    study: Copy,
) -> None:
    root = study("draft")
    first = call("run", str(root), "--limit", "1")
    assert "1 done, 3 left open." in first.out
    assert first.err.splitlines()[-1] == "episodes: 1/4"
    assert call("run", str(root)).err.splitlines()[0] == "episodes: 1/4"


@pytest.mark.parametrize("command", ["run", "evaluate --mirrored"])
def test_a_dry_run_writes_nothing_and_unknown_stays_unknown(study: Copy, command: str) -> None:
    first, *rest = command.split()
    stages = {"run": ("draft", "ran"), "evaluate": ("ran", "read")}[first]
    for stage, open_cells in zip(stages, (True, False), strict=True):
        root = study(stage)
        before = snapshot(root)
        said = done(call(first, str(root), *rest, "--dry-run"))
        assert snapshot(root) == before
        assert ("Tokens are unknown" in said.out) is open_cells
        cells = said.out.splitlines()[1].split()
        assert (cells[1] == "0") is not open_cells
        assert ("–" in cells) is open_cells


def test_a_pilot_takes_pairs_of_each_model_and_makes_the_rest_foreseeable(study: Copy) -> None:
    root = study("draft")
    (root / "study.toml").write_text(SMALL.replace("tasks = 1", "tasks = 2"), encoding="utf-8")
    done(call("construct", str(root)))
    assert "4 done, 0 left open." in done(call("run", str(root), "--pilot", "1")).out
    rows = done(call("run", str(root), "--dry-run")).out.splitlines()[1:]
    assert [row.split()[:2] for row in rows] == [["rehearsal-a", "2"], ["rehearsal-b", "2"]]
    assert all(row.endswith("0.00 USD") for row in rows)


def test_spending_limits_stop_cleanly_and_the_same_line_goes_on(study: Copy) -> None:
    root = study("draft")
    said = call("run", str(root), "--max-tokens", "1")
    assert said.code == 3
    assert "tokens used, the limit is 1" in said.out
    assert "The same command goes on" in said.out
    assert "a rate limit or a spending limit" in said.out
    done(call("run", str(root)))
    assert call("evaluate", str(root), "--mirrored", "--max-tokens", "1").code == 3
    done(call("evaluate", str(root), "--mirrored"))


def test_a_cost_limit_needs_prices(study: Copy) -> None:
    root = study("draft")
    more = "[models.m]\nprovider='rehearsal'\nmodel='rehearsal-agent-a'\n[run]\nmodels=['m']\n"
    (root / "study.toml").write_text(more, encoding="utf-8")
    before = snapshot(root)
    said = call("run", str(root), "--max-cost", "1")
    assert said.code == 2
    assert "--max-cost needs models.m.price_in" in said.err
    assert snapshot(root) == before
    done(call("run", str(root)))
    spent = done(call("status", str(root))).out.splitlines()[-1]
    assert spent.split()[8] == "–"


def test_a_model_named_twice_is_run_once(study: Copy, stages: Path) -> None:
    root = study("draft")
    done(call("run", str(root), "--model", "rehearsal-a", "--model", "rehearsal-a"))
    runs = sorted(p.name for p in (root / "runs").iterdir())
    assert len(runs) == 2
    done(call("evaluate", str(root), "--mirrored", "--evaluator", "rehearsal-reader"))


def test_additions_keep_what_is_done(study: Copy) -> None:
    root = study("read")
    events = {p: p.read_bytes() for p in root.glob("runs/*/a1/events.jsonl")}
    reads = {p: p.read_bytes() for p in root.glob("reads/*/*/*.json")}
    assert "4 done, 0 left open." in done(call("run", str(root), "--replicates", "2")).out
    amended = done(call("design", "amend", str(root), "--tasks", "1"))
    assert "amended: 2 cards over 2 tasks" in amended.out
    assert "still open: " in call("report", str(root)).err
    done(call("run", str(root)))
    done(call("run", str(root), "--replicates", "2"))
    one = call("evaluate", str(root), "--mirrored")
    two = call("evaluate", str(root), "--mirrored", "--evaluator", "rehearsal-reader-b")
    assert "tables: " in done(one).out
    assert "tables: " in done(two).out
    done(call("report", str(root)))
    assert all(p.read_bytes() == data for p, data in {**events, **reads}.items())
    estimates = draligned.open(root).table("estimates")
    assert set(estimates["evaluator"]) == {"rehearsal-reader", "rehearsal-reader-b"}
    page = (root / "report" / "index.html").read_text(encoding="utf-8")
    assert "rehearsal-reader-b" in page


def test_runs_that_left_nothing_to_read_are_said_to(
    study: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("draligned.api.evaluating.Readings.units", ())
    said = call("evaluate", str(study("ran")), "--mirrored")
    assert "There is nothing to read: no run made a request or a document" in said.out


def test_a_seed_changed_later_changes_nothing_that_was_frozen(study: Copy, stages: Path) -> None:
    root = study("read")
    text = (root / "study.toml").read_text(encoding="utf-8")
    (root / "study.toml").write_text(f"seed = 7\n{text}", encoding="utf-8")
    again = done(call("evaluate", str(root), "--mirrored")).out
    assert "0 done, 0 left open." in again
    assert "Everything was read before." in again
    done(call("measure", str(root)))
    assert tables(root) == tables(stages / "read")


def test_claims_of_finished_cells_are_gone(stages: Path) -> None:
    """What is left orders the writers of plan and design."""
    assert {p.name for p in (stages / "read" / "claims").iterdir()} <= {"plan", "design"}


def test_an_address_where_nobody_answers_leaves_the_cells_open(study: Copy) -> None:
    root = study("draft")
    text = (
        "[providers.p]\nbase_url='http://127.0.0.1:9'\n"
        "attempts = {tries = 1}\n[models.m]\nprovider='p'\nmodel='x'\n[run]\nmodels=['m']\n"
        "[controls]\naa_share = 0\nneutral_share = 0\n"
    )
    (root / "study.toml").write_text(text, encoding="utf-8")
    said = call("run", str(root))
    assert said.code == 3
    assert "0 done, 2 left open." in said.out
    assert "left open: provider p at 127.0.0.1:9: ConnectError" in said.out
    assert not list(root.glob("runs/*/*/seal.json"))
    (root / "study.toml").write_text(text.replace("127.0.0.1:9", "127.0.0.1:10"))
    assert "2 left open" in call("run", str(root)).out


def test_only_one_orientation_gives_no_label_and_says_so(study: Copy) -> None:
    root = study("ran")
    said = done(call("evaluate", str(root)))
    assert "every label is UNKNOWN(single_read)" in said.out
    said = done(call("evaluate", str(root), "--mirrored"))
    assert "single_read" not in said.out


def test_cards_are_rejected_once_and_frozen_once(study: Copy) -> None:
    root = study("draft")
    (root / "study.toml").write_text(SMALL.replace("tasks = 1", "tasks = 2"), encoding="utf-8")
    done(call("construct", str(root)))
    factor = call("design", "show", str(root)).out.splitlines()[1].split()[-1]
    done(call("card", "reject", factor, str(root), "--why", "not for us"))
    assert call("card", "reject", factor, str(root)).code == 2
    assert "not for us" in call("design", "decisions", str(root)).out
    frozen = done(call("freeze", str(root)))
    before = snapshot(root / "design")
    assert done(call("freeze", str(root))).out == frozen.out
    assert "the design is frozen" in call("card", "reject", factor, str(root)).err
    assert snapshot(root / "design") == before


def test_a_refused_card_of_ones_own_is_named(study: Copy, tmp_path: Path) -> None:
    root = study("draft")
    card = tmp_path / "cards.toml"
    text = done(call("card", "template", "--lang", "en")).out
    card.write_text(text.replace('evidence_quote = "', 'evidence_quote = "no such '))
    said = call("construct", str(root), "--cards", str(card))
    assert said.code == 1
    assert "not in the design: your card" in said.err
    assert "rejected_quote_not_found" in said.err


def test_paths_with_spaces_chinese_and_links(stages: Path, tmp_path: Path) -> None:
    root = tmp_path / "研究 一 ∀"
    shutil.copytree(stages / "read", root)
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    assert "frozen" in done(call("status", str(link))).out
    assert f"report: {root}/report/index.html" in done(call("report", str(root))).out


def test_status_writes_nothing(study: Copy) -> None:
    for stage, begins in (("empty", "no design yet"), ("draft", "design: draft")):
        root = study(stage)
        before = snapshot(root)
        assert done(call("status", str(root))).out.startswith(begins)
        assert snapshot(root) == before


def test_a_demo_that_cannot_run_says_why(study: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = WorkSummary(done=0, left_open=2, stopped=None, reasons={"TypeError: ours": 2})
    monkeypatch.setattr(draligned.Study, "run", lambda *_, **__: broken)
    said = call("demo", str(study("draft")))
    assert said.code == 3
    assert "  2 × left open: TypeError: ours" in said.out
    assert said.err == ""
