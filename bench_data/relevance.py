"""The reviewed relevance table: kind of fact × domain → an open decision (DR-4, DESIGN §5)."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from draligned.bench_data.kinds import Kind, kind_named
from draligned.schema.base import Record
from draligned.schema.design import Axis, Lang
from draligned.schema.errors import DesignError


class RelevanceRow(Record):
    """One kind of fact, one domain, and the decision whose order it changes."""

    kind: str
    domain: str
    decision: str
    question: str
    specific: str
    """What counts as specific to one endpoint."""
    guidance: str
    option: str | None = None
    """Option under a value, with `{value}`; or `options` by value."""
    options: dict[str, str] = {}
    middle: tuple[str, ...] = ()
    """Options whose place does not depend on the value."""
    needs: str | None = None
    forced: tuple[str, ...] = ()

    def applies(self, task_text: str) -> bool:
        """Whether the task leaves a decision of this sort to be made."""
        return self.needs is None or re.search(self.needs, task_text) is not None

    def option_of(self, value: str) -> str:
        """The option that suits `value` best."""
        if self.option is not None:
            return self.option.replace("{value}", value)
        return self.options[value]

    def order(self, own: str, other: str) -> tuple[str, ...]:
        """Options, most suitable first, when the fact is `own` rather than `other`."""
        return (self.option_of(own), *self.middle, self.option_of(other))

    @property
    def axis(self) -> Axis:
        """What evaluators are told; it names no side."""
        return Axis(
            question=self.question, guidance=self.guidance.replace("{specific}", self.specific)
        )


def rows(lang: Lang) -> tuple[RelevanceRow, ...]:
    """All rows of a language. Raises `DesignError` if the table is unsound."""
    return _read(f"relevance_{lang}.toml", lang)


def second_rows(lang: Lang) -> tuple[RelevanceRow, ...]:
    """Rows for second facts of two-factor tasks alone. Raises `DesignError`."""
    return _read(f"relevance_second_{lang}.toml", lang)


@cache
def _read(name: str, lang: Lang) -> tuple[RelevanceRow, ...]:
    raw = tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))
    out = tuple(
        RelevanceRow.model_validate({"guidance": raw["guidance"], **item}) for item in raw["row"]
    )
    for row in out:
        _check(row, kind_named(row.kind, lang))
    if len({(r.kind, r.domain) for r in out}) != len(out):
        raise DesignError(f"{name}: a kind and domain stand in two rows")
    return out


def row_for(kind: str, domain: str, lang: Lang) -> RelevanceRow | None:
    """The row of a kind in a domain, or none."""
    return next((r for r in rows(lang) if (r.kind, r.domain) == (kind, domain)), None)


def second_row_for(kind: str, domain: str, lang: Lang) -> RelevanceRow | None:
    """The row of a kind in a domain that holds for second facts alone, or none."""
    return next((r for r in second_rows(lang) if (r.kind, r.domain) == (kind, domain)), None)


def _check(row: RelevanceRow, kind: Kind | None) -> None:
    where = f"relevance row {row.kind} × {row.domain}"
    if kind is None:
        raise DesignError(f"{where}: no such kind")
    if row.option is None and {v.name for v in kind.values} != set(row.options):
        raise DesignError(f"{where}: options must name every value once")
