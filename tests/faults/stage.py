"""Many episodes against the failing provider, each run again until it has ended."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from draligned.harnesses.attempts import next_attempt
from draligned.harnesses.episode import run_episode
from draligned.models.factory import build_models, close_models
from draligned.models.protocol import ChatModel
from draligned.schema.base import short_id, unit_draw
from draligned.schema.chat import CallKey
from draligned.schema.config import AttemptPolicy, ModelConfig, ProviderConfig, StudyConfig
from draligned.schema.design import Assigned, Condition, Lang
from draligned.schema.errors import ProviderError
from draligned.schema.events import RunHeader
from draligned.schema.harness import EpisodeBudget, HarnessSpec
from draligned.schema.ids import seed_of
from draligned.schema.labels import Channel, Observes, Side
from draligned.store.blobs import Blobs
from draligned.study.ledger import Ledger, lost_call

from .weather import FullDisk, Storm
from .wires import WIRES, Wire

ROOT = Path(__file__).parents[2]
KEY_NAME, KEY = "FAULTS_KEY", "sk-faults-0d1f6c2b9a7e4835"
TRIES = 3
ROUNDS = 16
"""How often an episode is run again before it counts as open for good."""
TIMEOUT = 6.0
BUDGETS = (
    EpisodeBudget(decisions=5, tools=9, acquisition=6, output_tokens=2_000),
    EpisodeBudget(decisions=9, tools=5, acquisition=5, output_tokens=2_000),
    EpisodeBudget(decisions=9, tools=14, acquisition=3, output_tokens=2_000),
    EpisodeBudget(decisions=12, tools=20, acquisition=12, output_tokens=400),
    EpisodeBudget(decisions=30, tools=60, acquisition=40, output_tokens=9_000),
)
POLICY = AttemptPolicy(
    tries=TRIES, backoff_seconds=0.002, backoff_cap_seconds=0.01, retry_after_cap_seconds=0.012,
    timeout_seconds=TIMEOUT,
)  # fmt: skip


@contextmanager
def provider(seed: int, notes: Path, *, calm: bool = False) -> Iterator[str]:
    """The failing provider as a process of its own; its base URL."""
    words = [str(seed), str(notes), *(["calm"] if calm else [])]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.server", *words],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def settings(url: str, wires: Sequence[Wire] = WIRES) -> StudyConfig:
    """One provider and one model a wire."""
    return StudyConfig(
        providers={
            wire.name: ProviderConfig(
                base_url=url, api_key_env=KEY_NAME, concurrency=32, send_seed=True,
                api=wire.api, stream=wire.stream, attempts=POLICY,  # type: ignore[arg-type]
                reasoning_content="echo" if wire.stream else "drop",
            )
            for wire in wires
        },
        models={wire.name: ModelConfig(provider=wire.name, model=wire.name) for wire in wires},
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One planned episode, and what will befall it beside its provider."""

    number: int
    spec: HarnessSpec
    wire: Wire
    condition: Condition
    cancelled_at: int | None
    """The request in which the episode is cancelled, once."""

    @property
    def run_id(self) -> str:
        """Identity."""
        return short_id("faults", self.number)

    def header(self, model: ChatModel, attempt: int) -> RunHeader:
        """The header of an attempt."""
        return RunHeader(
            run_id=self.run_id,
            attempt=attempt,
            condition_id=self.condition.condition_id,
            design_sha256="d" * 64,
            model_name=model.name,
            model_key=model.key,
            requested_model=model.requested_model,
            harness_name=self.spec.name,
            harness_key=self.spec.key,
            environment="storm",
            replicate=1,
            observes={c: Observes.FULL for c in Channel if c is not Channel.CONTROL},
            rehearsal=False,
            started_utc="2026-01-01T00:00:00.000+00:00",
            versions={},
        )


