"""What was read of a study, and all that tables are made from, each made once when asked for."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from draligned.verify.arms import Arm, arm_of
from draligned.verify.asides import Asides
from draligned.verify.design import DesignFacts
from draligned.verify.edits import Edits
from draligned.verify.labelled import Labelled
from draligned.verify.labels import (
    RequestLabel,
    Slots,
    TextLabel,
    TextReads,
    request_labels,
)
from draligned.verify.logs import Run
from draligned.verify.packets import Unit, run_units
from draligned.verify.pairs import Pair, pairs_of
from draligned.verify.plan import PlanFacts, Settings
from draligned.verify.runs import Request

ALL = "all"
ANSWERED = ("ok", "empty")


@dataclass(frozen=True, kw_only=True)
class Study:
    """Runs that are analysed, their packets and reads: the panel, or a set beside it."""

    design: DesignFacts
    plan: PlanFacts
    settings: Settings
    runs: tuple[Run, ...]
    units: dict[str, Unit]
    slots: Slots
    read_slots: Slots = field(default_factory=dict)
    """The same before corrections; of the panel alone, for the inventory."""
    evaluators: tuple[str, ...]
    """Names in alphabetical order."""
    every_run: tuple[Run, ...] = ()
    """The panel's runs and those beside it."""
    every_unit: dict[str, Unit] = field(default_factory=dict)
    sets: "dict[str, Study]" = field(default_factory=dict)
    """Sets beside the panel, by name; each over the same reads."""
    text_of: Callable[[str], str | None] = lambda _: None
    """The text of a hash."""
    asides: Asides = field(default_factory=dict)
    """Reads of sentinels, by evaluator's id and packet."""
    samples: tuple[Labelled, ...] = ()
    """What people labelled."""
    _arms: dict[tuple[str, bool], list[Arm]] = field(default_factory=dict)
    _pairs: dict[tuple[str, str, bool], list[Pair]] = field(default_factory=dict)

    @cached_property
    def development(self) -> frozenset[str]:
        """Harnesses that are for development only."""
        return frozenset(r.cell.block.harness for r in self.runs if r.cell.block.development)

    @cached_property
    def requests(self) -> dict[tuple[str, str, str], dict[int, RequestLabel]]:
        """Labels of requests by run, factor and evaluator."""
        found: dict[tuple[str, str, str], dict[int, RequestLabel]] = defaultdict(dict)
        for unit in self.units.values():
            if unit.run is not None:
                for name, number, label in request_labels(unit, self.slots, self.evaluators):
                    found[unit.run.run_id, unit.factor_id, name][number] = label
        return found

    @cached_property
    def units_by_run(self) -> dict[tuple[str, str], list[Unit]]:
        """Packets of each run and factor, its texts among them."""
        mode = self.settings.evaluate.request_mode
        return {
            (run.run_id, factor): [
                u for u in run_units(run, factor, mode) if u.packet_id in self.units
            ]
            for run in self.runs
            for factor, _ in run.factors
        }

    @cached_property
    def _unit_of_text(self) -> dict[tuple[str, str], str]:
        return {(u.text_sha256, u.factor_id): u.packet_id
                for u in self.units.values() if u.text_sha256}  # fmt: skip

    def packet_of(self, sha256: str, factor: str) -> str:
        """The packet of a text; blank where it has none."""
        return self._unit_of_text.get((sha256, factor), "")

    def text(self, sha256: str, factor: str, evaluator: str) -> TextReads:
        """Both reads of a text."""
        packet = self.packet_of(sha256, factor)
        return TextReads(*(self.slots.get((packet, evaluator, r)) for r in ("first", "mirror")))

    @cached_property
    def edits(self) -> Edits:
        """Distances of texts."""
        return Edits(self.text_of, self.settings.measure.tokens)

    @property
    def first_evaluator(self) -> str | None:
        """The primary evaluator; where it was not planned, the first that was."""
        names = [e.name for e in self.plan.evaluators]
        return self.plan.primary if self.plan.primary in names else next(iter(names), None)

    @property
    def policy(self) -> str:
        """What an item of unresolved direction does."""
        return self.settings.measure.unresolved_items

    @property
    def pairing(self) -> str:
        """Which runs make a pair."""
        return self.settings.measure.pairing

    def arms(self, policy: str | None = None, *, answered: bool = False) -> list[Arm]:
        """Every run under every evaluator."""
        key = (policy or self.policy, answered)
        if key not in self._arms:
            self._arms[key] = [
                self._arm(run, name, *key) for run in self.runs for name in self.evaluators
            ]
        return self._arms[key]

    def _arm(self, run: Run, evaluator: str, policy: str, answered: bool) -> Arm:
        factor = run.factors[0][0]
        labels = self.requests.get((run.run_id, factor, evaluator), {})
        requests: Iterable[Request] = run.seen.requests if run.seen else ()
        bits = [
            labels[r.number].bits
            for r in requests
            if r.number in labels and (not answered or r.status in ANSWERED)
        ]
        return arm_of(run, evaluator, bits, self._texts(run, factor, evaluator, policy))

    def _texts(self, run: Run, factor: str, evaluator: str, policy: str) -> dict[str, TextLabel]:
        if run.seen is None:
            return {}
        texts = [*run.seen.drafts, *((run.seen.final,) if run.seen.final else ())]
        return {t.sha256: self.text(t.sha256, factor, evaluator).label(policy) for t in texts}

    def pairs(
        self, policy: str | None = None, pairing: str | None = None, *, answered: bool = False
    ) -> list[Pair]:
        """Planned pairs, in a fixed order."""
        key = (policy or self.policy, pairing or self.pairing, answered)
        if key not in self._pairs:
            self._pairs[key] = pairs_of(self.arms(key[0], answered=answered), key[1])
        return self._pairs[key]
