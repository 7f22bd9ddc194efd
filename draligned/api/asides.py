"""Sentinels of a study: planned, asked among its reads, stored apart."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from draligned.api.context import Context
from draligned.evaluators.orientation import Work
from draligned.evaluators.render import Packet
from draligned.evaluators.sentinels import Sentinel, sentinel_table, sentinel_work, sentinels
from draligned.schema.design import Lang
from draligned.schema.packets import ReadRecord
from draligned.study.plan import PlanEvaluator
from draligned.study.reads import ReadsOf, iter_reads


@dataclass(frozen=True)
class Asides:
    """What is asked beside the study's own packets, in the language of its protocol."""

    context: Context
    lang: Lang

    def planned(self, evaluator: PlanEvaluator, n_reads: int) -> tuple[Sentinel, ...]:
        """The sentinels that go with so many planned reads of one evaluator."""
        share = self.context.config.controls.sentinel_share
        made = sum(1 for _ in self.records(evaluator.evaluator_id))
        return sentinels(self.lang, n_reads, share, made)

    def work(self, evaluator: PlanEvaluator, n_reads: int) -> tuple[Work, ...]:
        """Their reads, in order of waves."""
        found = self.planned(evaluator, n_reads)
        self._known.update((s.unit.unit.packet_id, s) for s in found)
        return sentinel_work(found, evaluator.evaluator_id)

    @cached_property
    def _known(self) -> dict[str, Sentinel]:
        return {}

    def packet(self, work: Work) -> Packet:
        """The packet of a read that `work` planned."""
        return self._known[work.unit.packet_id].unit.packet(work.read.alpha)

    def records(self, evaluator_id: str) -> Iterator[ReadRecord]:
        """Reads of sentinels that are stored."""
        return iter_reads(self.context.folder.store, evaluator_id, ReadsOf.SENTINELS)

    def table(self, asked: Iterable[tuple[PlanEvaluator, int]]) -> pd.DataFrame:
        """`frames.SENTINELS` of evaluators with so many planned reads."""
        rows = [(e.name, e.evaluator_id, self.planned(e, n)) for e, n in asked]
        return sentinel_table(rows, self.records)
