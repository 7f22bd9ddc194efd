"""Trying tasks and users until enough tasks have an accepted card."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from draligned.constructors.chat_constructor import propose
from draligned.constructors.chat_review import review_by_models
from draligned.constructors.fields import Tried, try_fields
from draligned.constructors.human import decision_of
from draligned.constructors.review import reason_in_words
from draligned.constructors.select import Uses, order_tasks, order_users, path_limits
from draligned.constructors.source import Source
from draligned.models.protocol import ChatModel
from draligned.schema.base import Record
from draligned.schema.config import ConstructConfig
from draligned.schema.design import Decision, FactorCard, Persona, TaskRecord
from draligned.schema.labels import CardOutcome


class TaskLog(Record):
    """What came of one task."""

    task_id: str
    card: FactorCard | None
    decisions: tuple[Decision, ...]
    set_aside: tuple[FactorCard, ...]


class Search:
    """One construction: the order of trial, the limits, and who draws up and reviews."""

    def __init__(
        self,
        source: Source,
        config: ConstructConfig,
        seed: int,
        proposer: ChatModel | None,
        reviewers: Sequence[ChatModel],
        progress: Callable[[str], None],
        rejected: Sequence[FactorCard] = (),
    ) -> None:
        self.source = source
        self.config = config
        self.seed = seed
        self.proposer = proposer
        self.reviewers = tuple(reviewers)
        self.uses = Uses((), config.max_per_user, config.max_per_path)
        self.progress = progress
        self.rejected = {c.factor_id: c for c in rejected}
        """Cards that a person turned down before: they are not drawn up again."""
        self.logs: dict[str, TaskLog] = {}
        self.failed: set[tuple[str, int]] = set()
        """Tasks that found nothing under a limit: uses only grow, so they never will."""

    async def run(self, wanted: int, busy: set[str]) -> tuple[TaskLog, ...]:
        """Logs of all tasks, in the order of trial; tasks in `busy` are not tried."""
        ordered = order_tasks(self.source.tasks, self.config.selection, self.seed)
        queue = [t for t in ordered if t.task_id not in busy]
        accepted = 0
        while queue and accepted < wanted:
            group = self._group(queue)
            done = await self._one_of(group)
            for task in group if done is None else [done]:
                queue.remove(task)
            accepted += done is not None
            if done is not None:
                queue = self._next_domain(queue, done.domain)
        for task in queue:
            self.logs.setdefault(task.task_id, _untried(task))
        return tuple(self.logs.values())

    def _group(self, queue: list[TaskRecord]) -> list[TaskRecord]:
        """Tasks that compete for the next place: the domain whose turn it is, or one task."""
        if self.config.selection == "file_order":
            return queue[:1]
        return [t for t in queue if t.domain == queue[0].domain]

    def _next_domain(self, queue: list[TaskRecord], domain: str) -> list[TaskRecord]:
        """The queue with the domain just served put last."""
        if self.config.selection == "file_order":
            return queue
        served = [t for t in queue if t.domain == domain]
        return [t for t in queue if t.domain != domain] + served

    async def _one_of(self, group: list[TaskRecord]) -> TaskRecord | None:
        """The first task of the group that gets a card, under the tightest limit possible."""
        config = self.config
        limits = path_limits(config.selection, config.tasks, config.max_per_path)
        for limit in limits if self.proposer is None else limits[-1:]:
            self.uses.max_per_path = limit
            for task in group:
                if (task.task_id, limit) in self.failed:
                    continue
                log = await self._try_task(task)
                self.logs.pop(task.task_id, None)
                self.logs[task.task_id] = log
                if log.card is not None:
                    self.uses.add(log.card)
                    self.progress(f"task {task.task_id}: {log.card.kind} ({log.card.user_id})")
                    return task
                self.failed.add((task.task_id, limit))
        return None

    async def _try_task(self, task: TaskRecord) -> TaskLog:
        tried: list[Tried] = []
        card: FactorCard | None = None
        seed, selection = self.seed, self.config.selection
        for user in order_users(task, self.uses, selection, seed, partial(self._balances, task)):
            if card is not None:
                tried.append(_user_note(task, user, "another user of the task was taken"))
                continue
            tried += await self._try_user(task, user)
            card = next((t.card for t in tried if _accepted(t)), None)
        decisions = [t.decision for t in tried]
        if card is None:
            decisions.append(_task_note(task, CardOutcome.NO_ELIGIBLE_FIELD, _why_none(decisions)))
        aside = tuple(t.card for t in tried if t.card is not None and not _accepted(t))
        return TaskLog(task_id=task.task_id, card=card, decisions=tuple(decisions), set_aside=aside)

    def _balances(self, task: TaskRecord, user: str) -> bool:
        """Whether the user's card would record a value that has been counterfactual more often.

        By rules alone: what a model would draw up is not known before it is asked.
        """
        persona = self.source.persona(user)
        if persona is None or self.proposer is not None or not self.uses.user_open(user):
            return False
        found = try_fields(task, persona, self.uses.path_open)
        card = next((t.card for t in found if _accepted(t)), None)
        return card is not None and self.uses.balances(card)

    async def _try_user(self, task: TaskRecord, user: str) -> list[Tried]:
        persona = self.source.persona(user)
        if persona is None:
            return [_user_note(task, user, "there is no profile of this user")]
        if not self.uses.user_open(user):
            return [_user_note(task, user, "the user is used often enough in other tasks")]
        if self.proposer is not None:
            return [await self._by_model(task, persona)]
        return await self._by_rules(task, persona)

    async def _by_model(self, task: TaskRecord, persona: Persona) -> Tried:
        assert self.proposer is not None
        tried = await propose(self.proposer, task, persona, self.uses.path_open, self.seed)
        return await self.reviewed(task, tried)

    async def _by_rules(self, task: TaskRecord, persona: Persona) -> list[Tried]:
        """Fields in order; where models review too, a card they refuse is passed over."""
        refused: dict[str, Tried] = {}
        while True:
            out = [
                refused.get(t.decision.field_path, t) if t.card is None else t
                for t in try_fields(task, persona, lambda p: self._open(p, refused))
            ]
            at = next((n for n, t in enumerate(out) if _accepted(t)), None)
            if at is None:
                return out
            out[at] = await self.reviewed(task, out[at])
            if _accepted(out[at]):
                return out
            refused[out[at].decision.field_path] = out[at]

    def _open(self, path: str, refused: dict[str, Tried]) -> bool:
        return path not in refused and self.uses.path_open(path)

    async def reviewed(self, task: TaskRecord, tried: Tried) -> Tried:
        """A card after the people who judged it before and the model reviewers."""
        if tried.card is None:
            return tried
        if before := self.rejected.get(tried.card.factor_id):
            gone = tried.card.model_copy(
                update={"findings": before.findings, "outcome": before.outcome}
            )
            return Tried(decision=decision_of(gone), card=gone)
        card = await review_by_models(tried.card, task, self.reviewers, self.seed)
        decision = tried.decision.model_copy(
            update={"outcome": card.outcome, "reason": reason_in_words(card)}
        )
        return Tried(decision=decision, card=card)


def _why_none(decisions: Sequence[Decision]) -> str:
    """What stood in the way of a task's users, most frequent first."""
    told = [d for d in decisions if d.kind is not None or not d.field_path]
    ways = Counter(d.reason if not d.field_path else f"{d.kind} {d.outcome}" for d in told)
    ways = Counter({way: n for way, n in ways.items() if not way.endswith("no_relevance_row")})
    if not ways:
        return "no field of any user has a row that applies to this task"
    return "; ".join(f"{way} ({n})" for way, n in ways.most_common())


def _accepted(tried: Tried) -> bool:
    return tried.decision.outcome is CardOutcome.ACCEPTED


def _task_note(task: TaskRecord, outcome: CardOutcome, reason: str, user: str = "") -> Decision:
    return Decision(
        task_id=task.task_id,
        user_id=user,
        domain=task.domain,
        field_path="",
        kind=None,
        outcome=outcome,
        reason=reason,
    )


def _user_note(task: TaskRecord, user: str, reason: str) -> Tried:
    return Tried(decision=_task_note(task, CardOutcome.NOT_NEEDED, reason, user))


def _untried(task: TaskRecord) -> TaskLog:
    note = _task_note(task, CardOutcome.NOT_NEEDED, "enough tasks before this one")
    return TaskLog(task_id=task.task_id, card=None, decisions=(note,), set_aside=())
