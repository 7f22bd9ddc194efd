"""Mistakes: one clear line, exit code 2, and the folder as it was."""

from pathlib import Path

import pytest

from tests.cli.conftest import Copy
from tests.cli.console import Said, call, snapshot


def refused(said: Said, message: str, code: int = 2) -> None:
    """The command ended with one line that says `message`."""
    assert said.code == code, said
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    assert lines[0].startswith("draligned: ")
    assert message in lines[0]
    assert "Traceback" not in said.err


CONSTRUCT_FIRST = "there is no design here yet; run `draligned construct` first"
RUN_FIRST = "nothing was run yet; `draligned run` comes first"
ORDER = [
    *(("empty", words, CONSTRUCT_FIRST) for words in (
        "freeze", "design show", "design amend --tasks 2", "design decisions", "card reject x",
        "card list", "card accept x --why y",
        "run", "run --dry-run", "evaluate", "evaluate --mirrored", "evaluate --dry-run",
        "measure", "measure --partial", "report", "report --partial", "show x", "verify",
    )),
    *(("draft", words, RUN_FIRST) for words in (
        "evaluate", "evaluate --mirrored", "evaluate --dry-run", "measure", "measure --partial",
        "report", "report --partial",
    )),
    ("draft", "design amend --tasks 2", "still a draft; construct again"),
    ("draft", "show x", "'x' is no factor, condition, run, packet or measured pair"),
    ("draft", "card accept x --why y", "no card set aside has the id x; see `draligned card list`"),
    ("ran", "card accept x --why y", "the design is frozen; `draligned design amend"),
    ("draft", "card reject x", "no card has the factor id x; see `draligned card list`"),
    ("ran", "measure", "still open: "),
    ("ran", "report", "give measure and report --partial"),
    ("ran", "construct", "the design is frozen; `draligned design amend` adds to it"),
    ("ran", "design amend", "say what to add: --tasks N, or --cards FILE"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "words", "message"), ORDER, ids=lambda v: str(v)[:30])
def test_commands_in_the_wrong_order(study: Copy, stage: str, words: str, message: str) -> None:
    root = study(stage)
    before = snapshot(root)
    first, *rest = words.split()
    if first in ("design", "card"):
        first, rest = f"{first} {rest[0]}", rest[1:]
    operands = [rest.pop(0)] if rest and first in ("show", "card reject", "card accept") else []
    refused(call(*first.split(), *operands, str(root), *rest), message)
    assert snapshot(root) == before


OPTIONS = [
    ("frobnicate", "No such command 'frobnicate'"),
    ("run STUDY --limt 3", "No such option: --limt (Possible options: --limit"),
    ("run STUDY --limit 0", "greater than or equal to 1; see `draligned run --help`"),
    ("run STUDY --max-cost -1", "greater than or equal to 0"),
    ("run STUDY --pilot x", "valid integer"),
    ("run STUDY more", "unexpected extra argument"),
    ("run STUDY --harness couple", "there is no harness 'couple'; did you mean 'coupled'?"),
    ("run STUDY --model rehearsal-q", "unknown model 'rehearsal-q': did you mean"),
    ("evaluate STUDY --evaluator rehearsal-read", "did you mean 'rehearsal-reader'?"),
    ("construct STUDY --tasks 0", "greater than or equal to 1"),
    ("construct STUDY --lang fr", "lang is 'fr'; it must be zh or en"),
    ("construct STUDY --cards /nowhere", "/nowhere: No such file"),
    ("construct STUDY --pdr-bench /nowhere", "/nowhere is not a folder"),
    ("construct STUDY --own /nowhere", "there is no tasks.jsonl in /nowhere: a folder of your own"),
    ("construct STUDY --own . --pdr-bench .", "of PDR-Bench or one of your own, not both"),
    ("card kinds --lang fr", "it must be zh or en"),
    ("tables STUDY pairs", "the table comes first: draligned tables pairs "),
    ("registers add limits STUDY --id x", "an entry needs --title, --text"),
    ("run STUDY --model gpt", "known: rehearsal, rehearsal-a, rehearsal-b, rehearsal-constructor"),
    ("card template --lang fr", "it must be zh or en"),
    ("show", "Missing argument 'what'"),
    ("status STUDY/nowhere", "nowhere; `draligned construct"),
    ("run STUDY/study.toml", "study.toml is a file; give the folder of a study"),
]


