"""How runs' states follow one another from locus to locus, as bands (DR-76, DR-77, DR-110).

Every column stacks the same planned runs by a state that is nominal and relative to the run's own
endpoint. Heights count runs; no column has a scale of its own or shares one with another.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pandas as pd
from markupsafe import Markup

from draligned.report.matrix import ABSENT, LOCI
from draligned.report.rows import Row, only, rows
from draligned.report.shown import reveal
from draligned.report.texts import Texts
from draligned.report.trajectories import css

WIDTH = 660
NODE = 12
HEIGHT = 190
"""What all runs together take up in a column, its gaps left out."""
GAP = 15
TOP = 26
STATES = ("OWN_ONLY", "BOTH", "OTHER_ONLY", "NONE", "UNKNOWN", "ABSENT")

Path = tuple[str, ...]
"""The states of one run at the loci, in their order."""


class Tables(Protocol):
    """What has tables by name: a study, or what a report is made of."""

    def table(self, name: str) -> pd.DataFrame:
        """A table of measure."""
        ...


@dataclass(frozen=True, kw_only=True)
class Band:
    """How many runs go from one state to another between neighbouring loci."""

    start: str
    end: str
    from_state: str
    to_state: str
    n: int


@dataclass(frozen=True, kw_only=True)
class Alluvial:
    """The picture of one harness, and its data."""

    title: str
    figure: Markup
    bands: tuple[Band, ...]
    runs: int
    by_construction: bool
    """Whether the harness submits the saved text, so that the last two columns can be alike."""


def alluvial_of(data: Tables, evaluator: str, harness: str, texts: Texts) -> Alluvial | None:
    """Over every planned run of a harness as one evaluator read it; none without runs."""
    found = rows(only(data.table("matrix"), evaluator=evaluator, harness=harness))
    if not found:
        return None
    paths = [tuple(state_at(row, locus) for locus in LOCI) for row in found]
    title = texts("alluvial.title", harness=harness)
    bands = tuple(_bands(paths, texts))
    return Alluvial(
        title=title,
        figure=picture(paths, title, texts),
        bands=bands,
        runs=len(paths),
        by_construction=_submits_saved(data, harness),
    )


def standalone(found: Sequence[Alluvial], texts: Texts) -> str:
    """The pictures with their own colours and notes, as a notebook shows them."""
    parts = [
        Markup('<div class="draligned"><style>{}</style>').format(css("notebook") + css("alluvial"))
    ]
    for one in found:
        note = Markup("<p>{}</p>").format(texts("alluvial.by_construction"))
        parts.append(
            Markup('<b>{}</b>{}<div class="scroll" tabindex="0" role="group" aria-label="{}">'
                   "{}</div>").format(
                one.title, note if one.by_construction else "", one.title, one.figure
            )
        )  # fmt: skip
    parts.append(Markup("<p>{}</p></div>").format(texts("alluvial.note")))
    return reveal(Markup("").join(parts))


def _submits_saved(data: Tables, harness: str) -> bool:
    found = rows(only(data.table("draft_final"), harness=harness))
    return any(row["persistence"] == "refused" for row in found)


def state_at(row: Row, locus: str) -> str:
    """The state of a run at a locus; what is not there is apart from what is unknown."""
    state, reason = str(row[f"{locus}_state"]), row[f"{locus}_reason"]
    if state == "NO_DOCUMENT" or reason in ABSENT:
        return "ABSENT"
    return state if reason is None and state in STATES else "UNKNOWN"


def _word(state: str, texts: Texts) -> str:
    return texts("matrix.absent") if state == "ABSENT" else texts.word("state", state)


def _bands(paths: Sequence[Path], texts: Texts) -> list[Band]:
    out = []
    for k in range(len(LOCI) - 1):
        counts = Counter((path[k], path[k + 1]) for path in paths)
        for start in STATES:
            for end in STATES:
                if counts[start, end]:
                    out.append(
                        Band(
                            start=texts(f"locus.{LOCI[k]}"),
                            end=texts(f"locus.{LOCI[k + 1]}"),
                            from_state=_word(start, texts),
                            to_state=_word(end, texts),
                            n=counts[start, end],
                        )
                    )
    return out


@dataclass(frozen=True, kw_only=True)
class _Node:
    top: float
    height: float
    n: int


def picture(paths: Sequence[Path], title: str, texts: Texts) -> Markup:
    """The picture of runs' paths."""
    unit = HEIGHT / len(paths)
    columns = [_column(Counter(path[k] for path in paths), unit) for k in range(len(LOCI))]
    parts = [_ribbons(paths, k, columns[k], columns[k + 1], unit) for k in range(len(LOCI) - 1)]
    parts += [_nodes(k, column, texts) for k, column in enumerate(columns)]
    bottom = TOP + HEIGHT + GAP * max(len(column) for column in columns)
    told = texts("alluvial.desc", runs=len(paths))
    return Markup(
        '<svg class="alluvial" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img">'
        "<title>{2}</title><desc>{3}</desc>{4}</svg>"
    ).format(WIDTH, bottom, title, told, Markup("").join(parts))


def _column(counts: Mapping[str, int], unit: float) -> dict[str, _Node]:
    out, top = {}, float(TOP)
    for state in STATES:
        n = counts.get(state, 0)
        if n:
            out[state] = _Node(top=top, height=n * unit, n=n)
            top += n * unit + GAP
    return out


def _left(column: int) -> int:
    """Left edge of a column; its label stands to the right of it."""
    return 4 + column * (WIDTH - 100) // (len(LOCI) - 1)


def _nodes(column: int, nodes: Mapping[str, _Node], texts: Texts) -> Markup:
    x = _left(column)
    head = '<text class="head" x="{}" y="14">{}</text>'
    out = [Markup(head).format(x, texts(f"locus.{LOCI[column]}"))]
    for state, node in nodes.items():
        out.append(
            Markup('<rect class="node {}" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>').format(
                state.lower(), x, node.top, NODE, node.height
            )
        )
        y = node.top + node.height / 2 + 3.5
        label = f"{_word(state, texts)} {node.n}"
        out.append(Markup('<text x="{}" y="{:.1f}">{}</text>').format(x + NODE + 5, y, label))
    return Markup("").join(out)


def _ribbons(
    paths: Sequence[Path],
    column: int,
    left: Mapping[str, _Node],
    right: Mapping[str, _Node],
    unit: float,
) -> Markup:
    counts = Counter((path[column], path[column + 1]) for path in paths)
    used_left, used_right = Counter[str](), Counter[str]()
    out = []
    x1, x2 = _left(column) + NODE, _left(column + 1)
    middle = (x1 + x2) / 2
    for start in STATES:
        for end in STATES:
            n = counts[start, end]
            if not n:
                continue
            a = left[start].top + used_left[start] * unit
            b = right[end].top + used_right[end] * unit
            used_left[start] += n
            used_right[end] += n
            h = n * unit
            path = (
                f"M{x1} {a:.1f}C{middle} {a:.1f} {middle} {b:.1f} {x2} {b:.1f}"
                f"V{b + h:.1f}C{middle} {b + h:.1f} {middle} {a + h:.1f} {x1} {a + h:.1f}Z"
            )
            out.append(Markup('<path class="band {}" d="{}"/>').format(start.lower(), path))
    return Markup("").join(out)
