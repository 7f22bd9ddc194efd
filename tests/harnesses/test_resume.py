"""A kill after any event, with or without half a line behind it (HARD_CASES 11)."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from draligned.harnesses.registry import COUPLED, H_D, H_W, HARNESSES, INITIAL
from draligned.schema.chat import StopReason, ToolCall
from draligned.schema.errors import BadResponse, DamageError, RequestRefused
from draligned.schema.harness import HarnessSpec
from draligned.schema.retrieval import ReturnStatus
from draligned.study.attempts import attempt_prefix, read_header, read_seal
from draligned.study.log import EventLog

from .doubles import Line, Pages, World, budget, call, made, says, script
from .test_files import WITH_CODE

BROKEN = ToolCall(call_id="", name="search", arguments='{"query": "a')
EDIT = made("edit_file", path="r.md", old="一", new="二一")
DELEGATE = made("delegate", task="查一查")
SUBMIT_CALL = call("submit_report", "终稿", "s")
SUBMIT = says(None, SUBMIT_CALL)


def write(path: str, content: str) -> ToolCall:
    return made("write_file", path=path, content=content)


STORIES: dict[str, tuple[list[Line], HarnessSpec | None]] = {
    "whole": (
        [
            says(None, call("search", "一", "a"), BROKEN, call("read", "bad", "a")),
            says("想", call("write_report", "草稿"), call("write_report", "草稿二")),
            says(None, BROKEN),
            SUBMIT,
            says("完成"),
        ],
        None,
    ),
    "text reply": ([says(None, call("search", "一", "a")), says("答案")], None),
    "batch over a limit": (
        [
            says(None, call("search", "bad", "z")),
            says(None, *(call("search", f"{n}", f"c{n}") for n in range(4)), SUBMIT_CALL),
        ],
        budget(acquisition=2, tools=3),
    ),
    "broken requests hold their place": (
        [
            says(None, call("search", "bad", "p"), call("search", "一", "q"), call("read", "二")),
            says("答案"),
        ],
        budget(acquisition=2),
    ),
    "length cut": ([SUBMIT, says("半", stop=StopReason.LENGTH)], None),
    "our cap": ([says(None, SUBMIT_CALL, tokens=31)], budget(output_tokens=30)),
    "empty": ([says(None)], None),
    "filtered": ([says("", stop=StopReason.CONTENT_FILTER)], None),
    "censored": ([SUBMIT, RequestRefused("no", status=400)], None),
    "refused at once": ([RequestRefused("no", status=400)], None),
    "bad response": ([says(None, call("search", "一")), BadResponse("<html>", status=200)], None),
    "our own failure": ([says(None, call("search", "一")), KeyError("ours")], None),
    "decisions": ([says(None, call("search", "一")) for _ in range(3)], budget(decisions=3)),
    "loop guard": ([says(None, BROKEN) for _ in range(5)], None),
    "files": (
        [
            says(None, write("r.md", "一"), EDIT, made("edit_file", path="r.md", old="一", new="")),
            says(None, made("list_files"), made("read_file", path="r.md"), write("../x", "y")),
            says(None, made("submit_file", path="r.md"), write("r.md", "三")),
            says("完"),
        ],
        H_W,
    ),
    "code": (
        [
            says(None, made("python", code="1"), made("read_file", path="made.txt")),
            says(None, made("python", code="die"), made("submit_file", path="made.txt")),
            says("完"),
        ],
        WITH_CODE,
    ),
    "delegation": (
        [
            says(None, call("search", "一", "a"), DELEGATE, write("n.md", "x"), DELEGATE),
            says(None, call("search", "bad", "b"), call("read", "三", "b"), write("m.md", "y")),
            says("子任务的回答"),
            says(None),
            says(None, write("r.md", "终稿"), made("submit_file", path="r.md")),
            says("完"),
        ],
        H_D,
    ),
    "cut inside a delegation": (
        [says(None, DELEGATE), says("半", stop=StopReason.LENGTH), says("答案")],
        H_D,
    ),
    "budget inside a delegation": (
        [says(None, DELEGATE), says(None, call("search", "一")), says("不会问到")],
        H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"decisions": 2})}),
    ),
    "budget beside a delegation": (
        [
            says(None, write("r.md", "一"), DELEGATE, made("submit_file", path="r.md"), DELEGATE),
            says(None, call("search", "一"), call("search", "二")),
        ],
        H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"acquisition": 1})}),
    ),
    "broken before a delegation": (
        [
            says(None, call("search", "bad"), DELEGATE, call("search", "bad"), DELEGATE),
            says(None, call("search", "bad"), call("search", "一")),
            says("好"),
            says(None, call("search", "二")),
            says("好"),
            says("答案"),
        ],
        H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"acquisition": 2})}),
    ),
    "token cap inside a delegation": (
        [
            says(None, write("r.md", "稿"), DELEGATE, made("submit_file", path="r.md")),
            says("太长", tokens=90),
        ],
        H_D.model_copy(update={"budget": H_D.budget.model_copy(update={"output_tokens": 60})}),
    ),
    "clarified": (
        [
            says("问？", call("search", "急")),
            says(None, made("submit_report"), call("write_report", "稿")),
            says(None, made("submit_report")),
            says("完"),
        ],
        INITIAL,
    ),
    "handed over twice": (
        [
            says(None, call("search", "一", "a"), call("write_report", "早")),
            says("资料"),
            says(None, call("write_report", "稿")),
            says("好"),
            says("终稿"),
        ],
        HARNESSES["handoff-both"],
    ),
    "re-prompted": (
        [says("想"), says("还想"), SUBMIT],
        COUPLED.model_copy(update={"gate": "runtime_owned", "development_only": True}),
    ),
}  # fmt: skip


def pages() -> Pages:
    return Pages(status_of=lambda q: ReturnStatus.BLOCKED if q == "bad" else ReturnStatus.OK)


def world(root: Path, spec: HarnessSpec | None) -> World:
    return World(root) if spec is None else World(root, spec=spec)


def killed_after(whole: World, root: Path, spec: HarnessSpec | None, size: int) -> World:
    """A copy of a finished run whose log ends after `size` bytes, unsealed."""
    shutil.copytree(whole.root, root)
    copy = world(root, spec)
    folder = copy.store.path(copy.log).parent
    (folder / "seal.json").unlink()
    log = copy.store.path(copy.log)
    log.write_bytes(log.read_bytes()[:size])
    return copy


def cuts(data: bytes) -> list[int]:
    """Byte counts after each event, in the middle of each, and one byte short of its end."""
    ends = [0, *(i + 1 for i, byte in enumerate(data) if byte == 10)]
    halves = [(a + b) // 2 for a, b in pairwise(ends)]
    return sorted({*ends, *halves, *(e - 1 for e in ends[1:])})


@pytest.mark.parametrize("story", STORIES)
async def test_a_kill_anywhere_changes_nothing(tmp_path: Path, story: str) -> None:
    lines, spec = STORIES[story]
    whole = world(tmp_path / "whole", spec)
    end = await whole.run(script(*lines), pages())
    expected = whole.bodies()
    for size in cuts(whole.store.path(whole.log).read_bytes()):
        copy = killed_after(whole, tmp_path / str(size), spec, size)
        model = script(*lines)
        assert await copy.run(model, pages()) == end
        assert copy.bodies() == expected
        seal = read_seal(copy.store, copy.run_id, 1)
        assert seal is not None
        assert seal.n_events == len(expected)
        shutil.rmtree(copy.root)


async def test_a_kill_after_every_resume_still_comes_to_the_same_end(tmp_path: Path) -> None:
    lines, _ = STORIES["whole"]
    whole = World(tmp_path / "whole")
    await whole.run(script(*lines), pages())
    world = World(tmp_path / "cut")
    rounds = 0
    while read_seal(world.store, world.run_id, 1) is None:
        rounds += 1
        await killed_by_the_log(world, lines, after=1)
    assert world.bodies() == whole.bodies()
    assert rounds > 10


async def killed_by_the_log(world: World, lines: list[Line], after: int) -> None:
    """Run until the log takes no more than `after` writes: the next one fails as a kill would."""

    class Kill(BaseException):
        pass

    written = 0
    real = EventLog.append

    def append(self: EventLog, *bodies: object) -> None:
        nonlocal written
        written += 1
        if written > after:
            raise Kill
        real(self, *bodies)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EventLog, "append", append)
        try:
            await world.run(script(*lines), pages())
        except Kill:
            return


@pytest.mark.parametrize("story", ["whole", "files", "delegation", "clarified", "re-prompted"])
async def test_a_resumed_model_sees_the_bytes_it_would_have_seen(
    tmp_path: Path, story: str
) -> None:
    lines, spec = STORIES[story]
    first = script(*lines)
    whole = world(tmp_path / "whole", spec)
    await whole.run(first, pages())
    for size in cuts(whole.store.path(whole.log).read_bytes()):
        copy = killed_after(whole, tmp_path / str(size), spec, size)
        model = script(*lines)
        await copy.run(model, pages())
        by_number = {r.key.sequence: r for r in first.requests}
        assert all(r == by_number[r.key.sequence] for r in model.requests)


async def test_the_torn_record_is_kept_and_a_notice_given(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines, spec = STORIES["text reply"]
    whole = world(tmp_path / "whole", spec)
    await whole.run(script(*lines), pages())
    data = whole.store.path(whole.log).read_bytes()
    copy = killed_after(whole, tmp_path / "cut", spec, len(data) - 5)
    await copy.run(script(*lines), pages())
    assert "set aside" in caplog.text
    assert copy.store.get(f"{copy.log}.torn-1") == data[:-5].split(b"\n")[-1]


async def test_an_attempt_of_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    lines, spec = STORIES["text reply"]
    whole = world(tmp_path / "whole", spec)
    await whole.run(script(*lines), pages())
    copy = killed_after(whole, tmp_path / "cut", spec, 0)
    begun = read_header(copy.store, copy.run_id, 1)
    assert begun is not None
    other = begun.model_copy(update={"harness_key": "0" * 16, "replicate": 2})
    key = f"{attempt_prefix(copy.run_id, 1)}/header.json"
    copy.store.replace(key, other.to_json().encode())
    with pytest.raises(DamageError, match=f"{key} is that of another run: its harness_key, repl"):
        await copy.run(script(*lines), pages())
    copy.store.replace(key, begun.model_copy(update={"design_sha256": "e" * 64}).to_json().encode())
    assert await copy.run(script(*lines), pages()) is not None
