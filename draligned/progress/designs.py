"""The named designs: which stimuli, how often, and what each may be asked (SI-106, SI-107).

A design is frozen by its hash before any reply (SI-67). Follow-ups, whose stimuli hold a model's
own reply, are made from stored replies in `followups`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from draligned.progress.scenarios import Scenario, SetName, load_scenarios
from draligned.progress.stimuli import stimulus
from draligned.progress.wordings import HANDED_OVER, WORDINGS, Cue, Executability, Ownership, fields
from draligned.schema.design import Lang
from draligned.schema.errors import InputError
from draligned.schema.progress import Arm, Duty, Encoding, Point, StageDesign, Stimulus

FIVE = (Point.WAIT, Point.READY, Point.CALL, Point.STEP, Point.DONE)
"""The checkpoints of every scenario."""
BOTH: tuple[Encoding, ...] = ("xml", "json")


def design(name: str, lang: Lang | None = None) -> StageDesign:
    """A design by name; Chinese, but for the English breadth set, unless `lang` says otherwise.

    Raises `InputError`, naming those there are.
    """
    if name not in DESIGNS:
        raise InputError(f"there is no design {name!r}; there are {', '.join(sorted(DESIGNS))}")
    return DESIGNS[name](lang)


def _design(
    name: str, evidence: str, question: str, boundary: str, repetitions: int,
    stimuli: Iterable[Stimulus],
) -> StageDesign:  # fmt: skip
    return StageDesign.model_validate(
        {
            "name": name, "evidence": evidence, "question": question, "boundary": boundary,
            "repetitions": repetitions, "stimuli": tuple(stimuli),
        }
    )  # fmt: skip


def _grid(
    lang: Lang,
    *,
    which: SetName = "main",
    points: Iterable[Point] = FIVE,
    arms: Iterable[Arm] = (Arm.BASELINE,),
    encodings: Iterable[Encoding] = ("xml",),
    duty: Duty = "machine_report",
    factors: Mapping[str, str] | None = None,
) -> Iterator[Stimulus]:
    cells = product(load_scenarios(which, lang), points, arms, encodings)
    for scenario, point, arm, encoding in cells:
        yield stimulus(
            scenario, point, lang=lang, arm=arm, encoding=encoding, duty=duty, factors=factors
        )


def _stage(lang: Lang | None) -> StageDesign:
    arms = (Arm.BASELINE, Arm.GOLD, Arm.STATIC)
    return _design(
        "stage", "Observational",
        "At which stages does a report come, well formed and true?",
        "Stage, depth and available actions change together; no cause of the pattern is shown.",
        20, _grid(lang or "zh", arms=arms, encodings=BOTH),
    )  # fmt: skip


def _five_arm(lang: Lang | None) -> StageDesign:
    arms = (Arm.BASELINE, Arm.STATIC, Arm.INERT, Arm.REMINDER_STATIC, Arm.REMINDER)
    return _design(
        "five-arm", "Controlled intervention",
        "What do a constant value, an inert one and a trailing reminder change?",
        "Bounds the accounts that were tried; not an exhaustive test of mechanisms.",
        10, _grid(lang or "zh", arms=arms, encodings=BOTH),
    )  # fmt: skip


def _obligations(lang: Lang | None) -> StageDesign:
    duties: tuple[Duty, ...] = ("deferred_terminal", "machine_report", "status_sentence")
    arms = (Arm.BASELINE, Arm.REMINDER)
    grids = (_grid(lang or "zh", arms=arms, duty=d, factors={"duty": d}) for d in duties)
    return _design(
        "obligations", "Controlled intervention",
        "Are other duties with the same occasions met where stage reports are not?",
        "Each duty is scored on its own activation; duties differ in wording and in form.",
        20, (s for grid in grids for s in grid),
    )  # fmt: skip


def _controls(lang: Lang | None) -> StageDesign:
    def cells() -> Iterator[Stimulus]:
        for point in (Point.POST_DONE, Point.SMALL_TALK, Point.CALL):
            yield from _grid(lang or "zh", points=(point,), factors={"control": point.value})
        yield from _grid(lang or "zh", duty="none", factors={"control": "no_protocol"})

    return _design(
        "controls", "Observational",
        "Does a report come where none is due?",
        "Each control stands alone; only the turn after completion is described in the paper.",
        20, cells(),
    )  # fmt: skip


def _breadth_helpdesk(lang: Lang | None) -> StageDesign:
    return _design(
        "breadth-helpdesk", "Observational",
        "Does the pattern come back in tasks of a single step?",
        "Replicates scenarios, not deployments; what POST_OBS is with one step is our choice.",
        20, _grid(lang or "zh", which="helpdesk"),
    )  # fmt: skip


def _breadth_english(lang: Lang | None) -> StageDesign:
    return _design(
        "breadth-english", "Observational",
        "Does the pattern come back in English?",
        "A translation of the same storylines by the same authors.",
        20, _grid(lang or "en"),
    )  # fmt: skip


def _thinking(lang: Lang | None) -> StageDesign:
    grids = (_grid(lang or "zh", factors={"thinking": level}) for level in ("off", "on"))
    return _design(
        "thinking", "Controlled intervention",
        "Does a switch for reasoning move failures, and which ones?",
        "Counts only where reasoning was seen with the switch on and none with it off.",
        20, (s for grid in grids for s in grid),
    )  # fmt: skip


def _protocol_demand(lang: Lang | None) -> StageDesign:
    duties: dict[str, Duty] = {"with_protocol": "machine_report", "without_protocol": "none"}
    grids = (_grid(lang or "zh", duty=d, factors={"prompt": p}) for p, d in duties.items())
    return _design(
        "protocol-demand", "Controlled intervention",
        "Does asking for a report change the task part of a reply?",
        "The task part is judged by a lexical proxy, on turns that speak.",
        10, (s for grid in grids for s in grid),
    )  # fmt: skip


def _bundle(lang: Lang | None) -> StageDesign:
    def cells() -> Iterator[Stimulus]:
        language = lang or "zh"
        for s in load_scenarios("main", language):
            yield stimulus(s, Point.STEP, lang=language, factors={"bundle": "present"})
            yield stimulus(
                s, Point.STEP, lang=language, factors={"bundle": "withdrawn"},
                extra=HANDED_OVER, withdrawn=(s.two.tool,),
            )  # fmt: skip

    return _design(
        "bundle", "Controlled intervention",
        "What happens to reports when the second step is taken away and given to another system?",
        "The total effect of two changes at once.",
        20, cells(),
    )  # fmt: skip


def _factorial(lang: Lang | None) -> StageDesign:
    language = lang or "zh"
    return _design(
        "factorial", "Controlled intervention",
        "Who goes on, can it be done, how did it go: which of them moves reports?",
        "Names fields of an interface, not what goes on inside a model; truth is the same in all.",
        5, (s for one in load_scenarios("main", language) for s in _cells(one, language)),
    )  # fmt: skip


def _cells(scenario: Scenario, lang: Lang) -> Iterator[Stimulus]:
    owners: tuple[Ownership, ...] = ("self", "other")
    tools: tuple[Executability, ...] = ("available", "withdrawn")
    cues: tuple[Cue, ...] = ("resolved", "problem")
    for wording, owner, tool, cue in product(WORDINGS, owners, tools, cues):
        yield stimulus(
            scenario, Point.STEP, lang=lang,
            factors={"wording": wording, "ownership": owner, "executability": tool, "cue": cue},
            extra=fields(wording, owner, cue),
            withdrawn=(scenario.two.tool,) if tool == "withdrawn" else (),
        )  # fmt: skip


DESIGNS: Mapping[str, Callable[[Lang | None], StageDesign]] = {
    "stage": _stage,
    "five-arm": _five_arm,
    "obligations": _obligations,
    "controls": _controls,
    "breadth-helpdesk": _breadth_helpdesk,
    "breadth-english": _breadth_english,
    "thinking": _thinking,
    "protocol-demand": _protocol_demand,
    "bundle": _bundle,
    "factorial": _factorial,
}
"""By name."""
