"""All that a named design is, as lines of text."""

from collections.abc import Iterator

from draligned.progress.contract import Contract, contract
from draligned.progress.designs import DESIGNS, design, no_design
from draligned.progress.followups import BOUNDARY, EVIDENCE, KINDS, REPETITIONS, SOURCE
from draligned.schema.progress import Arm, StageDesign


def told(name: str) -> Iterator[str]:
    """What a design asks, how far it goes, what it varies, and its frozen analysis, as this version
    of the package would freeze it. Raises `InputError`."""
    if name in KINDS:
        kind = KINDS[name]
        yield from (
            name, kind.question, f"How far it goes: {BOUNDARY}", f"Evidence: {EVIDENCE}",
            f"Made from a deployment's own {kind.about} replies to {SOURCE}; two requests each, "
            f"{REPETITIONS} repetitions.",
        )  # fmt: skip
        return
    if name not in DESIGNS:
        raise no_design(name, [*DESIGNS, *KINDS])
    known = design(name)
    yield from (known.name, known.question, f"How far it goes: {known.boundary}",
                f"Evidence: {known.evidence}")  # fmt: skip
    yield from _varied(known)
    found = contract(known)
    if found is not None:
        yield from _analysis(found)
    yield from ("", "Frozen by hash " + known.sha256()[:16] + ", before the first reply.")
    base = next((s for s in known.stimuli if s.arm is Arm.BASELINE), known.stimuli[0])
    yield from ("", "What a deployment is told first:", base.messages[0].text or "")


def _varied(known: StageDesign) -> Iterator[str]:
    n, each = len(known.stimuli), known.repetitions
    yield f"{n} frozen requests, {each} repetitions: {n * each} positions a deployment"
    levels: dict[str, list[str]] = {
        "scenarios": [s.scenario_id for s in known.stimuli],
        "checkpoints": [s.point.value for s in known.stimuli],
        "languages": [s.lang for s in known.stimuli],
        "encodings": [s.encoding for s in known.stimuli],
        "arms": [s.arm.value for s in known.stimuli],
    }
    for factor in sorted({name for s in known.stimuli for name in s.factors}):
        levels[factor] = [s.factors[factor] for s in known.stimuli if factor in s.factors]
    for name, found in levels.items():
        distinct = list(dict.fromkeys(found))
        shown = str(len(distinct)) if name == "scenarios" else ", ".join(distinct)
        yield f"  {name}: {shown}"


def _analysis(found: Contract) -> Iterator[str]:
    yield from (
        "",
        "Analysis, frozen with the requests:",
        f"  primary: {', '.join(found.primary)}",
        f"  unit: {found.unit}; shares: {found.interval_of_shares}; "
        f"contrasts: {found.interval_of_contrasts}; test: {found.test}",
        f"  a lane counts with {found.needed} of {found.probes} good probes and replies to "
        f"{100 * found.complete:.0f} % of its positions",
    )
    yield from (
        f"  contrast: {name} [{metric}, {group}]" for name, metric, group in found.contrasts
    )
    yield from (f"  {name}: {choice}" for name, choice in found.choices.items())
