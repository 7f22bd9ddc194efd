"""Recording and replay on the command line, with the embedded corpus and rehearsal models."""

import shutil
from pathlib import Path

import pytest

import draligned
from draligned.schema.errors import ConfigError
from tests.cli.console import SMALL, Said, call, snapshot

RECORDED = f"{SMALL}\n[run]\nrecord_models = true\n"


def done(said: Said) -> Said:
    """The command ended well."""
    assert said.code == 0, said
    return said


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study, recorded and read."""
    root = tmp_path_factory.mktemp("recorded") / "study"
    root.mkdir()
    (root / "study.toml").write_text(RECORDED, encoding="utf-8")
    done(call("construct", str(root)))
    done(call("run", str(root), "--retrieval", "record"))
    done(call("evaluate", str(root), "--mirrored"))
    return root


@pytest.fixture
def bare(recorded: Path, tmp_path: Path) -> Path:
    """Its settings and design alone."""
    root = tmp_path / "bare"
    shutil.copytree(recorded / "design", root / "design")
    shutil.copy(recorded / "study.toml", root / "study.toml")
    return root


def test_stats_count_what_was_asked_and_what_is_recorded(recorded: Path) -> None:
    header, row, *_ = done(call("retrieval", "stats", str(recorded))).out.splitlines()
    found = dict(zip(header.split(), row.split(), strict=True))
    assert found["environment"].startswith("embedded-en-")
    hits, misses = int(found["hits"]), int(found["misses"])
    assert hits + misses == int(found["requests"])
    assert misses == int(found["stored"]) > 0
    assert found["live"] == "0"
    assert int(found["bytes"]) > 1000


def test_stats_of_a_study_without_any(bare: Path) -> None:
    assert "nothing was asked yet" in done(call("retrieval", "stats", str(bare))).out


def test_export_import_replay_give_the_same_tables(
    recorded: Path, bare: Path, tmp_path: Path
) -> None:
    file = str(tmp_path / "all.tar")
    done(call("retrieval", "export", file, str(recorded), "--replies"))
    added = done(call("retrieval", "import", file, str(bare))).out
    assert added.endswith(" added, 0 were there already\n")
    done(call("run", str(bare), "--retrieval", "replay", "--models", "replay"))
    done(call("evaluate", str(bare), "--mirrored", "--models", "replay"))
    for table in sorted((recorded / "tables").iterdir()):
        assert (bare / "tables" / table.name).read_bytes() == table.read_bytes(), table.name
    assert not (bare / "ledger").exists(), "a replay calls nobody"


def test_a_replay_that_lacks_something_ends_with_one_line_and_open_cells(
    recorded: Path, bare: Path, tmp_path: Path
) -> None:
    file = str(tmp_path / "answers.tar")
    done(call("retrieval", "export", file, str(recorded)))
    done(call("retrieval", "import", file, str(bare)))
    said = call("run", str(bare), "--retrieval", "replay", "--models", "replay")
    assert said.code == 2
    line = said.err.splitlines()[-1]
    assert line.startswith("draligned: call 1 of ")
    assert "was not recorded (replay/calls/" in line
    assert all(b.open == b.planned for b in draligned.open(bare).status().blocks)
    done(call("run", str(bare), "--retrieval", "replay"))
    said = call("evaluate", str(bare), "--mirrored", "--models", "replay")
    assert said.code == 2
    assert "to model 'rehearsal-reader' was not recorded" in said.err


def test_another_request_than_the_recorded_one_is_refused(recorded: Path, tmp_path: Path) -> None:
    root = tmp_path / "changed"
    shutil.copytree(recorded, root, ignore=shutil.ignore_patterns("runs", "reads", "tables"))
    for call_file in (root / "replay" / "calls").glob("*/1-1.json"):
        text = call_file.read_text("utf-8")
        start = text.index('"request_sha256":"') + len('"request_sha256":"')
        call_file.write_text(text[:start] + "0" * 64 + text[start + 64 :], "utf-8")
    said = call("run", str(root), "--retrieval", "replay", "--models", "replay")
    assert said.code == 2
    assert "was recorded for another request than the one it would be now" in said.err


def test_a_damaged_record_is_named_by_its_key(recorded: Path, tmp_path: Path) -> None:
    root = tmp_path / "damaged"
    shutil.copytree(recorded, root, ignore=shutil.ignore_patterns("runs", "reads", "tables"))
    records = sorted((root / "retrieval").rglob("*.json"))
    for record in records:
        record.write_bytes(record.read_bytes()[:-2])
    said = call("run", str(root), "--retrieval", "replay", "--models", "replay")
    assert said.code == 3
    assert "left open: retrieval/embedded-en-" in said.out
    assert "not a RecordedAnswer" in said.out
    key = records[0].relative_to(root).as_posix()
    stats = call("retrieval", "stats", str(root))
    assert stats.code == 1
    assert key in stats.err


MISTAKES = {
    "no such file": (("import", "{t}/none.tar"), "No such file"),
    "not an archive": (("import", "{s}/study.toml"), "is no archive of recorded answers"),
    "a file that exists": (("export", "{s}/study.toml"), "exists; name another file"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_one_line_and_change_nothing(
    recorded: Path, tmp_path: Path, name: str
) -> None:
    words, said = MISTAKES[name]
    before = snapshot(recorded)
    filled = [word.format(s=recorded, t=tmp_path) for word in words]
    found = call("retrieval", *filled, str(recorded))
    assert found.code == 2
    assert said in found.err
    assert len(found.err.splitlines()) == 1
    assert snapshot(recorded) == before


def test_nothing_to_export(bare: Path, tmp_path: Path) -> None:
    found = call("retrieval", "export", str(tmp_path / "x.tar"), str(bare))
    assert found.code == 2
    assert "nothing is recorded in this study" in found.err
    assert not (tmp_path / "x.tar").exists()


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("retrieval = 'webb'\n[retrieval.web]\nkind = 'searxng'\n", "did you mean 'web'"),
        ("retrieval = 'x'\n", "known: embedded (or add [retrieval.x] to study.toml)"),
        (
            "retrieval = 't'\n[retrieval.t]\nkind = 'tavily'\napi_key_env = 'NO_SUCH_VARIABLE'\n",
            "NO_SUCH_VARIABLE",
        ),
        ("retrieval = 's'\n[retrieval.s]\nkind = 'searxng'\n", "`retrieval.s.base_url` is missing"),
    ],
)
def test_sources_that_cannot_be_asked_are_refused_before_anything_is_written(
    bare: Path, toml: str, said: str
) -> None:
    (bare / "study.toml").write_text(f"{SMALL}\n[run]\n{toml}", encoding="utf-8")
    before = snapshot(bare)
    found = call("run", str(bare))
    assert found.code == 2
    assert said in found.err
    assert snapshot(bare) == before


def test_modes_are_words_of_a_closed_set(bare: Path) -> None:
    study = draligned.open(bare)
    with pytest.raises(ConfigError, match="retrieval is 'again'; choose one of live, record"):
        study.run(retrieval="again")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="models is 'record'; choose one of live, replay"):
        study.run(models="record")  # type: ignore[arg-type]
    assert call("run", str(bare), "--models", "record").code == 2


@pytest.mark.parametrize("part", ["retrieval", "replay/calls"])
def test_a_record_under_the_key_of_another_is_not_imported(
    recorded: Path, bare: Path, tmp_path: Path, part: str
) -> None:
    root = tmp_path / "moved"
    shutil.copytree(recorded, root)
    first, second, *_ = sorted((root / part).rglob("*.json"))
    shutil.copy(first, second)
    file = str(tmp_path / "all.tar")
    done(call("retrieval", "export", file, str(root), "--replies"))
    before = snapshot(bare)
    said = call("retrieval", "import", file, str(bare))
    assert said.code == 2
    assert second.relative_to(root).as_posix() in said.err
    assert "holds the record of something else" in said.err
    assert snapshot(bare) == before


def test_a_replay_goes_on_where_a_miss_ended_it_and_still_calls_nobody(
    recorded: Path, tmp_path: Path
) -> None:
    root = tmp_path / "again"
    left = shutil.ignore_patterns("runs", "reads", "tables", "ledger", "launches", "claims")
    shutil.copytree(recorded, root, ignore=left)
    lost = sorted((root / "replay" / "calls").glob("*/1-2.json"))
    kept = {path: path.read_bytes() for path in lost}
    for path in lost:
        path.unlink()
    words = ("run", str(root), "--retrieval", "replay", "--models", "replay")
    assert call(*words).code == 2
    for path, data in kept.items():
        path.write_bytes(data)
    done(call(*words))
    assert not (root / "ledger").exists()