@pytest.mark.parametrize(("words", "message"), OPTIONS, ids=lambda v: str(v)[:40])
def test_wrong_options(study: Copy, words: str, message: str) -> None:
    root = study("draft")
    before = snapshot(root)
    refused(call(*words.replace("STUDY", str(root)).split()), message)
    assert snapshot(root) == before


TOML = [
    ("[runn]\nmodels = []", "unknown key `runn`; did you mean `run`?"),
    ("[run]\nmodels = []", "`run.models` in study.toml names none"),
    ("[run]\nharnesses = []", "`run.harnesses` in study.toml names none"),
    ("[run]\nmodels = ['mine']", "unknown model 'mine'"),
    ("[run]\nretrieval = 'live'", "run.retrieval names no source 'live'"),
    ("[models.m]\nprovider='p'\nmodel='x'\n[run]\nmodels=['m']", "unknown provider 'p'"),
    (
        "[providers.p]\nbase_url='http://127.0.0.1:9'\napi_key_env='DRALIGNED_NO_KEY'\n"
        "[models.m]\nprovider='p'\nmodel='x'\n[run]\nmodels=['m']",
        "needs its key in the environment variable DRALIGNED_NO_KEY",
    ),
    (
        "[models.m]\nprovider='rehearsal'\nmodel='rehearsal-agent-a'\n"
        "[run]\nmodels=['rehearsal-a', 'm']",
        "model `m` is the same as `rehearsal-a`",
    ),
    ("\x1b[31m = 1", "study.toml cannot be read"),
    ("run:\n  models: [a]", "(at line 1, column 4): that is YAML; TOML has [section] lines"),
    ("[run]\nmodels = [“a”]", "the full-width “ stands there; type it in half width"),
    ("[models.模型]", 'a name other than A-Z a-z 0-9 _ - stands in quotes, e.g. [models."…"]'),
    ("'\\u202e\\u001b[31m' = 1", "unknown key `\\u202e\\x1b[31m`"),
]


@pytest.mark.parametrize(("text", "message"), TOML, ids=lambda v: repr(v)[:40])
def test_a_wrong_study_toml_runs_nothing(study: Copy, text: str, message: str) -> None:
    root = study("draft")
    text = text.replace("'\\u202e\\u001b[31m'", '"\\u202e\\u001b[31m"')
    (root / "study.toml").write_text(text, encoding="utf-8")
    before = snapshot(root)
    refused(call("run", str(root)), message)
    assert snapshot(root) == before


def test_a_dry_run_finds_a_provider_that_is_not_there(study: Copy) -> None:
    root = study("draft")
    text = "[models.m]\nprovider='mien'\nmodel='x'\n[providers.mine]\n[run]\nmodels=['m']"
    (root / "study.toml").write_text(text, encoding="utf-8")
    refused(call("run", "--dry-run", str(root)), "unknown provider 'mien': did you mean 'mine'?")


def test_an_unset_or_impossible_key_is_said_before_anything_is_written(
    study: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = study("draft")
    (root / "study.toml").write_text(TOML[6][0], encoding="utf-8")
    before = snapshot(root)
    for key in ("sk-secret\nX: y", "sk-sécret", "sk secret"):
        monkeypatch.setenv("DRALIGNED_NO_KEY", key)
        said = call("run", str(root))
        refused(said, "the environment variable DRALIGNED_NO_KEY holds no key")
        assert "secret" not in said.err
        assert "sécret" not in said.err
    assert snapshot(root) == before


def test_what_the_system_refuses_is_one_line_too(study: Copy, tmp_path: Path) -> None:
    root = study("draft")
    (root / "study.toml").unlink()
    (root / "study.toml").mkdir()
    refused(call("status", str(root)), "Is a directory")
    refused(call("status", str(tmp_path / ("x" * 300))), "File name too long")


def test_an_evaluator_of_other_settings_needs_another_name(study: Copy) -> None:
    root = study("read")
    text = (root / "study.toml").read_text(encoding="utf-8")
    changed = {
        "[evaluate]\nrequest_mode = 'batch_prev3'": "read with request_mode 'whole_run'",
        "[models.rehearsal-reader]\nprovider='rehearsal'\nmodel='rehearsal-reader-b'": (
            "evaluator `rehearsal-reader` was used with other settings"
        ),
    }
    for more, message in changed.items():
        (root / "study.toml").write_text(f"{text}\n{more}\n", encoding="utf-8")
        before = snapshot(root)
        refused(call("evaluate", str(root), "--mirrored"), message)
        assert snapshot(root) == before
