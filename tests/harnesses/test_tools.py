"""Tools as declared and as executed."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from draligned.harnesses.desk import Desk
from draligned.harnesses.sandbox.protocol import Workspace
from draligned.harnesses.texts import FRAMES, RECEIPTS
from draligned.harnesses.toolbox import TOOLS, tools_of
from draligned.harnesses.tools import Bench, CallSite
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.events import RequestExecuted
from draligned.schema.labels import Channel
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

from .doubles import Pages

GOLDEN = Path(__file__).parent / "golden"


async def no_sandbox(files: Mapping[str, str]) -> Workspace:
    raise AssertionError("no file is touched here")


def bench(root: Path, pages: Pages | None = None, waits: tuple[float, ...] = (0.0, 0.0)) -> Bench:
    blobs = Blobs(LocalStore(root))
    return Bench(
        retrieval=pages or Pages(),
        blobs=blobs,
        lang="zh",
        fence_seed="seed",
        desk=Desk(blobs, {}, no_sandbox),
        retry_waits=waits,
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_declarations_and_receipts_are_as_printed(lang: Lang) -> None:
    shown = {
        "tools": {name: t.spec(lang).model_dump() for name, t in TOOLS.items()},
        "receipts": RECEIPTS[lang]._asdict(),
        "frames": FRAMES[lang]._asdict(),
    }
    golden = (GOLDEN / f"tools.{lang}.json").read_text(encoding="utf-8")
    assert json.dumps(shown, ensure_ascii=False, indent=1) + "\n" == golden
    assert not any(c.isdigit() for c in golden)


def test_channels_are_functions_of_the_tool() -> None:
    assert {name: t.channel for name, t in TOOLS.items()} == {
        "search": Channel.ACQUISITION,
        "read": Channel.ACQUISITION,
        "submit_report": Channel.FINALIZATION,
        "submit_saved_report": Channel.FINALIZATION,
        "submit_file": Channel.FINALIZATION,
        "write_report": Channel.WORKSPACE,
        "list_files": Channel.WORKSPACE,
        "read_file": Channel.WORKSPACE,
        "write_file": Channel.WORKSPACE,
        "edit_file": Channel.WORKSPACE,
        "python": Channel.WORKSPACE,
        "delegate": Channel.CONTROL,
    }


def test_an_unknown_tool_in_a_spec_is_named() -> None:
    with pytest.raises(ConfigError, match="fly"):
        tools_of(("search", "fly"), "mine")


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="two tools by one name"):
        tools_of(("submit_report", "submit_saved_report"), "mine")


async def test_a_request_that_heals_is_logged_once_with_its_last_status(tmp_path: Path) -> None:
    answers = iter([ReturnStatus.RATE_LIMITED, ReturnStatus.BLOCKED, ReturnStatus.OK])
    pages = Pages(status_of=lambda q: next(answers))
    done = await TOOLS["search"].execute(bench(tmp_path, pages), CallSite(1, 0, 5), {"query": "q"})
    assert isinstance(done.effect, RequestExecuted)
    assert (done.effect.return_status, done.effect.request_no) == (ReturnStatus.OK, 5)
    assert pages.asked == ["q", "q", "q"]
    assert "on q" in done.text


@pytest.mark.parametrize("status", [ReturnStatus.EMPTY, ReturnStatus.NOT_FOUND, "refused"])
async def test_answers_that_are_final_are_not_asked_for_again(
    tmp_path: Path, status: ReturnStatus
) -> None:
    pages = Pages(status_of=lambda q: ReturnStatus(status))
    done = await TOOLS["read"].execute(bench(tmp_path, pages), CallSite(1, 0, 1), {"url": "u"})
    assert pages.asked == ["u"]
    assert isinstance(done.effect, RequestExecuted)
    assert done.effect.return_status is ReturnStatus(status)


async def test_fences_differ_between_requests_and_not_between_replays(tmp_path: Path) -> None:
    async def text(number: int) -> str:
        done = await TOOLS["search"].execute(
            bench(tmp_path), CallSite(1, 0, number), {"query": "q"}
        )
        return done.text

    assert await text(1) == await text(1)
    assert await text(1) != await text(2)


def test_a_lone_half_of_a_character_is_replaced_at_the_last_door() -> None:
    search = TOOLS["search"]
    assert search.clean({"query": "a\ud835"}) == {"query": "a\ufffd"}
    assert search.clean({"query": "👨\u200d👩"}) == {"query": "👨\u200d👩"}
    assert search.clean({}) == {"query": ""}
