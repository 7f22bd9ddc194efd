"""What a context begins with: one system and one user message (DR-42)."""

from draligned.bench_data.duty import duty_block
from draligned.harnesses.compiled import Rules
from draligned.harnesses.texts import FRAMES
from draligned.schema.chat import Message
from draligned.schema.design import Condition
from draligned.schema.errors import DesignError
from draligned.schema.harness import HarnessSpec


def first_messages(condition: Condition, rules: Rules) -> tuple[Message, ...]:
    """The messages of the first stage. Raises `DesignError` if the condition's turns do not fit."""
    planned = 1 + rules.spec.scripted_turns
    if len(condition.turns) != planned:
        raise DesignError(
            f"harness {rules.spec.name!r} takes {planned} turn(s), the condition of task "
            f"{condition.task_id} has {len(condition.turns)}: build it for this harness"
        )
    return stage_messages(condition, rules, 0, handed=None)


def stage_messages(
    condition: Condition, rules: Rules, index: int, *, handed: str | None
) -> tuple[Message, ...]:
    """The messages of stage `index`. What is handed over stands before the user's message, so
    that the endpoint stays the last sentence."""
    frames, stage = FRAMES[condition.lang], rules.stages[index]
    system = [condition.system, *_about(rules.spec, index, condition)]
    if rules.spec.progress_duty:
        system.append(duty_block(condition.lang))
    user = [] if handed is None else [f"{frames.handed}\n{handed}"]
    if "user_message" in stage.reads:
        user.append(condition.turns[0])
    return (
        Message(role="system", text="\n\n".join(system)),
        Message(role="user", text="\n\n".join(user)),
    )


def _about(spec: HarnessSpec, index: int, condition: Condition) -> list[str]:
    """What the system message says of a stage that hands something over."""
    frames = FRAMES[condition.lang]
    handed = []
    if spec.handoff_aw == "handoff":
        handed.append(frames.stage_notes)
    if spec.handoff_wf == "handoff":
        handed.append(frames.stage_draft)
    return handed[index : index + 1]
