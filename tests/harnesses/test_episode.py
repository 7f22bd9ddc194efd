"""One coupled episode end to end against scripted models: every outcome of DESIGN §6."""

import sys
from pathlib import Path

from draligned.harnesses.episode import run_episode
from draligned.harnesses.registry import COUPLED
from draligned.harnesses.transcript import messages_of
from draligned.retrieval.embedded import EmbeddedRetrieval
from draligned.schema.endings import EndedBy, Outcome
from draligned.schema.events import RequestExecuted
from draligned.schema.retrieval import ReturnStatus
from draligned.store.blobs import Blobs
from draligned.study.attempts import read_header, read_seal
from draligned.study.observe import observe

from .doubles import World, always, call, condition, header, says, script, tool_texts


def whole_episode() -> tuple[object, ...]:
    return (
        says(None, call("search", "杭州 演讲 社团", "a"), call("read", "https://a.example/1", "b")),
        says("思考", call("write_report", "草稿", "c")),
        says(None, call("submit_report", "终稿", "d")),
        says("已完成。"),
    )


async def test_an_episode_from_search_to_submission(tmp_path: Path) -> None:
    world, model = World(tmp_path), script(*whole_episode())
    end = await world.run(model)
    assert end is not None
    assert (end.ended_by, end.outcome) == (EndedBy.NO_TOOL_CALL, Outcome.SUBMITTED)
    assert Blobs(world.store).get(str(end.final_sha256)) == "终稿"
    assert world.kinds() == [
        "opened",
        *["call_started", "model_turn"],
        *["request_executed", "tool_result", "request_executed", "tool_result"],
        *["call_started", "model_turn", "draft_saved", "tool_result"],
        *["call_started", "model_turn", "submitted", "tool_result"],
        *["call_started", "model_turn", "text_reply", "ended"],
    ]
    cond = condition()
    seen = observe(header(cond), cond, world.events())
    assert [r.request for r in seen.requests] == ["杭州 演讲 社团", "https://a.example/1"]
    assert len(seen.drafts) == 1
    assert seen.final is not None
    assert seen.final.by == "submission"
    seal = read_seal(world.store, world.run_id, 1)
    assert seal is not None
    assert seal.end == end
    assert seal.n_events == len(world.events())
    assert read_header(world.store, world.run_id, 1) == header(cond)


async def test_the_model_sees_two_messages_then_results_and_the_tools_in_order(
    tmp_path: Path,
) -> None:
    world, model = World(tmp_path), script(*whole_episode())
    await world.run(model)
    first, last = model.requests[0], model.requests[-1]
    assert [m.role for m in first.messages] == ["system", "user"]
    assert [t.name for t in first.tools] == ["search", "read", "submit_report", "write_report"]
    assert [m.role for m in last.messages[2:]] == [
        *["assistant", "tool", "tool", "assistant", "tool", "assistant", "tool"]
    ]
    assert [r.key.sequence for r in model.requests] == [1, 2, 3, 4]
    assert {r.seed for r in model.requests} == {7}


async def test_the_transcript_can_be_read_from_the_log(tmp_path: Path) -> None:
    world, model = World(tmp_path), script(*whole_episode())
    await world.run(model)
    shown = messages_of(world.events(), COUPLED, Blobs(world.store))
    assert shown[:-1] == model.requests[-1].messages
    assert shown[-1].text == "已完成。"


async def test_the_embedded_corpus_serves_an_episode(tmp_path: Path) -> None:
    world, pages = World(tmp_path), EmbeddedRetrieval("zh")
    url = (await pages.search("演讲")).answer.hits[0].url
    turn = says(None, call("search", "演讲", "a"), call("read", url, "b"), call("read", "x", "c"))
    cond, model = condition(), script(turn, says("完"))
    end = await run_episode(
        world.spec,
        cond,
        header(cond),
        model=model,
        retrieval=pages,
        store=world.store,
        blobs=Blobs(world.store),
        seed=None,
    )
    assert end is not None
    assert end.outcome is Outcome.TEXT_REPLY
    executed = [b for b in world.bodies() if isinstance(b, RequestExecuted)]
    assert [b.return_status for b in executed[:2]] == [ReturnStatus.OK] * 2
    assert executed[2].return_status is not ReturnStatus.OK
    assert url in tool_texts(model.requests)[0]


async def test_the_work_of_a_decision_does_not_grow_with_the_history(tmp_path: Path) -> None:
    """Counts Python calls, not time; the encoding of the body is the client's."""

    async def calls_per_decision(decisions: int) -> float:
        model = always(
            lambda n: says(None, call("search", f"问{n}", f"c{n}")) if n < decisions else says("完")
        )
        counted = 0

        def count(frame: object, event: str, arg: object) -> None:
            nonlocal counted
            counted += event == "call"

        sys.setprofile(count)
        try:
            await World(tmp_path / str(decisions)).run(model)
        finally:
            sys.setprofile(None)
        return counted / decisions

    await calls_per_decision(2)
    assert await calls_per_decision(96) < 1.1 * await calls_per_decision(22)


async def test_a_sealed_episode_is_not_run_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    end = await world.run(script(*whole_episode()))
    model = script()
    assert await world.run(model) == end
    assert model.requests == []
