"""One frozen request from scenario, checkpoint, arm and encoding (SI-5)."""

from collections.abc import Collection, Mapping

from draligned.progress.oracle import advancing, gold
from draligned.progress.prompts import last_message, prompts, protocol, required
from draligned.progress.scenarios import Scenario
from draligned.progress.script import moment
from draligned.schema.chat import Message
from draligned.schema.design import Lang
from draligned.schema.progress import Arm, Duty, Encoding, Point, Stimulus


def stimulus(
    scenario: Scenario,
    point: Point,
    *,
    lang: Lang,
    arm: Arm = Arm.BASELINE,
    encoding: Encoding = "xml",
    duty: Duty = "machine_report",
    factors: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    withdrawn: Collection[str] = (),
) -> Stimulus:
    """What a model is shown, and what is true and required there.

    `factors` name the cell of a design; `extra` fields are added to the last tool result;
    `withdrawn` tools are not declared. Neither changes what is true.
    """
    now = moment(scenario, point, extra)
    truth = gold(scenario, now.state)
    paragraphs = (
        scenario.role,
        prompts(lang).roles["closing"],
        protocol(arm, encoding, duty, lang),
    )
    system = Message(role="system", text="\n\n".join(p for p in paragraphs if p))
    ending = last_message(arm, point, duty, truth, lang)
    last = () if ending is None else (Message(role="system", text=ending),)
    tools = tuple(t for t in scenario.tools if t.name not in withdrawn)
    return Stimulus(
        scenario_id=scenario.scenario_id,
        family=scenario.family,
        point=point,
        lang=lang,
        arm=arm,
        encoding=encoding,
        duty=duty,
        factors=dict(sorted((factors or {}).items())),
        messages=(system, *now.messages, *last),
        tools=tools,
        advancing=tuple(t for t in advancing(scenario, now.state) if t not in withdrawn),
        gold=truth,
        required=required(arm, duty, truth, lang),
        concepts=getattr(scenario.concepts, point.value, ()),
    )
