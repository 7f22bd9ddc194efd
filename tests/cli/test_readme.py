"""Every block of code in README and guide runs as it stands there."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.console import call
from tests.cli.documents import GUIDE, GUIDE_ZH, README, ROOT, Block, blocks, inline, run

GUIDES = (GUIDE, GUIDE_ZH)
SHOWN = [*blocks(README), *blocks(GUIDE), *blocks(GUIDE_ZH)]
TEXT = sorted({line for page in (README, GUIDE, GUIDE_ZH) for line in inline(page)})
COMMANDS = sorted(
    {line for b in SHOWN if b.lang == "sh" for line in b.commands if line.startswith("draligned ")}
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "block", [b for b in blocks(README) if b.lang == "sh" and b.commands], ids=lambda b: b[1][:20]
)
def test_the_readmes_shell_runs(block: Block, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    clone.mkdir()
    run(block, clone)
    assert (tmp_path / "my-study" / "report" / "index.html").is_file()


@pytest.mark.slow
def test_the_readmes_python_runs(tmp_path: Path) -> None:
    (block,) = (b for b in blocks(README) if b.lang == "python")
    run(block, tmp_path)
    assert (tmp_path / "another-study" / "tables" / "pairs.parquet").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES, ids=lambda p: p.name)
def test_a_guide_runs_from_an_empty_folder_block_after_block(guide: Path, tmp_path: Path) -> None:
    said = [run(block, tmp_path) for block in blocks(guide)]
    assert all(said)
    study = tmp_path / "first"
    for made in ("report/index.html", "progress/report/index.html", "tables/pairs.parquet"):
        assert (study / made).is_file()
    assert (tmp_path / "csv" / "pairs.csv").is_file()
    assert (tmp_path / "sheet.csv").is_file()


@pytest.mark.parametrize(
    "block", [b for b in SHOWN if b.lang == "toml"], ids=["readme", "guide", "guide.zh"]
)
def test_settings_are_settings(block: Block, tmp_path: Path) -> None:
    assert '"base_url":"https://api.example.com/v1"' in run(block, tmp_path)


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert {b.lang for b in SHOWN} == {"sh", "python", "toml"}


def test_the_chinese_guide_has_the_same_blocks_and_sections() -> None:
    english, chinese = ([b.lang for b in blocks(p)] for p in GUIDES)
    assert english == chinese
    english, chinese = (said_apart_from_language(p) for p in GUIDES)
    assert english == chinese
    assert "--lang en" not in GUIDE_ZH.read_text(encoding="utf-8")
    assert "--lang zh" not in GUIDE.read_text(encoding="utf-8")
    heads = [re.findall(r"^(#+) ", p.read_text(encoding="utf-8"), re.M) for p in (GUIDE, GUIDE_ZH)]
    assert heads[0] == heads[1]
    tables = [p.read_text(encoding="utf-8").count("\n| ") for p in (GUIDE, GUIDE_ZH)]
    assert tables[0] == tables[1]


def said_apart_from_language(guide: Path) -> list[str]:
    """The blocks without data that is written out in them, and without the language."""
    return [
        re.sub(r"^\{.*\}\n", "", b.text, flags=re.M).replace("--lang zh", "--lang en")
        for b in blocks(guide)
    ]


@pytest.mark.parametrize("line", sorted({*TEXT, *COMMANDS}))
def test_commands_that_are_named_exist_with_their_options(line: str) -> None:
    words = [w for w in shlex.split(line.partition(">")[0])[1:] if w != "…"]
    depth, shown = 1, call(*(w for w in words[:1] if not w.startswith("--")), "--help")
    while "Commands:" in shown.out and depth < len(words):
        depth += 1
        shown = call(*words[:depth], "--help")
    assert shown.code == 0, line
    for option in (w for w in words if w.startswith("--")):
        assert option in shown.out, line


PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.partition("#")
        there = page if not name else page.parent / name
        assert there.is_file(), target
        if anchor:
            heads = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", h).lower().replace(" ", "-") for h in heads}
