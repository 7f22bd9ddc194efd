"""One episode from its frozen first messages to its seal, resumable after any kill (DESIGN §4)."""

import logging
from collections.abc import Callable, Mapping

from draligned.harnesses.compiled import Rules
from draligned.harnesses.context import Entry, Episode
from draligned.harnesses.desk import Desk, OpenWorkspace
from draligned.harnesses.endings import (
    Stop,
    concerns_account,
    conclude,
    failure_of,
    harness_stop,
    stop_of_failure,
    unreached,
)
from draligned.harnesses.graph import CompiledHarness, compile_harness
from draligned.harnesses.opening import first_messages
from draligned.harnesses.sandbox.protocol import Workspace
from draligned.harnesses.tools import RETRY_WAITS, Bench
from draligned.harnesses.transcript import EpisodeState
from draligned.models.protocol import ChatModel
from draligned.retrieval.protocol import Retrieval
from draligned.schema.base import short_id
from draligned.schema.chat import CallKey, Message
from draligned.schema.design import Condition, Lang
from draligned.schema.endings import EpisodeEnd, Outcome
from draligned.schema.errors import (
    DamageError,
    ProviderError,
    RateLimited,
    SpendLimit,
    UserError,
)
from draligned.schema.events import Body, Ended, Opened, RunHeader, Seal, TextReply
from draligned.schema.harness import HarnessSpec
from draligned.store.blobs import Blobs
from draligned.store.protocol import Store
from draligned.study.attempts import (
    attempt_prefix,
    events_key,
    read_header,
    read_seal,
    write_header,
    write_seal,
)
from draligned.study.log import EventLog

_NOTICES = logging.getLogger("draligned.harnesses")


async def run_episode(
    spec: HarnessSpec,
    condition: Condition,
    header: RunHeader,
    *,
    model: ChatModel,
    retrieval: Retrieval,
    store: Store,
    blobs: Blobs,
    seed: int | None,
    lang: Lang | None = None,
    frozen_sha256: str | None = None,
    retry_waits: tuple[float, ...] = RETRY_WAITS,
    reissued: Callable[[CallKey], None] = lambda _: None,
    open_workspace: OpenWorkspace | None = None,
) -> EpisodeEnd | None:
    """Run or continue attempt `header.attempt` of `header.run_id`; its end, or none.

    None: the cell stays open and can be continued (a wait above the cap, a spending
    limit). Cancellation, user errors, damage, a full disk, and refusals that concern the
    account or a provider that never answered are raised, and leave the cell open too.
    Every other exception becomes the outcome `harness_error`. `lang` is that of the
    condition by default, `frozen_sha256` the hash of the design as first frozen if it was
    amended since; `retry_waits` are seconds between tries of broken requests.
    `reissued` is told of a call that was in flight when the episode was left, before it is
    asked again. `open_workspace` starts the sandbox when the first file is touched.
    """
    seal = read_seal(store, header.run_id, header.attempt)
    if seal is not None:
        return seal.end
    harness = compile_harness(spec)
    first = first_messages(condition, harness.rules)
    _write_header(store, header)
    log = _opened_log(store, header)
    state = _folded(log, spec, blobs)
    bench = Bench(
        retrieval=retrieval,
        blobs=blobs,
        lang=lang or condition.lang,
        fence_seed=_fence_seed(header, frozen_sha256 or header.design_sha256),
        desk=Desk(blobs, state.saved, open_workspace or _sandbox),
        user_message=_shared(condition, harness.rules),
        retry_waits=retry_waits,
    )
    episode = Episode(
        header=header,
        condition=condition,
        model=model,
        seed=seed,
        rules=harness.rules,
        bench=bench,
        log=log,
        state=state,
        reissued=reissued,
    )
    try:
        _begin(episode, first)
        return await _finish(harness, episode, store)
    finally:
        await bench.desk.aclose()


async def _sandbox(files: Mapping[str, str]) -> Workspace:
    from draligned.harnesses.sandbox.client import open_workspace

    return await open_workspace(files)


