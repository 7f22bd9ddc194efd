"""The part of a `Study` that makes its design: construct, judge cards, freeze, amend."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.context import Context
from draligned.api.waiting import wait
from draligned.schema.design import Decision, Design, FactorCard, LockEntry, SetAside
from draligned.schema.errors import ConfigError, DesignError
from draligned.study import freeze as frozen
from draligned.study.config import write_default
from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    from draligned.api.building import Files
    from draligned.api.judging import Judgement
    from draligned.constructors.construction import Construction


def _unsaid(line: str) -> None:
    """A line that nobody asked for."""


class Drafting:
    """The design of a study folder, from draft to chained locks."""

    folder: StudyFolder
    _context: Context

    def construct(
        self,
        *,
        pdr_bench: str | Path | None = None,
        own: str | Path | None = None,
        lang: str | None = None,
        tasks: int | None = None,
        cards: str | Path | None = None,
        two_factor: int | None = None,
        subproblems: str | Path | None = None,
        progress: Callable[[str], None] = _unsaid,
    ) -> "Construction":
        """Draft a design from the bundled set, a PDR-Bench folder or an own one (DR-1 … DR-14).

        `own` holds tasks.jsonl and personas.jsonl, with the lines that docs/guide.md shows.
        `two_factor` of the tasks are also told two facts at once, in a set of their own (DR-13).
        `subproblems` is a file with lists of broad subproblems of tasks (DR-92); the bundled
        tasks have theirs.

        Cards that a person rejected or accepted in an earlier draft stay so.
        """
        from draligned.api import building, judging

        store = self.folder.store
        if self.locks():
            raise DesignError("the design is frozen; `draligned design amend` adds to it")
        config = building.settings(self._context, lang, tasks, two_factor)
        before = judging.earlier(store)
        files = _files(pdr_bench, own, cards, subproblems)
        built = wait(building.construct(self._context, config, files, before, progress))
        write_default(store, self.folder.root.resolve().name or "study")
        frozen.write_draft(store, built.design, built.decisions, before.beside(built))
        return built

    def freeze(self) -> LockEntry:
        """Lock the design; locking twice changes nothing.

        Raises `DesignError` if P and Q of a card differ in more than the endpoint (DR-7), and
        where people screen the cards and have not passed one of them (DR-10).
        """
        from draligned.api import matching

        design = self.design()
        matching.check_pairs(design)
        if not self.locks():
            matching.check_screened(self.folder.store, design)
        return frozen.freeze(self.folder.store)

    def amend(
        self,
        *,
        pdr_bench: str | Path | None = None,
        own: str | Path | None = None,
        tasks: int | None = None,
        cards: str | Path | None = None,
        accept_why: str = "",
        subproblems: str | Path | None = None,
        progress: Callable[[str], None] = _unsaid,
    ) -> "tuple[Construction, LockEntry]":
        """Add `tasks` tasks, or hand-written cards, to a frozen design as a chained lock.

        `accept_why`: accept cards that rules leave open, by human review; the reason is kept.
        `subproblems`: lists of broad subproblems of the added tasks.
        """
        from draligned.api import building, judging
        from draligned.constructors.build import Judged

        design = self.design()
        if not self.locks():
            raise DesignError("the design is still a draft; construct again instead of amending")
        if tasks is None and cards is None:
            raise ConfigError("say what to add: --tasks N, or --cards FILE")
        if accept_why and cards is None:
            raise ConfigError("--accept-why is about hand-written cards: give --cards FILE")
        before = judging.earlier(self.folder.store)
        judged = Judged(rejected=before.rejected, accept_why=accept_why.strip())
        files = _files(pdr_bench, own, cards, subproblems)
        built = wait(building.amend(self._context, design, tasks, files, judged, progress))
        entry = frozen.amend(self.folder.store, built.design, built.decisions)
        frozen.keep_set_aside(self.folder.store, before.beside(built))
        return built, entry

    def accept_card(self, factor_id: str, why: str) -> None:
        """Put a card that was set aside into the draft, by human review; the record keeps `why`."""
        from draligned.api import judging

        design = self._draft("`draligned design amend --cards FILE --accept-why …` adds a card")
        self._write(judging.accept(design, self.set_aside(), factor_id, why))

    def reject_card(self, factor_id: str, why: str = "") -> None:
        """Take a card out of the draft for good; the construction record keeps the reason."""
        from draligned.api import judging

        design = self._draft("its cards stay; a new folder starts over")
        self._write(judging.reject(design, self.set_aside(), factor_id, why))

    def _draft(self, otherwise: str) -> Design:
        if self.locks():
            raise DesignError(f"the design is frozen; {otherwise}")
        return self.design()

    def _write(self, judged: "Judgement") -> None:
        decisions = [*self.decisions(), judged.decision]
        there = {s.card.factor_id for s in judged.set_aside}
        leaving = [s for s in self.set_aside() if s.card.factor_id not in there]
        store = self.folder.store
        frozen.write_draft(store, judged.design, decisions, [*judged.set_aside, *leaving])
        frozen.keep_set_aside(store, judged.set_aside)

    def has_design(self) -> bool:
        """Whether a design was constructed."""
        return self.folder.store.exists(frozen.DESIGN)

    def design(self) -> Design:
        """The design, checked against its lock."""
        return frozen.load_design(self.folder.store)

    def locks(self) -> list[LockEntry]:
        """The chain of locks; empty while the design is a draft."""
        return frozen.locks(self.folder.store)

    def set_aside(self) -> list[SetAside]:
        """Cards drawn up and not in the design, each with its task and findings."""
        return frozen.read_set_aside(self.folder.store)

    def cards(self) -> list[FactorCard]:
        """The cards of the design, then those set aside."""
        return [*self.design().cards, *(s.card for s in self.set_aside())]

    def decisions(self) -> list[Decision]:
        """The construction record. Raises `DesignError` before there is a design."""
        self.design()
        return frozen.read_decisions(self.folder.store)


def _files(*given: str | Path | None) -> "Files":
    """Files from what the caller named: PDR-Bench, own, cards, subproblems."""
    from draligned.api.building import Files

    pdr_bench, own, cards, subproblems = (None if g is None else Path(g) for g in given)
    return Files(pdr_bench=pdr_bench, own=own, cards=cards, subproblems=subproblems)
