"""The evaluation protocol: everything that decides what an evaluator is asked.

It is written whole into `protocol.lock`, so that an old study goes on with its own prompts
after the package's prompts have changed, and tables can refuse mixed protocols.
"""

from importlib.resources import files
from typing import Any, Literal

from draligned.evaluators.items import ITEM_CAP, ITEM_KEYS, VOCABULARIES
from draligned.evaluators.packets import BATCH_SIZE, PRECEDING, RequestMode
from draligned.evaluators.paragraphs import MAX_BYTES, MAX_CHARS
from draligned.schema.base import Record
from draligned.schema.design import Lang
from draligned.schema.labels import SlotLabel

PacketKind = Literal["requests", "document"]

_INSTRUCTIONS: dict[tuple[str, str], str] = {
    ("requests", "zh"): "请按标注规则逐条标注以下请求，只输出 JSON。",
    ("requests", "en"): "Label the following requests by the rules. Output JSON only.",
    ("document", "zh"): "请按标注规则从以下文稿中提取条目，只输出 JSON。",
    ("document", "en"): "Extract the items of the following document by the rules. "
    "Output JSON only.",
}


class PromptPair(Record):
    """What is said around a packet of one kind."""

    system: str
    """The protocol text, sent as the system message."""
    instruction: str
    """The one line above the packet in the user message."""


class Protocol(Record):
    """Prompts, reply schema, packet mode and limits; `sha256()` is the protocol hash."""

    version: Literal[1] = 1
    lang: Lang
    request_mode: RequestMode
    requests: PromptPair
    document: PromptPair
    reply_schema: dict[str, Any]
    """Labels, item keys and allowed values that replies are validated against."""
    limits: dict[str, int]
    """Sizes of batches, documents and item lists."""

    def prompts(self, kind: PacketKind) -> PromptPair:
        """The prompts for packets of `kind`."""
        return self.requests if kind == "requests" else self.document


def load_protocol(lang: Lang, request_mode: RequestMode = "whole_run") -> Protocol:
    """The protocol of this version of the package, in Chinese or English."""
    return Protocol(
        lang=lang,
        request_mode=request_mode,
        requests=_prompts("requests", lang),
        document=_prompts("document", lang),
        reply_schema={
            "labels": [label.value for label in SlotLabel],
            "item_keys": sorted(ITEM_KEYS),
            **{name: [v.value for v in values] for name, values in VOCABULARIES.items()},
        },
        limits={
            "batch_size": BATCH_SIZE,
            "preceding": PRECEDING,
            "max_bytes": MAX_BYTES,
            "max_chars": MAX_CHARS,
            "item_cap": ITEM_CAP,
        },
    )


def _prompts(kind: PacketKind, lang: Lang) -> PromptPair:
    file = files("draligned.evaluators").joinpath("prompts", f"{kind}.{lang}.md")
    return PromptPair(
        system=file.read_text(encoding="utf-8"), instruction=_INSTRUCTIONS[kind, lang]
    )
