"""Recorded calls, and models that only repeat them."""

import itertools
from pathlib import Path

import pytest

from draligned.models.calls import CallArchive, body_hash, call_key
from draligned.models.client import OpenAIChatModel
from draligned.models.factory import build_models, close_models
from draligned.models.recording import RecordingModel, is_recorded, record_models
from draligned.models.replay import ReplayModel, replay_models
from draligned.schema.chat import CallKey, ChatReply, ChatRequest, Message, StopReason, Usage
from draligned.schema.config import ModelConfig, ProviderConfig, StudyConfig
from draligned.schema.errors import (
    BadResponse,
    DamageError,
    ProviderError,
    RateLimited,
    ReplayError,
    RequestRefused,
)
from draligned.schema.ids import model_key
from draligned.store.blobs import Blobs
from draligned.store.local import LocalStore

CONFIG = StudyConfig(
    providers={"far": ProviderConfig(base_url="http://127.0.0.1:9/v1", api_key_env="NO_SUCH_KEY")},
    models={"m": ModelConfig(provider="far", model="big", params={"temperature": 0.5})},
)
HASH_OF = body_hash("m", CONFIG.models["m"], CONFIG.providers["far"])


def asked(text: str = "hi", *, sequence: int = 1, attempt: int = 1) -> ChatRequest:
    """One request."""
    return ChatRequest(
        key=CallKey(owner="0123456789abcdef", attempt=attempt, sequence=sequence),
        messages=(Message(role="user", text=text),),
        seed=7,
    )


class Moody:
    """Never says the same thing twice; or fails."""

    name, requested_model = "m", "big"
    key = model_key("big", "far", {"temperature": 0.5})

    def __init__(self, error: Exception | None = None, length: int = 1) -> None:
        self.error, self.length = error, length
        self.said = itertools.count(1)
        self.closed = False

    async def complete(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.complete`."""
        if self.error is not None:
            raise self.error
        return ChatReply(
            message=Message(role="assistant", text=f"No. {next(self.said)} " * self.length),
            stop=StopReason.STOP,
            usage=Usage(input_tokens=3, output_tokens=4),
            requested_model="big",
            echoed_model="big-1",
            request_sha256=HASH_OF(request),
        )

    async def aclose(self) -> None:
        """Close what is not there."""
        self.closed = True


class World:
    """A store with a recording and a replaying model over it."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root)
        self.archive = CallArchive(self.store, Blobs(self.store))

    def recording(self, inner: Moody) -> RecordingModel:
        """A model whose calls are recorded."""
        made = record_models(CONFIG, {"m": inner}, self.archive)["m"]
        assert isinstance(made, RecordingModel)
        return made

    @property
    def replay(self) -> ReplayModel:
        """The model that repeats them."""
        made = replay_models(CONFIG, ["m"], CallArchive(self.store, Blobs(self.store)))["m"]
        assert isinstance(made, ReplayModel)
        return made


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("length", [1, 5000])
async def test_a_replay_repeats_each_call_and_recording_repeats_none(
    world: World, length: int
) -> None:
    model = world.recording(Moody(length=length))
    requests = [asked(sequence=1), asked(sequence=2), asked(attempt=2)]
    replies = [await model.complete(r) for r in requests]
    assert len({r.message.text for r in replies}) == 3
    assert [await world.replay.complete(r) for r in requests] == replies
    assert bool(world.store.list("blobs")) is (length > 1)


async def test_a_call_asked_again_after_a_kill_is_recorded_as_it_then_came(world: World) -> None:
    model = world.recording(Moody())
    await model.complete(asked())
    later = await model.complete(asked())
    assert (later.message.text or "").startswith("No. 2")
    assert await world.replay.complete(asked()) == later


async def test_what_was_not_recorded_is_refused_by_name(world: World) -> None:
    with pytest.raises(
        ReplayError, match="call 1 of 0123456789abcdef to model 'm' was not"
    ) as miss:
        await world.replay.complete(asked())
    assert miss.value.key == call_key(asked().key)


async def test_another_body_is_refused_by_name(world: World) -> None:
    await world.recording(Moody()).complete(asked())
    changes = [
        asked("ho"),
        asked().model_copy(update={"seed": 8, "json_mode": True}),
        asked().model_copy(update={"max_output_tokens": 5}),
    ]
    for changed in changes:
        with pytest.raises(ReplayError, match="for another request") as found:
            await world.replay.complete(changed)
        assert call_key(changed.key) in str(found.value)
    assert (await world.replay.complete(asked())).message.text


@pytest.mark.parametrize(
    "error",
    [
        RequestRefused("no such thing", status=400),
        BadResponse("nonsense", status=200),
        ProviderError("gone (after 4 tries)", status=503),
        ProviderError("no answer", status=None),
    ],
    ids=repr,
)
async def test_failures_for_good_are_repeated(world: World, error: ProviderError) -> None:
    with pytest.raises(type(error)):
        await world.recording(Moody(error)).complete(asked())
    with pytest.raises(ProviderError) as again:
        await world.replay.complete(asked())
    assert type(again.value) is type(error)
    assert (str(again.value), again.value.status) == (str(error), error.status)
    with pytest.raises(ReplayError):
        await world.replay.complete(asked("other"))


async def test_a_wait_that_leaves_the_cell_open_is_not_recorded(world: World) -> None:
    with pytest.raises(RateLimited):
        await world.recording(Moody(RateLimited("later", status=429))).complete(asked())
    with pytest.raises(ReplayError):
        await world.replay.complete(asked())


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"key": 1}'], ids=repr)
async def test_damage_is_named(world: World, damage: bytes) -> None:
    await world.recording(Moody()).complete(asked())
    key = call_key(asked().key)
    world.store.replace(key, damage)
    with pytest.raises(DamageError, match=key):
        await world.replay.complete(asked())


async def test_a_record_of_another_call_or_without_its_blob_is_damage(world: World) -> None:
    await world.recording(Moody(length=5000)).complete(asked())
    key, other = call_key(asked().key), call_key(asked(sequence=2).key)
    data = world.store.get(key)
    assert data is not None
    world.store.replace(other, data)
    with pytest.raises(DamageError, match=f"{other}: holds another call"):
        await world.replay.complete(asked(sequence=2))
    world.store.path(world.store.list("blobs")[0]).unlink()
    with pytest.raises(DamageError, match=f"{key}: blob .* is missing"):
        await world.replay.complete(asked())


def test_all_but_the_rehearsal_apps_models_are_recorded_by_default() -> None:
    assert is_recorded(CONFIG, "m")
    assert not is_recorded(CONFIG, "rehearsal-a")
    for choice in (True, False):
        run = CONFIG.run.model_copy(update={"record_models": choice})
        config = CONFIG.model_copy(update={"run": run})
        assert is_recorded(config, "m") is is_recorded(config, "rehearsal-a") is choice


async def test_a_recording_model_is_the_model_and_is_closed_with_it(world: World) -> None:
    inner = Moody()
    model = world.recording(inner)
    assert (model.name, model.key, model.requested_model) == ("m", inner.key, "big")
    assert (world.replay.name, world.replay.key, world.replay.requested_model) == (
        "m", inner.key, "big",
    )  # fmt: skip
    await close_models([model, world.replay])
    assert inner.closed


def test_the_key_is_that_of_the_model_itself() -> None:
    real = build_models(CONFIG, ["m"], purpose="agent", record=lambda _: None)["m"]
    assert isinstance(real, OpenAIChatModel)
    assert real.key == Moody.key
