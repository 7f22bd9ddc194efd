"""The chat-model constructor under a written protocol (DR-11).

The system message is `prompts/constructor_{zh,en}.txt`. The user message is one
JSON object: `task`, `domain`, `leaves` [{path, text}] in profile order, and
`relevance` [{kind, title, fields, decision, question, guidance, values: [{name,
pair, sentence, words, option}]}], where `fields` are the leaves' paths that
state this kind. The reply is one JSON object {field_path, kind, evidence_quote,
p_sentence, q_sentence, p_words, q_words, decision, order_p, order_q,
axis_question, axis_guidance}; an empty `field_path` means that no fact will do.
The card is assembled from the reply and checked by the same rules as any other.
"""

import json
from collections.abc import Callable
from typing import Annotated

from pydantic import Field, ValidationError

from draligned.bench_data.kinds import kind_named
from draligned.bench_data.relevance import RelevanceRow, row_for, rows
from draligned.constructors.conditions import prompt
from draligned.constructors.fields import Tried, note
from draligned.constructors.removal import anonymous, split_background
from draligned.constructors.replies import read_object
from draligned.constructors.review import checked, reason_in_words
from draligned.constructors.sentences import differing, not_one_line, value_names
from draligned.models.protocol import ChatModel
from draligned.schema.base import Record, short_id
from draligned.schema.chat import CallKey, ChatRequest, Message
from draligned.schema.design import (
    Axis,
    Detail,
    Endpoint,
    FactorCard,
    Lang,
    Persona,
    TaskRecord,
)
from draligned.schema.ids import seed_of
from draligned.schema.labels import CardOutcome

Said = Annotated[str, Field(max_length=2_000)]
Words = Annotated[tuple[Said, ...], Field(max_length=50)]


class Proposal(Record):
    """A constructor's reply; nothing in it is longer than a card has use for."""

    field_path: Said
    kind: Said
    evidence_quote: Said
    p_sentence: Said
    q_sentence: Said
    p_words: Words
    q_words: Words
    decision: Said
    order_p: Words
    order_q: Words
    axis_question: Said
    axis_guidance: Said


async def propose(
    model: ChatModel,
    task: TaskRecord,
    persona: Persona,
    path_open: Callable[[str], bool],
    seed: int,
) -> Tried:
    """Ask the model for one card and check it. Raises what `ChatModel.complete` raises."""
    leaves = tuple(d for d in anonymous(persona) if path_open(d.path))
    reply = await model.complete(_request(model, task, leaves, persona.user_id, seed))
    answer = read_object(reply)
    if answer.value is None:
        return _failed(task, persona, f"the constructor's reply cannot be read: {answer.reason}")
    if answer.value.get("field_path") == "":
        return _failed(task, persona, "the constructor found no eligible field")
    try:
        proposal = Proposal.model_validate(answer.value)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, e["loc"])) for e in error.errors())
        return _failed(
            task, persona, f"the constructor's reply has wrong, missing or overlong keys: {fields}"
        )
    return _judged(task, persona, proposal)


def _failed(task: TaskRecord, persona: Persona, reason: str) -> Tried:
    return note(task, persona, "", CardOutcome.NO_ELIGIBLE_FIELD, reason)


def _judged(task: TaskRecord, persona: Persona, proposal: Proposal) -> Tried:
    path, kind = proposal.field_path, proposal.kind
    if row_for(kind, task.domain, task.lang) is None:
        reason = f"no row for {kind} × {task.domain}"
        return note(task, persona, path, CardOutcome.NO_RELEVANCE, reason, kind)
    for sentence in (proposal.p_sentence, proposal.q_sentence):
        if fault := not_one_line(sentence):
            return _failed(task, persona, f"the constructor's reply: {fault}")
    card = checked(card_from(task, persona, proposal), task, persona)
    tried = note(task, persona, path, card.outcome, reason_in_words(card), kind)
    return tried.model_copy(update={"card": card})


def card_from(task: TaskRecord, persona: Persona, proposal: Proposal) -> FactorCard:
    """The card that a reply describes; the background is ours, not the model's."""
    kind = kind_named(proposal.kind, task.lang)
    sentences = (proposal.p_sentence, proposal.q_sentence)
    parts = differing(*sentences)
    named = [(value_names(kind, s) if kind else ()) for s in sentences]
    values = [n[0] if len(n) == 1 else part for n, part in zip(named, parts, strict=True)]
    words = (*proposal.p_words, *proposal.q_words, *(v for v in values if v))
    background = split_background(persona, proposal.field_path, kind, words)
    return FactorCard(
        task_id=task.task_id,
        user_id=persona.user_id,
        lang=task.lang,
        domain=task.domain,
        kind=proposal.kind,
        field_path=proposal.field_path,
        evidence_quote=proposal.evidence_quote,
        p=Endpoint(value=values[0], sentence=sentences[0], words=proposal.p_words),
        q=Endpoint(value=values[1], sentence=sentences[1], words=proposal.q_words),
        background=background.kept,
        removed_from_both=background.removed,
        decision=proposal.decision,
        order_p=proposal.order_p,
        order_q=proposal.order_q,
        axis=Axis(question=proposal.axis_question, guidance=proposal.axis_guidance),
        source="chat",
        outcome=CardOutcome.NEEDS_REVIEW,
    )


def _request(
    model: ChatModel, task: TaskRecord, leaves: tuple[Detail, ...], user_id: str, seed: int
) -> ChatRequest:
    body = json.dumps(_material(task, leaves), ensure_ascii=False, indent=1)
    key = ("construct", model.key, task.lang, task.task_id, user_id, seed)
    return ChatRequest(
        key=CallKey(owner=short_id(*key), attempt=1, sequence=0),
        messages=(
            Message(role="system", text=prompt("constructor", task.lang)),
            Message(role="user", text=body),
        ),
        seed=seed_of(*key),
        json_mode=True,
    )


def _material(task: TaskRecord, leaves: tuple[Detail, ...]) -> dict[str, object]:
    open_rows = [r for r in rows(task.lang) if r.domain == task.domain and r.applies(task.text)]
    return {
        "task": task.text,
        "domain": task.domain,
        "leaves": [{"path": d.path, "text": d.text} for d in leaves],
        "relevance": [_row_material(r, leaves, task.lang) for r in open_rows],
    }


def _row_material(row: RelevanceRow, leaves: tuple[Detail, ...], lang: Lang) -> dict[str, object]:
    kind = kind_named(row.kind, lang)
    if kind is None:
        raise ValueError(row.kind)
    return {
        "kind": kind.name,
        "title": kind.title,
        "fields": [d.path for d in leaves if kind.holds_path(d.path)],
        "decision": row.decision,
        "question": row.question,
        "guidance": row.axis.guidance,
        "values": [
            {
                "name": v.name,
                "pair": v.pair,
                "sentence": kind.endpoint(v.name).sentence,
                "words": list(v.public),
                "option": row.option_of(v.name),
            }
            for v in kind.values
        ],
        "middle": list(row.middle),
    }
