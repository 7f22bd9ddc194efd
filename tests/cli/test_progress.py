"""progress designs, run, status, measure: what they say, and how they end."""

import shutil
from pathlib import Path

import pytest

import draligned
from draligned.progress import lanes
from draligned.progress.contrasts import planned
from draligned.progress.designs import DESIGNS, design
from draligned.progress.followups import BOUNDARY, KINDS
from tests.cli.console import begin, call, snapshot

MODEL = "[models.{name}]\nprovider = '{provider}'\nmodel = '{model}'\n"


def replies(root: Path, design: str = "bundle") -> list[str]:
    """Positions that have a reply, over all lanes."""
    store = draligned.open(root).folder.store
    found = lanes.load_lanes(store, design)
    return [
        r.position.position_id
        for lane in found
        for r in lanes.iter_replies(store, design, lane.model_key)
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with the design `bundle` run by one deployment."""
    root = tmp_path_factory.mktemp("bundle")
    said = call("progress", "run", "bundle", str(root))
    assert said.code == 0, said
    return root


@pytest.fixture
def study(whole: Path, tmp_path: Path) -> Path:
    root = tmp_path / "copy"
    shutil.copytree(whole, root)
    return root


def test_designs_are_listed_with_what_they_may_be_asked() -> None:
    said = call("progress", "designs")
    assert said.code == 0
    (stage,) = (line for line in said.out.splitlines() if line.startswith("stage "))
    assert stage.split()[1:5] == ["360", "20", "7200", "Observational"]


@pytest.mark.parametrize("name", [*DESIGNS, *KINDS])
def test_one_design_is_told_whole(name: str) -> None:
    """SI-67, SI-107: its question, how far it goes, and the analysis that is frozen with it."""
    said = call("progress", "designs", name)
    assert said.code == 0
    assert said.out.startswith(name)
    boundary = BOUNDARY if name in KINDS else DESIGNS[name].boundary
    assert f"How far it goes: {boundary}" in said.out
    if name in DESIGNS:
        known = design(name)
        assert known.sha256()[:16] in said.out
        assert said.out.count("  contrast: ") == len(list(planned(known)))
        assert all(f"  {factor}: " in said.out for s in known.stimuli for factor in s.factors)


def test_designs_stand_in_the_order_of_the_evidence_map(tmp_path: Path) -> None:
    """The pattern first, follow-ups last; what this version does not know comes after them."""
    store = draligned.open(tmp_path).folder.store
    for name in ("wrong-state-0", "bundle", "breadth-english", "stage", "older"):
        lanes.freeze_design(store, design("bundle").model_copy(update={"name": name}))
    found = draligned.open(tmp_path).progress.names()
    assert found == ("stage", "breadth-english", "bundle", "wrong-state", "older")
    listed = [line.split()[0] for line in call("progress", "designs").out.splitlines()[1:]]
    assert listed == [*DESIGNS, *KINDS]


def test_a_run_says_what_it_did_and_that_it_is_no_evidence(whole: Path) -> None:
    said = call("progress", "run", "bundle", str(whole))
    assert said.code == 0
    assert "0 done, 0 left open." in said.out
    assert "no evidence about any language model" in said.out
    (row,) = (line for line in said.out.splitlines() if "20/20" in line)
    assert row.split() == ["rehearsal", "480", "480", "0", "0", "20/20", "yes"]


def test_status_names_what_was_begun_and_writes_nothing(whole: Path, tmp_path: Path) -> None:
    said = call("progress", "status", str(tmp_path))
    assert said.code == 0
    assert "no design was begun yet" in said.out
    before = snapshot(whole)
    said = call("progress", "status", str(whole))
    assert said.out.startswith("bundle\n")
    assert snapshot(whole) == before


def test_limits_leave_the_rest_open_and_the_same_line_goes_on(tmp_path: Path) -> None:
    words = ("progress", "run", "bundle", str(tmp_path), "--model", "rehearsal-steady")
    said = call(*words, "--limit", "7")
    assert said.code == 3
    assert "7 done, 473 left open." in said.out
    assert "stopped: the limit of 7 is reached" in said.out
    assert "incomplete: under 95 %" in said.out
    said = call("progress", "measure", "bundle", str(tmp_path))
    assert said.code == 2
    assert "no lane of bundle is admitted and complete: `draligned progress run bundle`" in said.err
    said = call(*words, "--max-tokens", "1")
    assert said.code == 3
    assert "tokens used, the limit is 1" in said.out
    said = call(*words)
    assert said.code == 0
    assert " done, 0 left open." in said.out
    assert len(set(replies(tmp_path))) == len(replies(tmp_path)) == 480


def test_a_limit_that_ends_the_precheck_leaves_all_open(tmp_path: Path) -> None:
    said = call("progress", "run", "bundle", str(tmp_path), "--max-tokens", "1")
    assert said.code == 3
    assert "480 × left open: precheck: " in said.out
    assert call("progress", "run", "bundle", str(tmp_path), "--limit", "1").code == 3


def test_a_dry_run_writes_nothing_and_prices_what_is_open(tmp_path: Path) -> None:
    root = tmp_path / "study"
    root.mkdir()
    priced = MODEL.format(name="m", provider="rehearsal", model="rehearsal-progress-hasty")
    (root / "study.toml").write_text(f"{priced}price_in = 10.0\nprice_out = 20.0\n")
    words = ("progress", "run", "bundle", str(root), "--model", "m")
    before = snapshot(root)
    said = call(*words, "--dry-run")
    assert said.code == 0
    assert snapshot(root) == before
    assert said.out.splitlines()[1].split() == ["m", "480", "–", "–", "–"]
    assert "try --limit 10" in said.out
    assert "20 probes of 1 deployment(s) come first" in said.out
    call(*words, "--limit", "10")
    name, left, tokens_in, tokens_out, cost, currency = (
        call(*words, "--dry-run").out.splitlines()[1].split()
    )
    assert (name, left, currency) == ("m", "470", "USD")
    assert float(cost) == pytest.approx(
        (10 * int(tokens_in) + 20 * int(tokens_out)) / 1e6, abs=0.01
    )
    assert float(cost) > 0


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """A real kill, in a process of its own; then the same line."""
    words = ("progress", "run", "bundle", str(tmp_path), "--concurrency", "1")
    process = begin(*words, cwd=tmp_path)
    while process.poll() is None and not list(
        tmp_path.glob("progress/bundle/lanes/*/replies.jsonl")
    ):
        pass
    process.kill()
    process.communicate()
    before = replies(tmp_path)
    assert 0 < len(before) < 480
    assert call(*words).code == 0
    after = replies(tmp_path)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after) == 480


def test_what_cannot_be_run_is_said_in_one_line(study: Path) -> None:
    before = snapshot(study)
    for words, line in {
        ("run", "stages"): "there is no design 'stages'",
        ("run", "bundle", "--model", "rehersal"): "did you mean 'rehearsal'?",
        ("run", "bundle", "--max-cost", "1", "--model", "m"): "unknown model 'm'",
        ("measure", "stage"): "no lane of stage is admitted and complete",
    }.items():
        command, design, *rest = words
        said = call("progress", command, design, str(study), *rest)
        assert said.code == 2, said
        assert line in said.err
        assert said.err.count("\n") == 1
    said = call("progress", "run", str(study))
    assert said.code == 2
    assert f"a design comes first: `stage {study}`" in said.err
    assert snapshot(study) == before


def test_one_deployment_has_one_name(study: Path) -> None:
    (study / "study.toml").write_text(
        MODEL.format(name="twin", provider="rehearsal", model="rehearsal-progress")
    )
    said = call("progress", "run", "bundle", str(study), "--model", "twin")
    assert said.code == 2
    assert "model `twin` is the same as `rehearsal`" in said.err


def test_a_reply_is_shown_with_its_truth_and_its_layer(whole: Path) -> None:
    frame = draligned.open(whole).progress.replies("bundle")
    row = frame[frame["layer"] == "divergence"].iloc[0]
    said = call("progress", "show", row["position_id"][:10], str(whole))
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == f"position {row['position_id']}: bundle, rehearsal"
    assert row["scenario_id"] in lines[1]
    assert f"repetition {row['repetition']}" in lines[1]
    assert "true: post_observation_continue" in lines
    assert "required: a report of post_observation_continue" in lines
    assert lines[-1].startswith("layer: divergence")
    assert lines[-2].startswith("  calls ")


@pytest.mark.parametrize(("begins", "count"), [("nothing", "no"), ("", "480")])
def test_an_id_of_no_or_many_positions_is_said(whole: Path, begins: str, count: str) -> None:
    said = call("progress", "show", begins, str(whole))
    assert said.code == 2
    assert f"{count} stored replies have a position id" in said.err


def test_measure_makes_tables_that_do_not_depend_on_the_order_of_replies(study: Path) -> None:
    said = call("progress", "measure", "bundle", str(study))
    assert said.code == 0
    made = {p.name: p.read_bytes() for p in (study / "progress/bundle/tables").iterdir()}
    named = [
        line.split(":")[0].rsplit("/", 1)[1].removesuffix(".parquet")
        for line in said.out.splitlines()
        if ".parquet: " in line
    ]
    assert sorted(made) == sorted(f"{name}.{kind}" for name in named for kind in ("csv", "parquet"))
    assert "Each stands beside as CSV" in said.out
    (file,) = study.glob("progress/bundle/lanes/*/replies.jsonl")
    file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))
    assert call("progress", "measure", "bundle", str(study)).code == 0
    assert {p.name: p.read_bytes() for p in (study / "progress/bundle/tables").iterdir()} == made


def test_progress_stands_beside_a_frozen_main_design(stages: Path, tmp_path: Path) -> None:
    root = tmp_path / "ran"
    shutil.copytree(stages / "ran", root)
    main = {p: p.read_bytes() for p in root.glob("[drp][eul][sna]*/**/*") if p.is_file()}
    assert call("progress", "run", "bundle", str(root), "--limit", "3").code == 3
    assert {p: p.read_bytes() for p in main} == main
    assert call("evaluate", str(root), "--mirrored").code == 0
