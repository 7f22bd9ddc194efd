"""Qualification of evaluators: the gold set read as a study's packets are, and a verdict."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from draligned.api.context import Context
from draligned.api.limited import Limited
from draligned.api.waiting import wait
from draligned.bench_data.gold import gold_set
from draligned.evaluators.campaign import Campaign
from draligned.evaluators.gold import GOLD_SEED, GoldUnit, gold_units
from draligned.evaluators.judged import judged
from draligned.evaluators.marks import mark_reads, separations
from draligned.evaluators.orientation import ReadPlan, Work, read_id, work_list
from draligned.evaluators.protocol import Protocol, load_protocol
from draligned.evaluators.qualify import Findings, findings
from draligned.models.factory import close_models, is_rehearsal, resolve_model
from draligned.models.spend import SpendGuard
from draligned.schema.base import Record
from draligned.schema.config import ModelsMode
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.labels import CellStatus
from draligned.schema.packets import ReadRecord
from draligned.study.forecast import Asked, Forecast, forecast, used_by
from draligned.study.ledger import read_ledger
from draligned.study.plan import PlanEvaluator, load_plan
from draligned.study.reads import ReadsOf, iter_reads, locked_protocol
from draligned.study.stored import stored
from draligned.study.work import Progress, WorkSummary

if TYPE_CHECKING:
    from draligned.models.protocol import ChatModel

VERDICTS = "qualification/verdicts"
LANGS: tuple[Lang, ...] = ("zh", "en")
_PLAN = ReadPlan(seed=GOLD_SEED, mirrored=True, retest_share=0.0)


class Qualification(Record):
    """A verdict on one evaluator in one language, and all that it rests on."""

    evaluator: str
    """Its name in study.toml."""
    evaluator_id: str
    requested_model: str
    lang: Lang
    gold_sha256: str
    protocol_sha256: str
    n_items: int
    n_reads: int
    n_planned: int
    rehearsal: bool
    """A rehearsal model: no evidence about any language model."""
    findings: Findings


@dataclass(frozen=True, kw_only=True)
class Qualified:
    """What `qualify` did and found."""

    summary: WorkSummary
    verdicts: tuple[Qualification, ...]


@dataclass(frozen=True)
class Candidate:
    """One evaluator before the gold set of one language."""

    context: Context
    evaluator: PlanEvaluator
    lang: Lang

    @cached_property
    def protocol(self) -> Protocol:
        """The one that the study's evaluators are locked to, if it is in this language, else the
        package's own: an evaluator is qualified for what it will be asked."""
        store = self.context.folder.store
        for planned in load_plan(store).ordered_evaluators:
            locked = locked_protocol(store, planned.evaluator_id)
            if locked is not None:
                found = stored(Protocol, locked.encode(), planned.name)
                if found.lang == self.lang:
                    return found
        return load_protocol(self.lang, self.context.config.evaluate.request_mode)

    @cached_property
    def units(self) -> dict[str, GoldUnit]:
        """Gold packets by packet id; another protocol asks anew, under other ids."""
        sha = self.protocol.sha256()
        named = (unit.named("qualify", sha) for unit in gold_units(self.lang))
        return {unit.unit.packet_id: unit for unit in named}

    @property
    def work(self) -> tuple[Work, ...]:
        """Both orientations of every packet, shuffled as a study's reads are."""
        ids = [self.evaluator.evaluator_id]
        planned = work_list([u.unit for u in self.units.values()], ids, _PLAN)
        return tuple(w._replace(of=ReadsOf.GOLD) for w in planned)

    def records(self) -> list[ReadRecord]:
        """Reads of these packets that are stored."""
        store = self.context.folder.store
        found = iter_reads(store, self.evaluator.evaluator_id, ReadsOf.GOLD)
        return [r for r in found if r.packet_id in self.units]

    def verdict(self) -> Qualification:
        """What the stored reads come to; it is stored too, over an earlier one."""
        reads = self.records()
        units = list(self.units.values())
        rehearsal = is_rehearsal(self.context.config, self.evaluator.model)
        marked = [u for u in units if not (rehearsal and u.by_sense)]
        found = findings(
            judged(units, reads, evaluator_id=self.evaluator.evaluator_id, plan=_PLAN),
            list(mark_reads(marked, reads)),
            list(separations(marked, reads)),
            dict(_unreadable(reads)),
            word_matcher=rehearsal,
            complete=len(reads) == len(self.work),
        )
        gold = gold_set(self.lang)
        made = Qualification(
            evaluator=self.evaluator.name,
            evaluator_id=self.evaluator.evaluator_id,
            requested_model=self.evaluator.model.model,
            lang=self.lang,
            gold_sha256=gold.sha256(),
            protocol_sha256=self.protocol.sha256(),
            n_items=gold.n_items,
            n_reads=len(reads),
            n_planned=len(self.work),
            rehearsal=rehearsal,
            findings=found,
        )
        key = f"{VERDICTS}/{self.evaluator.evaluator_id}-{self.lang}.json"
        self.context.folder.store.replace(key, made.to_json().encode() + b"\n")
        return made


