"""Hand-written cards: read from TOML or JSON, and checked like generated ones (DESIGN §5)."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from draligned.bench_data.kinds import Kind, kind_named
from draligned.bench_data.relevance import RelevanceRow, row_for
from draligned.constructors.hand_card import HandCard, filled_in
from draligned.constructors.removal import named_in, split_background
from draligned.constructors.review import checked
from draligned.constructors.sentences import differing, not_one_line, value_names
from draligned.constructors.source import Source
from draligned.schema.design import (
    Endpoint,
    FactorCard,
    Finding,
    Lang,
    Persona,
    TaskRecord,
)
from draligned.schema.errors import ConfigError
from draligned.schema.labels import CardOutcome, Problem
from draligned.schema.strictjson import loads, visible
from draligned.schema.tomltext import explained


def card_template(lang: Lang) -> str:
    """A commented card file to start from (TOML); as it stands it fits the bundled set."""
    return files(__package__).joinpath("prompts", f"card_{lang}.toml").read_text("utf-8")


def read_cards(path: Path, source: Source) -> tuple[FactorCard, ...]:
    """Cards of a TOML or JSON file, each with its outcome and findings.

    Raises `ConfigError` in one line naming the file, the card and what is wrong.
    """
    try:
        raw = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name} is not UTF-8 (byte {error.start})") from None
    return parse_cards(raw, source, name=path.name)


def parse_cards(text: str, source: Source, *, name: str) -> tuple[FactorCard, ...]:
    """As `read_cards`, from text; a `name` that ends in .json is read as JSON."""
    out: list[FactorCard] = []
    for number, item in enumerate(_items(text, name), start=1):
        card = _card(item, source, f"{name}, card {number}")
        if any(card.factor_id == c.factor_id for c in out):
            raise ConfigError(f"{name}, card {number}: the same factor as an earlier card")
        out.append(card)
    if not out:
        raise ConfigError(f"{name} holds no card; start from the card template")
    return tuple(out)


def _items(text: str, name: str) -> list[dict[str, Any]]:
    try:
        body = loads(text) if name.lower().endswith(".json") else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = visible(explained(text, error))
        raise ConfigError(f"{name} cannot be read: {said}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name} cannot be read: {visible(str(error))}") from None
    items = body.get("card") if isinstance(body, dict) else body
    extra = sorted(set(body) - {"card"}) if isinstance(body, dict) else []
    if extra:
        raise ConfigError(f"{name}: unknown key `{visible(extra[0])}`; cards stand under `card`")
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise ConfigError(f"{name}: expected a list of cards under `card` ([[card]] in TOML)")
    return items


def _card(item: dict[str, Any], source: Source, where: str) -> FactorCard:
    if isinstance(item.get("task_id"), int) and not isinstance(item["task_id"], bool):
        item = {**item, "task_id": str(item["task_id"])}
    hand = filled_in(item, source, where)
    for side, end in (("p", hand.p), ("q", hand.q)):
        if fault := not_one_line(end.sentence):
            raise ConfigError(f"{where}: `{side}.sentence`: {fault}; write one plain line")
    task, persona = source.task(hand.task_id), source.persona(hand.user_id)
    if task is None or hand.user_id not in task.users:
        raise ConfigError(f"{where}: task {hand.task_id} with {hand.user_id} is not in the data")
    if persona is None:
        raise ConfigError(f"{where}: there is no profile of {hand.user_id}")
    card = checked(_assembled(hand, task, persona, where), task, persona)
    return _foreign_background(_telling_background(card, hand), hand, persona)


def _assembled(hand: HandCard, task: TaskRecord, persona: Persona, where: str) -> FactorCard:
    kind = kind_named(hand.kind, task.lang)
    row = row_for(hand.kind, task.domain, task.lang)
    p, q = _endpoints(hand, kind)
    background = split_background(
        persona, hand.field_path, kind, (*p.words, *q.words, p.value, q.value)
    )
    order_p, order_q = _orders(hand, row, p.value, q.value, where)
    return FactorCard(
        task_id=task.task_id,
        user_id=persona.user_id,
        lang=task.lang,
        domain=task.domain,
        kind=hand.kind,
        field_path=hand.field_path,
        evidence_quote=hand.evidence_quote,
        p=p,
        q=q,
        background=background.kept if hand.background is None else hand.background,
        removed_from_both=background.removed if hand.background is None else (),
        decision=hand.decision or _row(row).decision,
        order_p=order_p,
        order_q=order_q,
        axis=hand.axis or _row(row).axis,
        source="hand",
        outcome=CardOutcome.NEEDS_REVIEW,
    )


def _endpoints(hand: HandCard, kind: Kind | None) -> tuple[Endpoint, Endpoint]:
    parts = differing(hand.p.sentence, hand.q.sentence)
    out = []
    for written, part in zip((hand.p, hand.q), parts, strict=True):
        names = value_names(kind, written.sentence) if kind else ()
        value = names[0] if len(names) == 1 else part
        words = written.words
        if not words and kind is not None and len(names) == 1:
            words = kind.value(value).public
        out.append(
            Endpoint(value=value, sentence=written.sentence, words=words or ((part,) * bool(part)))
        )
    return out[0], out[1]


def _orders(
    hand: HandCard, row: RelevanceRow | None, p: str, q: str, where: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if hand.order_p is not None and hand.order_q is not None:
        return hand.order_p, hand.order_q
    table = _row(row)
    if table.option is None and not {p, q} <= set(table.options):
        raise ConfigError(f"{where}: `order_p` and `order_q` are needed for these values")
    return table.order(p, q), table.order(q, p)


def _row(row: RelevanceRow | None) -> RelevanceRow:
    """The row of a card that leaves something to it; `_missing` has seen that there is one."""
    if row is None:
        raise ValueError("a card without a row says everything itself")
    return row


def _telling_background(card: FactorCard, hand: HandCard) -> FactorCard:
    """A kind without rules is kept out of a background written by hand by its words."""
    if hand.background is None or kind_named(card.kind, card.lang) is not None:
        return card
    words = (*card.p.words, *card.q.words)
    hits = ((d.path, word) for d in card.background if (word := named_in(d.text, words)))
    found = next(hits, None)
    if found is None or card.outcome is not CardOutcome.NEEDS_REVIEW:
        return card
    finding = Finding(
        reviewer="rules-card",
        problem=Problem.CONTRADICTION,
        verdict="fatal",
        reason=f"{found[0]} names an endpoint: “{found[1]}”",
    )
    return card.model_copy(
        update={
            "findings": (*card.findings, finding),
            "outcome": CardOutcome.REJECTED_CONTRADICTION,
        }
    )


def _foreign_background(card: FactorCard, hand: HandCard, persona: Persona) -> FactorCard:
    """A background detail that the profile does not hold is left for people to judge."""
    own = {d.text for d in persona.details}
    strange = next((d for d in hand.background or () if d.text not in own), None)
    if strange is None or card.outcome not in (CardOutcome.ACCEPTED, CardOutcome.NEEDS_REVIEW):
        return card
    finding = Finding(
        reviewer="rules-card",
        problem=None,
        verdict="undecided",
        reason=f"the profile has no detail “{visible(strange.text, 40)}”",
    )
    return card.model_copy(
        update={"findings": (*card.findings, finding), "outcome": CardOutcome.NEEDS_REVIEW}
    )
