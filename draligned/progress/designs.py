"""The named designs as rows: which stimuli, how often, and what each may be asked (SI-106, SI-107).

A design is frozen by its hash before any reply, with the contract of its analysis (SI-67).
Follow-ups, whose stimuli hold a model's own reply, are made from stored replies in `followups`.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from draligned.progress.contract import contract_of, noted
from draligned.progress.scenarios import SetName, load_scenarios
from draligned.progress.stimuli import stimulus
from draligned.progress.wordings import (
    CUES,
    EXECUTABILITIES,
    HANDED_OVER,
    OWNERSHIPS,
    WORDINGS,
    fields,
)
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.progress import Arm, Duty, Encoding, Evidence, Point, StageDesign, Stimulus

FIVE = (Point.WAIT, Point.READY, Point.CALL, Point.STEP, Point.DONE)
"""The checkpoints of every scenario."""
BOTH: tuple[Encoding, ...] = ("xml", "json")
NOTHING: Mapping[str, str] = MappingProxyType({})


class Block(NamedTuple):
    """Requests at each point × arm × encoding of every scenario, alike in all else."""

    points: tuple[Point, ...] = FIVE
    arms: tuple[Arm, ...] = (Arm.BASELINE,)
    encodings: tuple[Encoding, ...] = ("xml",)
    duty: Duty = "machine_report"
    factors: Mapping[str, str] = NOTHING
    """Levels that name the cell."""
    extra: Mapping[str, str] = NOTHING
    """Fields added to the last tool result."""
    withdrawn: bool = False
    """Whether the second step's tool is not declared."""


class Plan(NamedTuple):
    """One design: what kind of evidence it gives on which question, and how far that goes."""

    evidence: Evidence
    question: str
    boundary: str
    repetitions: int
    blocks: tuple[Block, ...]
    scenarios: SetName = "main"
    lang: Lang = "zh"
    primary: tuple[str, ...] = ("theta",)
    """Metrics that answer the question."""


def design(name: str, lang: Lang | None = None) -> StageDesign:
    """A design by name, in the language of its row unless `lang` says otherwise.

    Raises `InputError`.
    """
    plan = DESIGNS.get(name)
    if plan is None:
        raise no_design(name, DESIGNS)
    made = StageDesign(
        name=name,
        question=plan.question,
        evidence=plan.evidence,
        boundary=plan.boundary,
        stimuli=tuple(_stimuli(plan, lang or plan.lang)),
        repetitions=plan.repetitions,
    )
    return made.model_copy(update={"notes": noted(contract_of(made, plan.primary))})


def no_design(name: str, known: Iterable[str]) -> InputError:
    """The error for a name that is none, with the nearest one, or all that there are."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
    return InputError(f"there is no design {name!r}; {hint}")


def _stimuli(plan: Plan, lang: Lang) -> Iterator[Stimulus]:
    for block, scenario in product(plan.blocks, load_scenarios(plan.scenarios, lang)):
        for point, arm, encoding in product(block.points, block.arms, block.encodings):
            yield stimulus(
                scenario, point, lang=lang, arm=arm, encoding=encoding, duty=block.duty,
                factors=block.factors, extra=block.extra,
                withdrawn=(scenario.two.tool,) if block.withdrawn else (),
            )  # fmt: skip


_FACTORIAL = tuple(
    Block(
        points=(Point.STEP,),
        factors={"wording": wording, "ownership": owner, "executability": tool, "cue": cue},
        extra=fields(wording, owner, cue),
        withdrawn=tool == "withdrawn",
    )
    for wording, owner, tool, cue in product(WORDINGS, OWNERSHIPS, EXECUTABILITIES, CUES)
)

DESIGNS: Mapping[str, Plan] = {
    "stage": Plan(
        "Observational",
        "At which stages does a report come, well formed and true?",
        "Stage, depth and available actions change together; no cause of the pattern is shown.",
        20, (Block(arms=(Arm.BASELINE, Arm.GOLD, Arm.STATIC), encodings=BOTH),),
    ),
    "breadth-helpdesk": Plan(
        "Observational",
        "Does the pattern come back in tasks of a single step?",
        "Replicates scenarios, not deployments; what POST_OBS is with one step is our choice.",
        20, (Block(),), scenarios="helpdesk",
    ),
    "breadth-english": Plan(
        "Observational",
        "Does the pattern come back in English?",
        "A translation of the same storylines by the same authors.",
        20, (Block(),), lang="en",
    ),
    "controls": Plan(
        "Observational",
        "Does a report come where none is due?",
        "Each control stands alone; only the turn after completion is described in the paper.",
        20,
        (
            *(Block(points=(point,), factors={"control": point.value})
              for point in (Point.POST_DONE, Point.SMALL_TALK, Point.CALL)),
            Block(duty="none", factors={"control": "no_protocol"}),
        ),
        primary=("omega",),
    ),
    "five-arm": Plan(
        "Controlled intervention",
        "What do a constant value, an inert one and a trailing reminder change?",
        "Bounds the accounts that were tried; not an exhaustive test of mechanisms.",
        10,
        (Block(arms=(Arm.BASELINE, Arm.STATIC, Arm.INERT, Arm.REMINDER_STATIC, Arm.REMINDER),
               encodings=BOTH),),
        primary=("broad",),
    ),
    "obligations": Plan(
        "Controlled intervention",
        "Are other duties with the same occasions met where stage reports are not?",
        "Each duty is scored on its own activation; duties differ in wording and in form.",
        20,
        (
            Block(arms=(Arm.BASELINE, Arm.REMINDER), duty="deferred_terminal",
                  factors={"duty": "deferred_terminal"}),
            Block(arms=(Arm.BASELINE, Arm.REMINDER), factors={"duty": "machine_report"}),
            Block(arms=(Arm.BASELINE, Arm.REMINDER), duty="status_sentence",
                  factors={"duty": "status_sentence"}),
        ),
    ),
    "thinking": Plan(
        "Controlled intervention",
        "Does a switch for reasoning move failures, and which ones?",
        "Counts only where reasoning was seen with the switch on and none with it off.",
        20, (Block(factors={"thinking": "off"}), Block(factors={"thinking": "on"})),
    ),
    "protocol-demand": Plan(
        "Controlled intervention",
        "Does asking for a report change the task part of a reply?",
        "The task part is judged by a lexical proxy, on turns that speak.",
        10,
        (
            Block(factors={"prompt": "with_protocol"}),
            Block(duty="none", factors={"prompt": "without_protocol"}),
        ),
        primary=("speaks", "task_passed"),
    ),
    "bundle": Plan(
        "Controlled intervention",
        "What happens to reports when the second step is taken away and given to another system?",
        "The total effect of two changes at once.",
        20,
        (
            Block(points=(Point.STEP,), factors={"bundle": "present"}),
            Block(points=(Point.STEP,), factors={"bundle": "withdrawn"}, extra=HANDED_OVER,
                  withdrawn=True),
        ),
        primary=("emission", "false_completion"),
    ),
    "factorial": Plan(
        "Controlled intervention",
        "Who goes on, can it be done, how did it go: which of them moves reports?",
        "Names fields of an interface, not what goes on inside a model; truth is the same in all.",
        5, _FACTORIAL,
    ),
}  # fmt: skip
"""By name, in the order of the evidence map: the pattern, what might explain it, its context."""
