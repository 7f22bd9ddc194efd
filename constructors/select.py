"""In which order tasks and users are tried (DR-5, DESIGN §5)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from draligned.schema.base import unit_draw
from draligned.schema.design import FactorCard, TaskRecord

MIN_PATHS = 6
"""Field paths over which a stratified selection spreads before any path is used more."""


class Uses:
    """How often users and field paths are used so far."""

    def __init__(self, cards: Sequence[FactorCard], max_per_user: int, max_per_path: int) -> None:
        self.users = Counter(c.user_id for c in cards)
        self.paths = Counter(c.field_path for c in cards)
        self.recorded = Counter((c.kind, c.p.value) for c in cards)
        self.max_per_user = max_per_user
        self.max_per_path = max_per_path

    def add(self, card: FactorCard) -> None:
        """Count an accepted card."""
        self.users[card.user_id] += 1
        self.paths[card.field_path] += 1
        self.recorded[card.kind, card.p.value] += 1

    def user_open(self, user_id: str) -> bool:
        """Whether the user may be used once more."""
        return self.users[user_id] < self.max_per_user

    def balances(self, card: FactorCard) -> bool:
        """Whether the card records a value that has been the counterfactual one more often."""
        own, other = (self.recorded[card.kind, end.value] for end in (card.p, card.q))
        return own < other

    def path_open(self, path: str) -> bool:
        """Whether the field path may be used once more."""
        return self.paths[path] < self.max_per_path


def order_tasks(
    tasks: Sequence[TaskRecord], selection: Literal["stratified", "file_order"], seed: int
) -> tuple[TaskRecord, ...]:
    """Tasks in the order of trial: as in the file, or one of each domain in turn, by seed."""
    if selection == "file_order":
        return tuple(tasks)
    by_domain: dict[str, list[TaskRecord]] = {}
    for task in sorted(tasks, key=lambda t: unit_draw("task", seed, t.task_id)):
        by_domain.setdefault(task.domain, []).append(task)
    domains = sorted(by_domain, key=lambda d: unit_draw("domain", seed, d))
    rounds = max((len(v) for v in by_domain.values()), default=0)
    return tuple(by_domain[d][i] for i in range(rounds) for d in domains if i < len(by_domain[d]))


def _nobody(_: str) -> bool:
    return False


def order_users(
    task: TaskRecord,
    uses: Uses,
    selection: Literal["stratified", "file_order"],
    seed: int,
    preferred: Callable[[str], bool] = _nobody,
) -> tuple[str, ...]:
    """Users of a task in the order of trial: as in the file, or those `preferred` first, and of
    these and of the others the least used first."""
    if selection == "file_order":
        return task.users

    def place(user: str) -> tuple[bool, int, float]:
        draw = unit_draw("user", seed, task.task_id, user)
        return not preferred(user), uses.users[user], draw

    return tuple(sorted(task.users, key=place))


def path_limits(
    selection: Literal["stratified", "file_order"], tasks: int, most: int
) -> tuple[int, ...]:
    """Limits on the uses of one field path, tightest first; the last is the setting itself.

    A stratified selection first spreads over at least `MIN_PATHS` paths, and
    loosens only when tasks are still missing.
    """
    tight = min(most, -(-tasks // MIN_PATHS))
    return (most,) if selection == "file_order" or tight == most else (tight, most)
