"""Texts of protocols, arms and reminders, and what each requires of a reply (SI-12 … SI-19, SI-53).

The texts are our renderings, in Chinese and English; only the gold hint's original is known,
by its hash (Q38).
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from draligned.schema.base import Record, sha256_text
from draligned.schema.design import Lang
from draligned.schema.progress import Arm, Duty, Encoding, Gold, Point, Required, Stage
from draligned.schema.strictjson import dumps

STATIC, INERT = "active", "qzx"
CONSTANTS: Mapping[Arm, str] = {
    Arm.STATIC: STATIC, Arm.REMINDER_STATIC: STATIC, Arm.INERT: INERT,
}  # fmt: skip
"""Arms whose report is a constant: it carries no stage."""
REMINDED = frozenset({Arm.REMINDER, Arm.REMINDER_STATIC})
ACTION_HINT = "action"
"""What the gold hint says where a call is due (SI-17)."""


class Prompts(Record):
    """All texts of one language."""

    gold_hint: str
    reminder: str
    """Of the stage marker."""
    reminders: dict[str, str]
    """Of the other duties, each of its own occasion: the stage marker's would call for a signal
    that is not due yet."""
    report_request: str
    """To a reply without a report (SI-58)."""
    report_check: str
    """To a reply whose report was wrong (SI-59)."""
    stage_question: str
    """Asked in place of any reply."""
    protocol: dict[str, str]
    sentences: dict[str, str]
    roles: dict[str, str]


class Recorded(Record):
    """Of one text: the prefix of its hash, and whether it is the paper's own or our rendering."""

    prefix: str
    kind: Literal["original", "rendering"]


@cache
def prompts(lang: Lang) -> Prompts:
    """The texts in `lang`."""
    source = files("draligned.bench_data") / "progress" / f"prompts_{lang}.toml"
    return Prompts.model_validate(tomllib.loads(source.read_text("utf-8")))


def marker(value: str, encoding: Encoding, tag: str = "stage") -> str:
    """A well-formed marker (SI-12)."""
    return f"<{tag}>{value}</{tag}>" if encoding == "xml" else dumps({tag: value})


def protocol(arm: Arm, encoding: Encoding, duty: Duty, lang: Lang) -> str:
    """The protocol paragraph of a system message; empty where none is asked for."""
    texts = prompts(lang).protocol
    if duty != "machine_report":
        return texts[duty].strip()
    if arm in CONSTANTS:
        name = "inert" if arm is Arm.INERT else "static"
        return texts[name].strip().replace("{constant}", marker(CONSTANTS[arm], encoding))
    return _filled(texts["machine_report"], {s.wire: marker(s.wire, encoding) for s in Stage})


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text.strip()


def last_message(arm: Arm, point: Point, duty: Duty, gold: Gold, lang: Lang) -> str | None:
    """The system message that ends the history, if the arm has one (Q21)."""
    texts = prompts(lang)
    if arm in REMINDED:
        return texts.reminders.get(duty, texts.reminder)
    if arm is Arm.GOLD:
        value = ACTION_HINT if point is Point.CALL else gold.stage.wire
        return texts.gold_hint.replace("{value}", value)
    return None


def question(lang: Lang) -> str:
    """The isolated question: which of the four values holds."""
    values = ("、" if lang == "zh" else ", ").join(stage.wire for stage in Stage)
    return prompts(lang).stage_question.replace("{values}", values)


def required(arm: Arm, duty: Duty, gold: Gold, lang: Lang) -> Required:
    """L*: what a clean reply holds, which the arm and the duty decide, not the truth (SI-4)."""
    done = gold.stage is Stage.COMPLETED
    if duty == "none" or (duty == "deferred_terminal" and not done) or not gold.duty:
        return Required(duty=False, value=None)
    if duty == "deferred_terminal":
        return Required(duty=True, value="done")
    if duty == "status_sentence":
        sentences = prompts(lang).sentences
        return Required(duty=True, value=sentences["finished" if done else "unfinished"])
    return Required(duty=True, value=CONSTANTS.get(arm, gold.stage.wire))


def fingerprints(lang: Lang) -> dict[str, str]:
    """First 16 hex digits of the SHA-256 of every text, by name (SI-14); what is recorded beside
    them says which are renderings of ours and which the paper's own."""
    made: dict[str, str] = {}
    for name, value in prompts(lang).model_dump().items():
        texts = value if isinstance(value, dict) else {"": value}
        for part, text in texts.items():
            made[f"{name}.{part}".rstrip(".")] = sha256_text(text.strip())[:16]
    return made


def recorded(lang: Lang) -> dict[str, Recorded]:
    """What is recorded of every text: its prefix, and whose it is."""
    source = files("draligned.bench_data") / "progress" / "prompts_sha256.toml"
    found = tomllib.loads(source.read_text("utf-8"))[lang]
    return {name: Recorded.model_validate(fields) for name, fields in found.items()}
