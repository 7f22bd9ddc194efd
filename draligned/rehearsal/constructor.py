"""The rehearsal constructor: plays the chat constructor by recognising known kinds of facts."""

from collections.abc import Iterator
from typing import Any

from draligned.bench_data.kinds import Kind, kind_named
from draligned.constructors.review_decision import task_fixes
from draligned.constructors.values import recognise
from draligned.rehearsal.brief import language_of
from draligned.rehearsal.packets import as_json, object_in, strings
from draligned.rehearsal.wire import Answer, Asked
from draligned.schema.design import Lang


def answer_as_constructor(asked: Asked) -> Answer:
    """The first card that the profile bears, or an empty field path. Raises `InputError`."""
    material = object_in(asked)
    card = next(_cards(material), {"field_path": ""})
    return Answer(text=as_json(card))


def _cards(material: dict[str, Any]) -> Iterator[dict[str, Any]]:
    task = str(material.get("task", ""))
    domain = str(material.get("domain", ""))
    lang: Lang = language_of(task)
    for leaf in _objects(material.get("leaves")):
        for row in _objects(material.get("relevance")):
            kind = kind_named(str(row.get("kind")), lang)
            if kind is None or not kind.holds_path(str(leaf.get("path"))):
                continue
            if task_fixes(kind, domain, task, lang) is None:
                yield from _card(leaf, row, kind)


def _card(leaf: dict[str, Any], row: dict[str, Any], kind: Kind) -> Iterator[dict[str, Any]]:
    """The card of one leaf under one row; none where the leaf states no single value."""
    found = recognise(kind, str(leaf.get("text", "")))
    values = {str(v.get("name")): v for v in _objects(row.get("values"))}
    own = values.get(found.value or "")
    other = values.get(str(own.get("pair"))) if own else None
    if own is None or other is None:
        return
    best, worst = str(own.get("option", "")), str(other.get("option", ""))
    yield {
        "field_path": leaf.get("path"),
        "kind": kind.name,
        "evidence_quote": found.quote,
        "p_sentence": own.get("sentence"),
        "q_sentence": other.get("sentence"),
        "p_words": list(strings(own.get("words"))),
        "q_words": list(strings(other.get("words"))),
        "decision": row.get("decision"),
        "order_p": [best, worst],
        "order_q": [worst, best],
        "axis_question": row.get("question"),
        "axis_guidance": row.get("guidance"),
    }


def _objects(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
