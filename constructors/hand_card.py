"""A card as written by hand, and everything that is missing from it or wrong, said at once."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from draligned.bench_data.kinds import kind_named
from draligned.bench_data.relevance import row_for
from draligned.constructors.source import Source
from draligned.schema.base import Record
from draligned.schema.design import Axis, Detail
from draligned.schema.errors import ConfigError
from draligned.schema.strictjson import visible

FROM_THE_TABLE = ("decision", "order_p", "order_q", "axis")
"""Keys that a row of the relevance table supplies when they are left out."""


class HandEndpoint(Record):
    """An endpoint as written by hand."""

    sentence: str
    words: tuple[str, ...] = ()
    """Public words; left out, those of the kind."""


class HandCard(Record):
    """A card as written by hand; what is left out comes from the relevance table."""

    task_id: str
    user_id: str
    kind: str
    field_path: str
    evidence_quote: str
    p: HandEndpoint
    q: HandEndpoint
    decision: str | None = None
    order_p: tuple[str, ...] | None = None
    order_q: tuple[str, ...] | None = None
    axis: Axis | None = None
    background: tuple[Detail, ...] | None = None
    """Left out: the profile less what tells on an endpoint."""


def filled_in(item: dict[str, Any], source: Source, where: str) -> HandCard:
    """The card as written. Raises `ConfigError` that names every key that is missing or wrong."""
    wrong: list[str] = []
    absent: list[str] = []
    hand = None
    try:
        hand = HandCard.model_validate_json(json.dumps(item, default=str))
    except ValidationError as error:
        for fault in error.errors():
            key = visible(".".join(map(str, fault["loc"])))
            if fault["type"] == "missing":
                absent.append(key)
            else:
                wrong.append(f"`{key}`: {fault['msg']}")
    faults = [f"{_keys(absent)} missing"] * bool(absent) + wrong + _needed(item, source)
    if hand is None or faults:
        raise ConfigError(f"{where}: {'; '.join(faults)}")
    return hand


def _needed(item: dict[str, Any], source: Source) -> list[str]:
    """What neither a kind nor a row of the table supplies for this card."""
    name, task = item.get("kind"), source.task(str(item.get("task_id")))
    if not isinstance(name, str):
        return []
    out = []
    shown = visible(name, 60)
    ends = [(side, item[side]) for side in ("p", "q") if isinstance(item.get(side), dict)]
    wordless = [f"{side}.words" for side, end in ends if not _said(end.get("words"))]
    if kind_named(name, source.lang) is None and wordless:
        out.append(f"{_keys(wordless)} needed: there are no rules for the kind {shown}")
    unsaid = [k for k in FROM_THE_TABLE if not item.get(k)]
    if task is not None and unsaid and row_for(name, task.domain, source.lang) is None:
        place = f"{shown} × {visible(task.domain, 60)}"
        out.append(f"{_keys(unsaid)} needed: the relevance table has no row for {place}")
    elif (item.get("order_p") is None) != (item.get("order_q") is None):
        out.append("`order_p` and `order_q` go together: give both or neither")
    return out


def _said(words: object) -> bool:
    """Whether there are words, none of them blank."""
    if not isinstance(words, list):
        return words is not None
    return bool(words) and all(str(w).strip() for w in words)


def _keys(names: Sequence[str]) -> str:
    """“`a` is”, or “`a`, `b` and `c` are”."""
    quoted = [f"`{n}`" for n in names]
    if len(quoted) < 2:
        return f"{''.join(quoted)} is"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} are"