def _unreadable(reads: Iterable[ReadRecord]) -> Counter[str]:
    """Reasons of unreadable reads, and of unreadable cells and dropped items in readable ones."""
    counts: Counter[str] = Counter()
    for read in reads:
        if read.void is not None:
            counts[f"read: {read.void.value}"] += 1
            continue
        voids = (c.reason for c in read.cells if c.status is CellStatus.VOID and c.reason)
        counts.update(f"request: {reason.value}" for reason in voids)
        counts.update(f"item dropped: {item.reason}" for item in read.dropped)
    return counts


def candidates(context: Context, name: str, lang: str | None) -> tuple[Candidate, ...]:
    """The evaluator `name` in `lang`, or in both languages. Raises `ConfigError`."""
    if lang is not None and lang not in LANGS:
        raise ConfigError(f"lang is {lang!r}; the gold set is there in zh and en")
    model = resolve_model(context.config, name)
    evaluator = PlanEvaluator(name=name, model=model, mirrored=True)
    return tuple(Candidate(context, evaluator, one) for one in LANGS if lang in (None, one))


async def _read(
    asked: Sequence[Candidate],
    todo: Sequence[Work],
    model: "ChatModel",
    concurrency: int,
    progress: Progress,
) -> WorkSummary:
    """Make reads; a packet knows its language, and with it its protocol."""
    context = asked[0].context
    done: WorkSummary | None = None
    for candidate in asked:
        mine = [w for w in todo if w.unit.packet_id in candidate.units]
        before = done.done if done else 0
        made = await _campaign(context, candidate, model).make(
            mine, concurrency=concurrency, progress=_after(before, progress)
        )
        done = made if done is None else _sum(done, made)
        if made.stopped:
            break
    assert done is not None
    return done.model_copy(update={"left_open": len(todo) - done.done})


def _after(before: int, progress: Progress) -> Progress:
    """Progress that counts what was done `before`."""
    return lambda label, done, total: progress(label, before + done, total)


def _campaign(context: Context, candidate: Candidate, model: "ChatModel") -> Campaign:
    one = candidate.evaluator.evaluator_id
    return Campaign(
        folder=context.folder,
        claims=context.claims,
        models={one: model},
        protocols={one: candidate.protocol},
        packet_of=lambda work: candidate.units[work.unit.packet_id].packet(work.read.alpha),
    )


def _sum(a: WorkSummary, b: WorkSummary) -> WorkSummary:
    return WorkSummary(
        done=a.done + b.done,
        left_open=a.left_open + b.left_open,
        stopped=b.stopped or a.stopped,
        reasons=dict(Counter(a.reasons) + Counter(b.reasons)),
    )


def qualify(
    context: Context,
    name: str,
    lang: str | None,
    *,
    limit: int | None,
    concurrency: int | None,
    spend: SpendGuard,
    models: ModelsMode,
    progress: Progress,
) -> Qualified:
    """Make the reads that are open, and judge what there is."""
    asked = candidates(context, name, lang)
    model = context.models([name], "qualify", spend, models)[name]
    planned = [w for one in asked for w in one.work]
    todo = _campaign(context, asked[0], model).open_work(planned)
    if todo and models == "live":
        context.require_keys([name])
    work = Limited(todo, limit, len(planned), progress)
    many = concurrency or context.config.evaluate.concurrency
    summary = work.summary(wait(_closing(asked, work, model, many)))
    return Qualified(summary=summary, verdicts=tuple(one.verdict() for one in asked))


def forecast_of(context: Context, name: str, lang: str | None) -> Forecast:
    """What `qualify` would do, and its projected use; nothing is called."""
    asked = candidates(context, name, lang)
    planned = [w for one in asked for w in one.work]
    done = sum(len(one.records()) for one in asked)
    owners = {read_id(w.unit.packet_id, w.evaluator_id, w.read.role) for w in planned}
    row = Asked(
        model_name=name,
        model=asked[0].evaluator.model,
        open=len(planned) - done,
        done=done,
        used=used_by(read_ledger(context.folder.store), owners),
    )
    return forecast([row], "qualify")


def verdicts(context: Context) -> tuple[Qualification, ...]:
    """Verdicts that were reached in this folder."""
    store = context.folder.store
    found = ((key, store.get(key)) for key in store.list(VERDICTS))
    return tuple(stored(Qualification, data, key) for key, data in found if data is not None)


async def _closing(
    asked: Sequence[Candidate], work: Limited[Work], model: "ChatModel", concurrency: int
) -> WorkSummary:
    try:
        return await _read(asked, work.items, model, concurrency, work.progress)
    finally:
        await close_models([model])
