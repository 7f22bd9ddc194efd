"""Calls that a given harness offers, by what they are for."""

from dataclasses import dataclass
from functools import cached_property

from draligned.gates.marker import DONE
from draligned.harnesses.conformance.player import Act, Move, Say, Turn
from draligned.harnesses.conformance.stage_set import PAGE
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.harness import HarnessSpec

DRAFT = "草稿：先练习表达。"
REVISED = "修订稿：先练习倾听。"
FINAL = "终稿：两者都练。"
ANSWER = "答案：先练习表达。"
FILE = "report.md"


@dataclass(frozen=True)
class Toolkit:
    """The moves that a story for `spec` can be made of."""

    spec: HarnessSpec

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Tools in order, by the names that the model is told."""
        return tuple(TOOLS[name].name for name in self.spec.tool_order)

    @property
    def marker(self) -> str:
        """What a spoken reply must end with to be taken for the last."""
        return f"\n<stage>{DONE}</stage>" if self.spec.gate == "marker" else ""

    def searches(self) -> list[Act]:
        """Requests, if there are any."""
        acts = [Act("search", {"query": "表达练习"}), Act("read", {"url": PAGE})]
        return [act for act in acts if act.tool in self.spec.acquisition]

    def saves(self, text: str) -> list[Act]:
        """A call that saves `text`, if anything can be saved."""
        acts = (
            Act("write_report", {"content": text}),
            Act("write_file", {"path": FILE, "content": text}),
        )
        return [act for act in acts if act.tool in self.spec.workspace][:1]

    def looks(self) -> list[Act]:
        """Calls that look at the files or change them."""
        acts = (
            Act("list_files"),
            Act("read_file", {"path": FILE}),
            Act("edit_file", {"path": FILE, "old": "草稿", "new": "二稿"}),
            Act("read_file", {"path": "../x"}),
            Act("python", {"code": "print('x')"}),
        )
        return [act for act in acts if act.tool in self.spec.workspace]

    def delegates(self) -> list[Act]:
        """A delegation, if one is offered."""
        return [Act("delegate", {"task": "查找表达练习的资料"})] if self.spec.delegated else []

    def submits(self, text: str) -> list[Act]:
        """The call that submits, if there is one; `text` where the call carries it."""
        acts = {
            "submit_report": Act("submit_report", {"content": text}),
            "submit_saved_report": Act("submit_report"),
            "submit_file": Act("submit_file", {"path": FILE}),
        }
        return [acts[name] for name in self.spec.finalization if name in acts][:1]

    def delivers(self, text: str) -> list[Move]:
        """Turns after which `text` is submitted; none where nothing can be."""
        submits = self.submits(text)
        if not submits:
            return []
        saves = self.saves(text) if self.spec.submits_saved_file else []
        return [*turns(saves), *turns(submits)]

    def whole(self) -> list[Move]:
        """Everything that the harness offers, once, and a submission at the end."""
        searches, delegates = self.searches(), self.delegates()
        together = [Turn((*searches, *searches))] if searches else []
        inside = turns(searches) if delegates else []
        return [
            *together,
            *turns(delegates),
            *inside,
            *turns(self.saves(DRAFT)),
            *turns(self.looks()),
            *turns(self.saves(REVISED)),
            *self.delivers(FINAL),
            Say("完成。"),
        ]


def turns(acts: list[Act]) -> list[Move]:
    """A turn for each call."""
    return [Turn((act,)) for act in acts]
