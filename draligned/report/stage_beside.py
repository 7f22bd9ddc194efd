"""What stands beside the shares of a design: examples of replies, the prompt, the regressions."""

from collections.abc import Iterator
from dataclasses import dataclass

from draligned.report import numbers
from draligned.report import stage_rows as sr
from draligned.report.rows import Row, rows
from draligned.report.stage_data import DesignPart, ExampleReply
from draligned.report.stage_grid import Grid, grid_of
from draligned.report.texts import Texts
from draligned.schema.progress import Arm

_NBSP = "\u00a0"


@dataclass(frozen=True, kw_only=True)
class ExampleCard:
    """One stored reply, ready to be laid out. Texts of models stay data."""

    layer: str
    css: str
    told: str
    where: str
    last: str
    required: str
    said: str
    calls: tuple[str, ...]
    position: str


def examples_of(part: DesignPart, texts: Texts) -> tuple[ExampleCard, ...]:
    """A reply of each layer that there was, clean first."""
    order = [layer.value for layer in sr.LAYERS]
    found = sorted(part.examples, key=lambda e: sr.place(order, e.layer))
    return tuple(_card(example, texts) for example in found)


def _card(example: ExampleReply, texts: Texts) -> ExampleCard:
    required = example.required
    return ExampleCard(
        layer=texts.word("p_layer", example.layer),
        css=example.layer,
        told=texts.word("p_layer_told", example.layer),
        where=f"{texts.word('p_group', example.point)} · {example.scenario_id}",
        last=example.last,
        required=texts("stage.required", value=required) if required else texts("stage.none_due"),
        said=example.text,
        calls=example.calls,
        position=example.position_id,
    )


def prompt_of(part: DesignPart) -> str:
    """The system message of the design's first baseline request: role, rules, reporting duty."""
    base = (s for s in part.design.stimuli if s.arm is Arm.BASELINE)
    first = next(base, part.design.stimuli[0])
    return first.messages[0].text or ""


def mixed_of(part: DesignPart, texts: Texts) -> Grid | None:
    """The linear mixed models, one row a deployment and encoding."""
    keys = ("deployment", "encoding", "intermediate", "ci", "p_normal", "variance", "rows")
    return grid_of(texts, keys, tuple(_mixed(r, texts) for r in _table(part, "mixed")))


def gee_of(part: DesignPart, texts: Texts) -> Grid | None:
    """The logistic GEE, whole and without each scenario."""
    keys = ("encoding", "left_out", "beta", "se", "odds", "ci", "p_normal", "rows")
    found = sorted(_table(part, "gee"), key=lambda r: (r["encoding"], r["left_out"] or ""))
    return grid_of(texts, keys, tuple(_gee(r, texts) for r in found))


def _table(part: DesignPart, name: str) -> Iterator[Row]:
    table = part.tables.get(name)
    return iter(()) if table is None else iter(rows(table))


def _mixed(row: Row, texts: Texts) -> tuple[str, ...]:
    head = (row["deployment"], row["encoding"].upper())
    last = numbers.count(int(row["n"]))
    if row["status"] != "ok":
        return (*head, _unknown(row, texts), "–", "–", "–", last)
    ends = (numbers.signed(100 * row[name], 1) for name in ("ci_lo", "ci_hi"))
    return (*head, numbers.signed(100 * row["intermediate"], 1), f"[{f',{_NBSP}'.join(ends)}]",
            numbers.p_value(row["p"]), f"{row['scenario_variance']:.4f}", last)  # fmt: skip


def _gee(row: Row, texts: Texts) -> tuple[str, ...]:
    head = (row["encoding"].upper(), row["left_out"] or texts("stage.none_left_out"))
    last = numbers.count(int(row["n"]))
    if row["status"] != "ok":
        return (*head, _unknown(row, texts), "–", "–", "–", "–", last)
    return (*head, numbers.signed(row["beta"]), numbers.plain(row["se"]),
            numbers.plain(row["odds_ratio"]),
            f"[{numbers.plain(row['or_lo'])},{_NBSP}{numbers.plain(row['or_hi'])}]",
            numbers.p_value(row["p"]), last)  # fmt: skip


def _unknown(row: Row, texts: Texts) -> str:
    return texts("stage.unknown", reason=texts.word("p_unfit", str(row["reason"])))