def cell(number: int, seed: int, specs: Sequence[HarnessSpec], wires: Sequence[Wire]) -> Cell:
    """The n-th episode: harnesses and wires in turn, the rest drawn."""

    def one(name: str, of: int) -> int:
        return int(unit_draw(seed, "cell", number, name) * of)

    spec = specs[number % len(specs)]
    budget = BUDGETS[one("budget", len(BUDGETS))]
    return Cell(
        number=number,
        spec=spec.model_copy(update={"budget": budget}),
        wire=wires[number // len(specs) % len(wires)],
        condition=condition(number, spec.scripted_turns),
        cancelled_at=1 + one("which", 3) if one("cancel", 100) < 4 else None,
    )


def condition(number: int, scripted: int) -> Condition:
    """A condition whose user message names the episode."""
    lang: Lang = "zh" if number % 3 else "en"
    task, about = ("任务：\n", "用户情况：\n") if lang == "zh" else ("Task:\n", "About the user:\n")
    turns = (f"{task}ep-{number}", f"{about}{{杭州}} %s {number}")
    return Condition(
        task_id=str(number),
        user_id="User1",
        lang=lang,
        assigned=(Assigned(factor_id="f" * 16, side=Side.P),),
        system="研究助手。之后不会再有用户回复。",
        turns=turns if scripted else ("\n\n".join(turns),),
    )


@dataclass
class Company:
    """All episodes of one study folder, and what is known of them from outside."""

    store: FullDisk
    models: dict[str, ChatModel]
    seed: int
    calm: bool = False
    """Whether the same is answered whenever the same is asked."""
    rounds: int = ROUNDS
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    """Why runs were left open, by run."""
    reissued: list[CallKey] = field(default_factory=list)

    async def run(self, cells: Sequence[Cell], concurrency: int) -> None:
        """Run every episode until it has ended, or stays open again and again."""
        places = asyncio.Semaphore(concurrency)

        async def one(planned: Cell) -> None:
            async with places:
                await self._to_its_end(planned)

        async with asyncio.TaskGroup() as group:
            for planned in cells:
                group.create_task(one(planned))

    async def _to_its_end(self, planned: Cell) -> None:
        why = self.reasons.setdefault(planned.run_id, Counter())
        for _ in range(self.rounds):
            try:
                attempt = next_attempt(self.store, planned.run_id)
                if attempt is None:
                    return
                reason = await self._once(planned, attempt)
            except (OSError, ProviderError) as error:
                reason = type(error).__name__
            if reason is not None:
                why[reason] += 1

    async def _once(self, planned: Cell, attempt: int) -> str | None:
        """One call of the harness; the reason if the episode stays open."""
        model = self.models[planned.wire.name]
        running = asyncio.ensure_future(
            run_episode(
                planned.spec,
                planned.condition,
                planned.header(model, attempt),
                model=model,
                retrieval=self._retrieval(planned, lambda: running.cancel()),
                store=self.store,
                blobs=Blobs(self.store),
                seed=seed_of(planned.run_id),
                retry_waits=(0.0, 0.0),
                reissued=self._note_reissued,
            )
        )
        try:
            end = await running
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            assert not task.cancelling()
            return "cancelled"
        return "waiting" if end is None else None

    def _retrieval(self, planned: Cell, cancel: Any) -> Storm:
        once = self.reasons[planned.run_id]["cancelled"]
        left = planned.cancelled_at if not once else None

        def told(_: str) -> None:
            nonlocal left
            left = None if left is None else left - 1
            if left == 0:
                cancel()

        return Storm(self.seed, steady=self.calm, on_request=told)

    def _note_reissued(self, key: CallKey) -> None:
        self.reissued.append(key)
        Ledger(self.store).record(lost_call(key, "p", "m"))


async def played(
    root: Path,
    url: str,
    cells: Sequence[Cell],
    *,
    seed: int,
    full: float,
    concurrency: int,
    calm: bool = False,
    rounds: int = ROUNDS,
) -> Company:
    """All episodes run to their ends; `full` is the share of writes that find no room."""
    os.makedirs(root, exist_ok=True)
    store = FullDisk(root, seed, lambda key: full)
    models = build_models(
        settings(url), [w.name for w in WIRES], purpose="agent", record=Ledger(store).record
    )
    company = Company(store, models, seed, calm, rounds)
    try:
        await company.run(cells, concurrency)
    finally:
        await close_models(models.values())
    return company
