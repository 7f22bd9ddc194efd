"""Tools as declared and as executed."""

import json
from pathlib import Path

import pytest

from draligned.harnesses.registry import COUPLED
from draligned.harnesses.texts import RECEIPTS
from draligned.harnesses.tools import TOOLS, Bench, CallSite, tools_of
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.events import RequestExecuted
from draligned.schema.labels import Channel
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

from .doubles import Pages

GOLDEN = Path(__file__).parent / "golden"


def bench(root: Path, pages: Pages | None = None, waits: tuple[float, ...] = (0.0, 0.0)) -> Bench:
    return Bench(
        retrieval=pages or Pages(),
        blobs=Blobs(LocalStore(root)),
        lang="zh",
        fence_seed="seed",
        retry_waits=waits,
    )


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_declarations_and_receipts_are_as_printed(lang: Lang) -> None:
    shown = {
        "tools": [t.spec(lang).model_dump() for t in tools_of(COUPLED).values()],
        "receipts": RECEIPTS[lang]._asdict(),
    }
    golden = (GOLDEN / f"tools.{lang}.json").read_text(encoding="utf-8")
    assert json.dumps(shown, ensure_ascii=False, indent=1) + "\n" == golden
    assert not any(c.isdigit() for c in golden)


def test_channels_are_functions_of_the_tool() -> None:
    assert {t.name: t.channel for t in TOOLS.values()} == {
        "search": Channel.ACQUISITION,
        "read": Channel.ACQUISITION,
        "submit_report": Channel.FINALIZATION,
        "write_report": Channel.WORKSPACE,
    }


def test_an_unknown_tool_in_a_spec_is_named() -> None:
    with pytest.raises(ConfigError, match="fly"):
        tools_of(COUPLED.model_copy(update={"tool_order": ("search", "fly")}))


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
