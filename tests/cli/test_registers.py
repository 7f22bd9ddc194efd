"""draligned registers: printed, added to, honoured and stamped."""

import pytest

import draligned
from tests.cli.conftest import Copy
from tests.cli.console import call

WORDS = ("--title", "A run of the wrong route", "--text", "The proxy pointed elsewhere.")


@pytest.mark.parametrize("name", ["corrections", "methods", "limits"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_registers_are_printed_in_both_languages(study: Copy, name: str, lang: str) -> None:
    said = call("registers", "list", name, str(study("empty")), "--lang", lang)
    assert said.code == 0
    assert {"corrections": "strict-re-entry", "methods": "direct-compliance",
            "limits": "coarse-labels"}[name] in said.out  # fmt: skip
    assert ("局" in said.out or "的" in said.out) == (lang == "zh")


def test_a_register_speaks_the_designs_language(study: Copy) -> None:
    """Where there is none yet, English is printed."""
    root = str(study("empty"))
    assert "coarse labels" in call("registers", "list", "limits", root).out
    assert call("construct", root, "--lang", "zh", "--tasks", "1").code == 0
    assert "标签粗" in call("registers", "list", "limits", root).out


def test_a_method_has_run_where_its_tables_have_rows(study: Copy) -> None:
    for stage, state in (("ran", "designed"), ("read", "run")):
        root = study(stage)
        call("measure", str(root))
        out = call("registers", "list", "methods", str(root), "--lang", "en").out
        assert f"[{state}] Matrix and pairs" in out
        assert "[retired] Judging compliance directly" in out
        assert "[designed] Auxiliary evaluators" in out


def test_a_correction_leaves_a_run_out_and_everything_says_so(study: Copy) -> None:
    root = study("read")
    call("measure", str(root))
    opened = draligned.open(root)
    run = opened.table("pairs")["run_id_p"].iloc[0]
    added = call("registers", "add", "corrections", str(root), "--id", "late-fix",
                 "--standing", "WITHDRAWN", *WORDS, "--exclude", run)  # fmt: skip
    assert added.code == 0, added.err
    assert "added late-fix, entry 1 of this study" in added.out
    assert (
        "[WITHDRAWN] A run of the wrong route  (this study)"
        in call("registers", "list", "corrections", str(root), "--lang", "en").out
    )
    assert "changed since the tables were made: corrections" in call("tables", str(root)).err
    said = call("measure", str(root))
    assert f"Left out of every table by corrections, and kept on disk: run {run} (late-fix)" in (
        said.out
    )
    pairs = opened.table("pairs").set_index("run_id_p")
    assert pairs.loc[run, "a_reason_p"] == "run_excluded"
    assert run not in set(opened.table("requests")["run_id"])
    assert (root / "runs" / run).is_dir()
    assert call("report", str(root)).code == 0


def test_a_correction_leaves_a_packet_out(study: Copy) -> None:
    root = study("read")
    call("measure", str(root))
    opened = draligned.open(root)
    first = opened.table("documents").query("status == 'accepted'").iloc[0]
    unit = next(
        u
        for u in opened.readings().units
        if (u.text_sha256, u.factor_id, u.mode)
        == (first["text_sha256"], first["factor_id"], "document")
    )
    added = call("registers", "add", "corrections", str(root), "--id", "one", "--standing", "OPEN",
                 *WORDS, "--exclude", unit.packet_id)  # fmt: skip
    assert added.code == 0, added.err
    assert call("measure", str(root)).code == 0
    documents = draligned.open(root).table("documents")
    mine = (documents["text_sha256"] == unit.text_sha256) & (
        documents["factor_id"] == unit.factor_id
    )
    assert set(documents.loc[mine, "reason"]) == {"void_read"}


def test_limits_are_printed_with_results(study: Copy) -> None:
    out = call("measure", str(study("read"))).out
    assert "Limits: expressed or not, not how well; coarse labels; public artifacts only" in out


def test_what_cannot_be_added_is_said_in_a_line(study: Copy) -> None:
    root = study("read")
    wrong = [
        (("add", "corrections", "--id", "x", *WORDS), "--standing"),
        (("add", "corrections", "--id", "X y", *WORDS, "--standing", "OPEN"), "--id"),
        (("add", "corrections", "--id", "x", "--title", "a", "--standing", "OPEN"), "--text"),
        (("add", "corrections", "--id", "x", *WORDS, "--standing", "BAD"), "--standing"),
        (("add", "corrections", "--id", "x", *WORDS, "--standing", "OPEN", "--exclude", "0" * 16),
         "no run, factor or packet"),
        (("add", "methods", "--id", "x", *WORDS), "--state"),
        (("add", "limits", "--id", "x", *WORDS, "--exclude", "0" * 16), "only a correction"),
        (("add", "limits", "--id", "coarse-labels", *WORDS), "stays as it is"),
        (("list", "amendments"), "there is no register 'amendments'"),
        (("list", "limits", "--lang", "fr"), "zh and en"),
    ]  # fmt: skip
    for words, said in wrong:
        told = call("registers", *words[:2], str(root), *words[2:])
        assert told.code == 2, words
        assert said in told.err, words
    assert not (root / "corrections.jsonl").exists()


def test_methods_and_limits_of_a_study_are_added(study: Copy) -> None:
    root = study("ran")
    for name, more in (("methods", ("--state", "piloted")), ("limits", ())):
        assert call("registers", "add", name, str(root), "--id", "ours", *WORDS, *more).code == 0
        assert "(this study)" in call("registers", "list", name, str(root)).out
