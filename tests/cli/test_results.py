"""What status, evaluate, measure and report say of several harnesses."""

from tests.cli.conftest import Copy
from tests.cli.console import call

LEFT_OUT = (
    "4 planned runs of development-only harnesses (handoff-aw) are left out of reads, tables and "
    "report; `include_development = true` under [measure] in study.toml takes them in."
)


def test_development_harnesses_are_shown_by_status_and_left_out_in_a_line(study: Copy) -> None:
    root = study("read")
    assert call("run", str(root), "--harness", "handoff-aw").code == 0
    said = call("status", str(root)).out
    rows = [line.split() for line in said.splitlines() if line.startswith("rehearsal-a ")]
    assert [row[1:9] for row in rows if row[1] != "agent"] == [
        ["coupled", "2", "2", "2", "0", "0", "0", "0"],
        ["handoff-aw", "2", "2", "2", "0", "0", "0", "0"],
    ]
    assert " ".join(rows[1][9:]) == "development only, left out"
    for words in (["status"], ["evaluate", "--mirrored"], ["measure"], ["report"]):
        told = call(words[0], str(root), *words[1:])
        assert told.code == 0
        assert told.out.splitlines().count(LEFT_OUT) == 1, words
        assert "handoff-aw" not in told.out.replace(LEFT_OUT, "") or words == ["status"]


def test_one_harness_alone_says_nothing_of_interfaces(study: Copy) -> None:
    root = study("read")
    assert "analysis" not in call("status", str(root)).out
    assert "interface" not in call("measure", str(root)).out


def test_several_harnesses_stand_side_by_side_and_claim_nothing(study: Copy) -> None:
    root = study("read")
    assert call("run", str(root), "--harness", "initial").code == 0
    assert call("evaluate", str(root), "--mirrored").code == 0
    said = call("measure", str(root)).out
    assert "like signs establish neither equivalence of the interfaces nor delegated" in said


def test_nothing_but_development_is_the_users_to_mend(study: Copy) -> None:
    root = study("draft")
    assert call("run", str(root), "--harness", "handoff-aw").code == 0
    for words in (["evaluate", "--mirrored"], ["measure"], ["report"]):
        told = call(words[0], str(root), *words[1:])
        assert told.code == 2
        (line,) = told.err.splitlines()
        assert "only development-only harnesses were run (handoff-aw)" in line
    assert not (root / "report").exists()


def test_attempts_that_are_only_kept_are_explained(study: Copy) -> None:
    root = study("read")
    run = next((root / "runs").iterdir())
    (run / "a2").mkdir()
    (run / "a2" / "events.jsonl").write_bytes(b"")
    said = call("status", str(root)).out
    assert "stored: attempts kept and not analysed; the first attempt with model output" in said
    assert call("measure", str(root)).code == 0
