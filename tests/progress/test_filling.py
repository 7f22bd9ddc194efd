"""Running a lane: nothing is lost or doubled; what cannot be scored says why (SI-44 … SI-47)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from draligned.progress import lanes
from draligned.progress.designs import design
from draligned.progress.filling import fill, open_positions, positions, precheck
from draligned.schema.chat import ChatReply, ChatRequest, Message, StopReason, ToolCall, Usage
from draligned.schema.errors import ConfigError, DamageError, ProviderError, RequestRefused
from draligned.schema.progress import Lane, ReplyStatus, StageDesign
from draligned.store.local import LocalStore
from draligned.study.claims import Claims
from draligned.study.work import WorkSummary

Say = Callable[[ChatRequest], ChatReply]


def said(text: str | None = "好。", *, echo: str | None = "m-1", calls: int = 0) -> ChatReply:
    made = tuple(
        ToolCall(call_id=f"c{n}", name="ping", arguments='{"word": "1"}') for n in range(calls)
    )
    return ChatReply(
        message=Message(role="assistant", text=text, tool_calls=made),
        stop=StopReason.STOP, usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="m-1", echoed_model=echo, request_sha256="0" * 64,
    )  # fmt: skip


class Scripted:
    """A model that says what a function says, and counts how often it was asked what."""

    name, key, requested_model = "m", "model-1", "m-1"

    def __init__(self, say: Say) -> None:
        self.say = say
        self.owners: list[str] = []
        self.seeds: list[int | None] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.owners.append(request.key.owner)
        self.seeds.append(request.seed)
        return self.say(request)


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


@pytest.fixture(scope="module")
def small() -> StageDesign:
    whole = design("bundle")
    return whole.model_copy(update={"stimuli": whole.stimuli[:4], "repetitions": 3})


LANE = Lane(
    design="bundle", deployment="m", model_key="model-1", requested_model="m-1", provider="p",
    params={}, aliases=("m-latest",), rehearsal=False, probes=(), needed=18,
)  # fmt: skip


async def filled(
    store: LocalStore, known: StageDesign, model: Scripted, limit: int | None = None
) -> WorkSummary:
    return await fill(
        store, Claims(store), known, LANE, {"": model}, limit=limit, concurrency=4,
        progress=lambda *_: None,
    )  # fmt: skip


def replies(store: LocalStore) -> Path:
    return store.path("progress/bundle/lanes/model-1/replies.jsonl")


def stored(store: LocalStore) -> list[str]:
    return [r.position.position_id for r in lanes.iter_replies(store, "bundle", "model-1")]


async def test_every_position_is_asked_once_by_its_own_seed(
    store: LocalStore, small: StageDesign
) -> None:
    model = Scripted(lambda _: said())
    summary = await filled(store, small, model)
    planned = positions(small, LANE)
    assert (summary.done, summary.left_open, len(planned)) == (12, 0, 12)
    assert sorted(model.owners) == sorted(stored(store)) == sorted(p.position_id for p in planned)
    assert sorted(model.seeds) == sorted([1, 2, 3] * 4)
    assert (await filled(store, small, model)).done == 0
    assert len(model.owners) == 12


async def test_a_kill_in_mid_line_loses_that_reply_alone(
    store: LocalStore, small: StageDesign
) -> None:
    """What was torn is set aside and asked again; what stands is not."""
    model = Scripted(lambda _: said())
    await filled(store, small, model, limit=5)
    file = replies(store)
    whole = file.read_bytes()
    lost = whole.splitlines()[-1]
    file.write_bytes(whole[:-20])
    assert len(stored(store)) == 4
    assert len(open_positions(store, small, LANE)) == 8
    summary = await filled(store, small, model)
    assert (summary.done, summary.left_open) == (8, 0)
    assert len(set(stored(store))) == len(stored(store)) == 12
    assert file.with_name("replies.jsonl.torn-1").read_bytes() == (lost + b"\n")[:-20]
    assert sorted({model.owners.count(p) for p in set(model.owners)}) == [1, 2]


async def test_beyond_a_limit_all_is_open(store: LocalStore, small: StageDesign) -> None:
    model = Scripted(lambda _: said())
    summary = await filled(store, small, model, limit=5)
    assert (summary.done, summary.left_open) == (5, 7)
    assert summary.stopped == "the limit of 5 is reached"
    last = await filled(store, small, model, limit=7)
    assert (last.done, last.left_open, last.stopped) == (7, 0, None)


async def test_a_lane_that_another_fills_is_left_alone(
    store: LocalStore, small: StageDesign
) -> None:
    model = Scripted(lambda _: said())
    async with Claims(store).held("progress-bundle-model-1") as mine:
        assert mine
        with pytest.raises(ConfigError, match="m: another process is filling bundle"):
            await filled(store, small, model)
    assert model.owners == []
    assert (await filled(store, small, model)).done == 12


def refuse(_: ChatRequest) -> ChatReply:
    raise RequestRefused("no", status=400)


async def test_a_refused_position_is_closed_without_a_score(
    store: LocalStore, small: StageDesign
) -> None:
    model = Scripted(refuse)
    assert (await filled(store, small, model)).done == 12
    found = list(lanes.iter_replies(store, "bundle", "model-1"))
    assert {(r.status, r.text) for r in found} == {(ReplyStatus.TRANSPORT, None)}
    assert all(r.detail.startswith("RequestRefused: ") for r in found)


def lose(_: ChatRequest) -> ChatReply:
    raise ProviderError("no answer")


async def test_a_provider_that_does_not_answer_leaves_positions_open(
    store: LocalStore, small: StageDesign
) -> None:
    summary = await filled(store, small, Scripted(lose))
    assert (summary.done, summary.left_open) == (0, 12)
    assert summary.stopped is not None
    assert "calls failed in a row" in summary.stopped
    assert stored(store) == []
    assert (await filled(store, small, Scripted(lambda _: said()))).done == 12


@pytest.mark.parametrize("status", [401, 402, 403, 404])
async def test_a_wrong_key_or_name_closes_nothing_and_judges_nobody(
    store: LocalStore, small: StageDesign, status: int
) -> None:
    def unknown(_: ChatRequest) -> ChatReply:
        raise RequestRefused("who?", status=status)

    with pytest.raises(RequestRefused):
        await precheck(store, LANE, Scripted(unknown))
    assert (await filled(store, small, Scripted(unknown))).left_open == 12
    assert stored(store) == []


@pytest.mark.parametrize(
    ("echo", "status"),
    [
        ("m-1", ReplyStatus.OK), ("m-latest", ReplyStatus.OK), (None, ReplyStatus.OK),
        ("m-2", ReplyStatus.IDENTITY),
    ],
)  # fmt: skip
async def test_another_model_that_answers_is_not_scored(
    store: LocalStore, small: StageDesign, echo: str | None, status: ReplyStatus
) -> None:
    await filled(store, small, Scripted(lambda _: said(echo=echo)), limit=1)
    (found,) = lanes.iter_replies(store, "bundle", "model-1")
    assert found.status is status
    assert found.echoed_model == echo
    assert ("m-2" in found.detail) is (status is ReplyStatus.IDENTITY)


async def test_two_replies_to_one_position_are_damage(
    store: LocalStore, small: StageDesign
) -> None:
    await filled(store, small, Scripted(lambda _: said()), limit=2)
    file = replies(store)
    file.write_bytes(file.read_bytes() + file.read_bytes().splitlines()[0] + b"\n")
    with pytest.raises(DamageError, match="has two replies"):
        stored(store)


def probes(bad: int, what: ChatReply) -> Say:
    """Good answers to all probes but the first few."""

    def say(request: ChatRequest) -> ChatReply:
        return what if request.key.sequence <= bad else said(None, calls=1)

    return say


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (said(None, calls=1, echo="m-2"), "another model is named in the answer"),
        (said(None, calls=1, echo=None), "no model is named in the answer"),
        (said("ping"), "0 readable tool calls, not one"),
        (said(None, calls=2), "2 readable tool calls, not one"),
    ],
)
async def test_18_good_probes_of_20_admit_and_17_do_not(
    store: LocalStore, what: ChatReply, reason: str
) -> None:
    for bad, admitted in ((2, True), (3, False)):
        own = LANE.model_copy(update={"model_key": f"model-{bad}"})
        found = await precheck(store, own, Scripted(probes(bad, what)))
        assert (found.good, len(found.probes), found.admitted) == (20 - bad, 20, admitted)
        assert {p.reason for p in found.probes if not p.good} == {reason}
        assert lanes.find_lane(store, "bundle", own.model_key) == found


async def test_a_precheck_is_frozen_and_refusals_are_bad_probes(store: LocalStore) -> None:
    first = await precheck(store, LANE, Scripted(refuse))
    assert (first.good, first.admitted) == (0, False)
    again = await precheck(store, LANE, Scripted(probes(0, said())))
    assert again == first


async def test_a_precheck_that_no_provider_answers_judges_nobody(store: LocalStore) -> None:
    with pytest.raises(ProviderError):
        await precheck(store, LANE, Scripted(lose))
    assert lanes.find_lane(store, "bundle", "model-1") is None


def test_a_frozen_design_stays_and_a_changed_one_is_damage(
    store: LocalStore, small: StageDesign
) -> None:
    assert lanes.freeze_design(store, small) == small
    other = small.model_copy(update={"repetitions": 9})
    assert lanes.freeze_design(store, other) == small
    assert lanes.frozen_designs(store) == ("bundle",)
    file = store.path("progress/bundle/design.json")
    file.write_text(file.read_text(encoding="utf-8").replace('"repetitions":3', '"repetitions":4'))
    with pytest.raises(DamageError, match="changed after it was frozen"):
        lanes.load_design(store, "bundle")