def _write_header(store: Store, header: RunHeader) -> None:
    """Write the header, or check that the attempt was begun as the same run."""
    if write_header(store, header):
        return
    begun = read_header(store, header.run_id, header.attempt)
    fields = ("run_id", "attempt", "condition_id", "model_key", "harness_key", "environment",
              "replicate")  # fmt: skip
    other = [name for name in fields if getattr(begun, name) != getattr(header, name)]
    if other:
        raise DamageError(
            f"{attempt_prefix(header.run_id, header.attempt)}/header.json is that of another "
            f"run: its {', '.join(other)}"
        )


def _fence_seed(header: RunHeader, frozen_sha256: str) -> str:
    """Equal for P and Q of a pair, so that equal requests are answered by equal bytes (DR-17)."""
    return short_id(
        frozen_sha256, header.model_key, header.harness_key, header.environment,
        header.replicate,
    )  # fmt: skip


def _shared(condition: Condition, rules: Rules) -> str | None:
    """What sub-contexts are told of the user, if they may read it (DR-26)."""
    return condition.turns[-1] if "user_message" in rules.delegation.reads else None


def _opened_log(store: Store, header: RunHeader) -> EventLog:
    log = EventLog(store, events_key(header.run_id, header.attempt))
    if log.torn is not None:
        _NOTICES.warning("a torn last record was set aside as %s", log.torn)
    return log


def _folded(log: EventLog, spec: HarnessSpec, blobs: Blobs) -> EpisodeState:
    state = EpisodeState(spec, blobs)
    for event in log.found:
        state.apply(event.body)
    return state


def _begin(episode: Episode, first: tuple[Message, ...]) -> None:
    """Log the first messages, or check that the log began with the same."""
    if not episode.log.n_events:
        episode.record(Entry(Opened(messages=first)))
    elif episode.log.found[0].body != Opened(messages=first):
        raise DamageError(f"the log of run {episode.header.run_id} began with other messages")


async def _finish(harness: CompiledHarness, episode: Episode, store: Store) -> EpisodeEnd | None:
    end = episode.state.end
    if end is None:
        stop = await _stop(harness, episode)
        if stop is None:
            return None
        end = _end(episode, stop)
    seal = Seal(
        run_id=episode.header.run_id,
        attempt=episode.header.attempt,
        n_events=episode.log.n_events,
        last_sha256=episode.log.last_sha256,
        end=end,
    )
    write_seal(store, seal)
    return end


async def _stop(harness: CompiledHarness, episode: Episode) -> Stop | None:
    """Why the episode ends; none if it stays open."""
    try:
        if episode.state.failure is None:
            await harness.run(episode)
    except (RateLimited, SpendLimit):
        return None
    except (UserError, DamageError, OSError, MemoryError):
        raise
    except ProviderError as error:
        if (concerns_account(error) or unreached(error)) and not _has_output(episode):
            raise
        episode.record(Entry(failure_of(error, episode.state.calls)))
    except Exception as error:
        _NOTICES.exception("run %s: the harness failed", episode.header.run_id)
        return harness_stop(error)
    if episode.state.failure is not None:
        return stop_of_failure(episode.state.failure, has_output=_has_output(episode))
    return episode.stop


def _has_output(episode: Episode) -> bool:
    return episode.state.ledger.decisions > 0


def _end(episode: Episode, stop: Stop) -> EpisodeEnd:
    """Log the closing reply, if there is one, and the end, in one write."""
    state, bodies = episode.state, list[Body]()
    reply = state.reply
    if stop.outcome is Outcome.TEXT_REPLY and reply is None:
        text = state.top.closing
        reply = TextReply(
            sequence=state.calls, text_sha256=episode.bench.blobs.put(text), chars=len(text)
        )
        bodies.append(reply)
    end = conclude(
        stop,
        state.submission.text_sha256 if state.submission else None,
        reply.text_sha256 if reply else None,
    )
    episode.record(*(Entry(body) for body in (*bodies, Ended(end=end))))
    return end
