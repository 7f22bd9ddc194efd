"""Making the planned reads that are still open: claimed, bounded, each stored once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from draligned.evaluators.orientation import Work
from draligned.evaluators.protocol import Protocol
from draligned.evaluators.read import read_packet
from draligned.evaluators.render import Packet
from draligned.models.protocol import ChatModel
from draligned.study.claims import Claims
from draligned.study.folder import StudyFolder
from draligned.study.reads import ReadsOf, iter_reads, put_read, read_key
from draligned.study.work import HELD, Progress, WorkSummary, work_through


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Who reads what, and where it is stored. `models` and `protocols` go by evaluator id."""

    folder: StudyFolder
    claims: Claims
    models: Mapping[str, ChatModel]
    protocols: Mapping[str, Protocol]
    packet_of: Callable[[Work], Packet]
    heard: set[str] = field(default_factory=set)
    """Evaluators that have answered a packet of this study."""

    def open_work(self, work: Sequence[Work]) -> list[Work]:
        """The planned reads that are not stored yet, in the order given."""
        return [w for w in work if not self.folder.store.exists(_key(w))]

    async def make(
        self, work: Sequence[Work], *, concurrency: int, progress: Progress
    ) -> WorkSummary:
        """Make `work`, waiting at the end for reads that another process makes."""
        return await work_through(
            work, self._one, concurrency=concurrency, progress=progress, label="reads"
        )

    async def _one(self, work: Work) -> str | None:
        cell = f"{_CELLS[work.of]}-{work.evaluator_id}-{work.unit.packet_id}-{work.read.role.value}"
        async with self.claims.held(cell) as mine:
            if not mine:
                return HELD
            if not self.folder.store.exists(_key(work)):
                await self._read(work)
        self.claims.forget(cell)
        return None

    async def _read(self, work: Work) -> None:
        result = await read_packet(
            self.models[work.evaluator_id],
            work.unit,
            self.packet_of(work),
            work.read,
            self.protocols[work.evaluator_id],
            evaluator_id=work.evaluator_id,
            heard=lambda: self._heard(work.evaluator_id),
        )
        if result.reply is not None:
            self.heard.add(work.evaluator_id)
        self.folder.blobs.put(result.rendered)
        if result.reply is not None:
            self.folder.blobs.put(result.reply)
        put_read(self.folder.store, result.record, work.of)

    def _heard(self, evaluator_id: str) -> bool:
        if evaluator_id not in self.heard and any(
            read.reply_sha256 is not None for read in iter_reads(self.folder.store, evaluator_id)
        ):
            self.heard.add(evaluator_id)
        return evaluator_id in self.heard


def _key(work: Work) -> str:
    return read_key(work.evaluator_id, work.unit.packet_id, work.read.role, work.of)


_CELLS = {ReadsOf.STUDY: "read", ReadsOf.SENTINELS: "sentinel", ReadsOf.GOLD: "gold"}
