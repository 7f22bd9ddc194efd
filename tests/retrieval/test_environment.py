"""Live, recorded and replayed answers of one environment."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from draligned.retrieval.archive import Archive
from draligned.retrieval.environment import Environment
from draligned.schema.errors import DamageError, ReplayError
from draligned.schema.retrieval import TRANSIENT, ReturnStatus
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

from .sources import Fickle

LASTING = sorted(set(ReturnStatus) - TRANSIENT)
URL = "https://a.example/页"


class World:
    """A store, and environments over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = LocalStore(root)
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    @property
    def archive(self) -> Archive:
        """A fresh archive, as another process has it."""
        return Archive(self.store, Blobs(self.store))

    def recording(self, source: Fickle, name: str = "env") -> Environment:
        """A recording environment, as another process has it."""
        return Environment(
            name, "record", source=source, archive=self.archive, clock=lambda: self.now
        )

    def replay(self, name: str = "env") -> Environment:
        """A replaying one."""
        return Environment(name, "replay", archive=self.archive, clock=lambda: self.now)

    def recorded(self) -> list[str]:
        """Keys of recorded answers."""
        return list(self.store.list("retrieval"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_live_asks_each_time_and_knows_no_hits() -> None:
    retrieval = Environment("env", "live", source=Fickle()).bound("study", "r1")
    one, two = await retrieval.search("a"), await retrieval.search("a")
    assert one.answer != two.answer
    assert one[1:] == two[1:] == (None, None, None)


async def test_a_recorded_answer_is_everybodys_with_its_age_and_first_fetcher(world: World) -> None:
    source = Fickle()
    first = await world.recording(source).bound("study", "p").read(URL)
    assert first[1:] == (False, 0.0, "p")
    world.now += timedelta(seconds=90)
    again = await world.recording(source).bound("study", "q").read(URL)
    assert again.answer == first.answer
    assert len(again.answer.text) > 2000
    assert again[1:] == (True, 90.0, "p")
    assert source.asked.total() == 1
    replayed = await world.replay().bound("study", "r").read(URL)
    assert replayed == again


async def test_the_answer_carries_the_text_that_was_asked(world: World) -> None:
    source = Fickle()
    retrieval = world.recording(source).bound("study", "p")
    spellings = [URL, f" {URL}\n", "HTTPS://A.example:443/%e9%a1%b5#top"]
    answers = [(await retrieval.read(url)).answer for url in spellings]
    assert [answer.request for answer in answers] == spellings
    assert len({answer.text for answer in answers}) == 1
    await retrieval.search("a")
    await retrieval.search("a ")
    assert source.asked == {("read", URL): 1, ("search", "a"): 1, ("search", "a "): 1}


async def test_tools_scopes_and_environments_are_apart(world: World) -> None:
    source = Fickle(salt="!")
    environment, other = world.recording(source), world.recording(source, "env-2")
    texts = [
        (await environment.bound("one", "p").read("x")).answer.text,
        (await environment.bound("two", "p").read("x")).answer.text,
        (await other.bound("one", "p").read("x")).answer.text,
    ]
    assert len(set(texts)) == 3
    await environment.bound("one", "p").search("x")
    assert {key.rsplit("/", 1)[0] for key in world.recorded()} == {
        "retrieval/env/one", "retrieval/env/two", "retrieval/env-2/one",
    }  # fmt: skip
    assert len(world.recorded()) == 4


@pytest.mark.parametrize("status", LASTING, ids=str)
async def test_lasting_answers_are_recorded(world: World, status: ReturnStatus) -> None:
    source = Fickle(statuses=[status])
    for run in ("p", "q"):
        served = await world.recording(source).bound("study", run).search("a")
        assert served.answer.status is status
    assert source.asked.total() == 1


@pytest.mark.parametrize("status", sorted(TRANSIENT), ids=str)
async def test_failures_of_the_moment_are_not(world: World, status: ReturnStatus) -> None:
    source = Fickle(statuses=[status, status])
    retrieval = world.recording(source).bound("study", "p")
    for _ in range(2):
        served = await retrieval.search("a")
        assert (served.answer.status, *served[1:]) == (status, False, None, None)
    assert world.recorded() == []
    assert (await retrieval.search("a")).answer.status is ReturnStatus.OK
    assert len(world.recorded()) == 1


async def test_a_replay_meets_the_failures_that_its_run_met(world: World) -> None:
    """Two requests of one run for one page: the first fails three times, the second once."""
    source = Fickle(statuses=[ReturnStatus.ERROR] * 3 + [ReturnStatus.BLOCKED])
    recording, replay = (e.bound("study", "p") for e in (world.recording(source), world.replay()))
    for _ in range(3):
        failed = await recording.numbered(1).read(URL)
    assert (await recording.numbered(2).read(URL)).answer.status is ReturnStatus.BLOCKED
    found = await recording.numbered(2).read(URL)
    for _ in range(2):
        assert (await replay.numbered(1).read(URL)).answer == failed.answer
    assert failed.answer.status is ReturnStatus.ERROR
    assert (await replay.numbered(2).read(URL)).answer == found.answer
    other = world.replay().bound("study", "q")
    assert (await other.numbered(1).read(URL)).answer == found.answer


async def test_a_request_asked_again_after_a_kill_is_replayed_as_it_then_went(
    world: World,
) -> None:
    """Each recording environment is a process of its own; only the last one logged."""
    source = Fickle(statuses=[ReturnStatus.ERROR] * 3)
    for _ in range(3):
        await world.recording(source).bound("study", "p").numbered(1).read(URL)
    healed = await world.recording(source).bound("study", "p").numbered(1).read(URL)
    assert healed.answer.status is ReturnStatus.OK
    replayed = await world.replay().bound("study", "p").numbered(1).read(URL)
    assert replayed.answer == healed.answer


async def test_a_replay_misses_by_name_and_has_no_source(world: World) -> None:
    replay = world.replay().bound("study", "p")
    with pytest.raises(ReplayError, match="nothing was recorded for search 'a'") as missed:
        await replay.search("a")
    await world.recording(Fickle()).bound("study", "p").search("a")
    assert missed.value.key == world.recorded()[0]
    assert missed.value.key in str(missed.value)
    assert (await replay.search("a")).environment_hit is True


async def test_a_replay_in_another_environment_says_which_are_recorded(world: World) -> None:
    await world.recording(Fickle(), "env-1").bound("study", "p").search("q")
    with pytest.raises(ReplayError, match=r"recorded is env-1, not env-2, which"):
        await world.replay("env-2").bound("study", "p").search("q")
    with pytest.raises(ReplayError) as found:
        await world.replay("env-1").bound("study", "p").search("another")
    assert "recorded is" not in str(found.value)


async def test_sixty_four_at_once_get_the_same_bytes_of_one_fetch(world: World) -> None:
    source = Fickle(seconds=0.01)
    environment = world.recording(source)
    runs = [environment.bound("study", f"r{n}") for n in range(64)]
    served = await asyncio.gather(
        *(run.read(URL) for run in runs), *(run.search("a") for run in runs)
    )
    for part in (served[:64], served[64:]):
        assert len({one.answer.to_json() for one in part}) == 1
        assert len({one.first_fetcher for one in part}) == 1
        assert [one.environment_hit for one in part].count(False) == 1
    assert source.most_at_once == 1
    assert source.asked.total() == 2


async def test_two_processes_at_once_serve_what_was_stored_first(world: World) -> None:
    slow, fast = Fickle(seconds=0.05, salt="slow"), Fickle(seconds=0.01, salt="fast")
    served = await asyncio.gather(
        world.recording(slow).bound("study", "p").read(URL),
        world.recording(fast).bound("study", "q").read(URL),
    )
    assert slow.asked.total() == fast.asked.total() == 1
    assert served[0].answer == served[1].answer
    assert "fast" in served[0].answer.text
    assert [(one.environment_hit, one.first_fetcher) for one in served] == [
        (True, "q"), (False, "q"),
    ]  # fmt: skip


async def test_a_cancelled_fetcher_hands_over(world: World) -> None:
    source = Fickle(seconds=0.02)
    environment = world.recording(source)
    first, second = (
        asyncio.create_task(environment.bound("study", run).read(URL)) for run in ("p", "q")
    )
    await asyncio.sleep(0.005)
    first.cancel()
    served = await second
    assert first.cancelled()
    assert served.answer.status is ReturnStatus.OK
    assert (source.asked.total(), source.cancelled) == (1, 0)
    assert (await world.replay().bound("study", "q").read(URL)).answer == served.answer


async def test_all_cancelled_leave_nothing_and_nothing_runs_on(world: World) -> None:
    source = Fickle(seconds=60)
    tasks = [asyncio.create_task(world.recording(source).bound("s", "p").read(URL)) for _ in "ab"]
    await asyncio.sleep(0.005)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert source.cancelled == 2
    assert world.recorded() == []
    assert len(asyncio.all_tasks()) == 1


def _other_request(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace("a.example", "b.example"), "utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "not a RecordedAnswer"),
        (lambda path: path.write_bytes(b""), "not a RecordedAnswer"),
        (_other_request, "holds the answer to another request"),
    ],
)
async def test_a_damaged_record_is_named(
    world: World, damage: Callable[[Path], None], said: str
) -> None:
    await world.recording(Fickle()).bound("study", "p").read(URL)
    (key,) = world.recorded()
    damage(world.store.path(key))
    for environment in (world.replay(), world.recording(Fickle())):
        with pytest.raises(DamageError, match=said) as found:
            await environment.bound("study", "q").read(URL)
        assert key in str(found.value)


@pytest.mark.parametrize("utc", ["yesterday", "2026-01-01", "2026-01-01T00:00:00", ""])
async def test_a_record_without_a_time_is_damage(world: World, utc: str) -> None:
    await world.recording(Fickle()).bound("study", "p").search("q")
    (key,) = world.recorded()
    told = json.loads(world.store.get(key) or b"")
    world.store.replace(key, json.dumps(told | {"fetched_utc": utc}).encode())
    with pytest.raises(DamageError, match=key):
        await world.replay().bound("study", "q").search("q")


async def test_a_clock_that_jumps_back_makes_no_negative_age(world: World) -> None:
    recording = world.recording(Fickle()).bound("study", "p")
    first = await recording.read(URL)
    world.now -= timedelta(days=3)
    assert (first.age_seconds, (await recording.read(URL)).age_seconds) == (0.0, 0.0)
    assert (await world.replay().bound("study", "q").read(URL)).answer == first.answer


async def test_a_damaged_text_is_named_by_its_record(world: World) -> None:
    await world.recording(Fickle()).bound("study", "p").read(URL)
    (key,) = world.recorded()
    (blob,) = world.store.list("blobs")
    world.store.path(blob).unlink()
    with pytest.raises(DamageError, match=f"{key}: blob .* is missing"):
        await world.replay().bound("study", "q").read(URL)
