"""Frozen lists that belong to the instrument, read as data: stop words and known answers.

They are files of the package, so a change to them changes tables; nothing that computes is taken
from beside them.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from draligned.verify.ids import id_of

_DATA = Path(__file__).resolve().parents[1] / "bench_data"


def _listed(name: str) -> dict[str, Any]:
    return tomllib.loads((_DATA / name).read_text(encoding="utf-8"))


@cache
def stop_words(cut: str) -> frozenset[str]:
    """Tokens that are no content where text is cut into `characters` or `words`."""
    raw = _listed("stoplist.toml")
    more = raw["words"] if cut == "words" else ()
    return frozenset((*raw["characters"], *raw["english"], *more))


@dataclass(frozen=True, kw_only=True)
class Known:
    """A packet with known answers: what is right, by number of the request, 0 for a document."""

    gold_id: str
    right: tuple[tuple[int, str], ...]


@cache
def sentinels(lang: str) -> tuple[Known, ...]:
    """Packets of one wave in the order in which they are asked: requests, then documents."""
    raw = _listed(f"gold_{lang}.toml")
    axes = {axis["name"]: axis for axis in raw["axis"]}
    packets = (_requests(p, axes) for p in raw["packet"] if p.get("sentinel"))
    documents = (_document(d, axes) for d in raw["document"] if d.get("sentinel"))
    return (*packets, *documents)


def _requests(raw: dict[str, Any], axes: dict[str, Any]) -> Known:
    rows = [
        {
            "text": r["text"], "tool": r.get("tool", "search"), "label": r["label"],
            "trap": r["trap"], "sense": r.get("sense", False),
        }
        for r in raw["requests"]
    ]  # fmt: skip
    said = {"axis": axes[raw["axis"]], "requests": rows, "sentinel": True}
    right = tuple((number, r["label"]) for number, r in enumerate(rows, start=1))
    return Known(gold_id=id_of("gold", said), right=right)


def _document(raw: dict[str, Any], axes: dict[str, Any]) -> Known:
    said = {
        "axis": axes[raw["axis"]], "text": raw["text"].lstrip("\n"), "label": raw["label"],
        "trap": raw["trap"], "sense": raw.get("sense", False),
        "marks": [_mark(m) for m in raw.get("marks", ())], "sentinel": True,
        "order": raw.get("order"),
    }  # fmt: skip
    return Known(gold_id=id_of("gold", said), right=((0, raw["label"]),))


def _mark(raw: dict[str, Any]) -> dict[str, Any]:
    names = ("actor", "role", "action", "strength", "direction")
    return {"says": raw["says"], **{name: _several(raw.get(name, ())) for name in names}}


def _several(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
