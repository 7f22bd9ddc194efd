"""One estimate, one box: value, interval with its method, counts by arm and bounds together.

Nothing else on the page prints an estimate, so that none can stand alone (DR-85 … DR-88).
"""

from dataclasses import dataclass, replace

from markupsafe import Markup

from draligned.report import figures, numbers
from draligned.report.forest import Forest
from draligned.report.rows import Row, number, pair_of, whole
from draligned.report.texts import Texts


@dataclass(frozen=True, kw_only=True)
class Line:
    """A term and what is said of it; `kind` is the class that the page gives it."""

    kind: str
    term: str
    text: str
    note: str = ""
    scope: str = ""
    """Of an interval: what it does not cover."""


NO_NULL = "no-null"
"""Mark of the line of controls of a quantity that has none."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """A box, ready to be laid out."""

    estimand: str
    channel: str
    population: str
    title: str
    about: str
    stamp: str
    primary: bool
    value: str
    has_value: bool
    caution: str
    """How a value of this quantity is misread; blank of levels and shares."""
    lines: tuple[Line, ...]
    further: tuple[Line, ...]
    figure: Markup
    forest: Forest | None = None
    """Its tasks, in the main boxes."""


def make_box(row: Row, texts: Texts, control: Line | None = None) -> Box:
    """The box of a row laid out as `estimates`, of whatever set or setting; `control` says what
    the controls of the same quantity show."""
    value = number(row, "value")
    primary = bool(row.get("primary"))
    return Box(
        estimand=str(row["estimand"]),
        channel=str(row["channel"]),
        population=str(row["population"]),
        title=texts.word("estimand", str(row["estimand"])),
        about=texts.word("population", str(row["population"])),
        stamp=texts("box.registered" if primary else "box.exploratory"),
        primary=primary,
        value=_value(row, value, texts),
        has_value=value is not None,
        caution=_caution(row, texts),
        lines=(
            _interval(row, texts),
            _counts(row, texts),
            *_bounds(row, texts),
            *_checked(row, control, texts),
        ),
        further=tuple(_further(row, texts)),
        figure=figures.interval_panel(_drawn(row, texts)),
    )


def _value(row: Row, value: float | None, texts: Texts) -> str:
    if value is None:
        return numbers.absent(texts, row.get("reason"))
    return numbers.signed(value) if _directed(row) else numbers.plain(value)


def _caution(row: Row, texts: Texts) -> str:
    differs = str(row["estimand"]).startswith("D_")
    return texts(f"box.caution_{row['channel']}") if differs else ""


def _directed(row: Row) -> bool:
    """Whether the quantity has two directions; a share has not."""
    return number(row, "range_lo") != 0


def _span(row: Row, ends: tuple[float, float]) -> str:
    return numbers.span(*ends, directed=_directed(row))


def is_flat(row: Row) -> bool:
    """Whether the interval has no width."""
    found = pair_of(row, "ci")
    return found is not None and numbers.signed(found[0]) == numbers.signed(found[1])


def _interval(row: Row, texts: Texts) -> Line:
    """The interval, and beside every one that is there what it does not cover."""
    line = _method_line(row, texts)
    return line if pair_of(row, "ci") is None else replace(line, scope=texts("box.scope"))


def _method_line(row: Row, texts: Texts) -> Line:
    term, found = texts("box.interval"), pair_of(row, "ci")
    if found is None:
        reason = texts.word("reason", str(row.get("reason") or "not_given"))
        return Line(kind="interval", term=term, text=texts("box.no_interval", reason=reason))
    if row.get("degenerate") or is_flat(row):
        return _degenerate(row, term, texts)
    note = _method(row, str(row.get("ci_method")), texts)
    return Line(kind="interval", term=term, text=_span(row, found), note=note)


def _degenerate(row: Row, term: str, texts: Texts) -> Line:
    """The cautious interval first, never one without width, and the word for what happened."""
    why = "box.degenerate" if row.get("degenerate") else "box.degenerate_shown"
    note = texts(why, tasks=whole(row, "n_tasks"))
    own = texts.word("method", str(row.get("ci_method")))
    cautious = pair_of(row, "ci_union" if is_flat(row) else "ci")
    if cautious is None:
        note += " " + texts("box.degenerate_method", method=own)
        return Line(kind="interval degenerate", term=term, text=texts("box.no_width"), note=note)
    if is_flat(row):
        method = texts.word("method", str(row.get("ci_union_method")))
        note += " " + texts("box.degenerate_methods", cautious=method, method=own)
    else:
        note += " " + texts("box.degenerate_method", method=own)
    text = texts("box.cautious", span=_span(row, cautious))
    return Line(kind="interval degenerate", term=term, text=text, note=note)


def _method(row: Row, method: str, texts: Texts) -> str:
    known = texts.word("method", method)
    if method != "percentile":
        return known
    return texts(
        "box.resampled",
        method=known,
        draws=numbers.count(whole(row, "boot_draws")),
        tasks=whole(row, "boot_tasks"),
        seed=whole(row, "boot_seed"),
        empty=numbers.count(whole(row, "boot_empty")),
    )


def _counts(row: Row, texts: Texts) -> Line:
    """Pairs of the population, and in how many each arm, and both, were read (DR-85)."""
    note = texts(
        "box.tasks",
        tasks=whole(row, "n_tasks"),
        planned=whole(row, "n_tasks_planned"),
        pairs=numbers.count(whole(row, "n_planned")),
    )
    parts = {"p": "n_readable_p", "q": "n_readable_q", "both": "n_readable"}
    n_pairs = whole(row, "n_pairs")
    shares = {name: numbers.share(int(row[column]), n_pairs) for name, column in parts.items()}
    text = texts("box.counts", **shares)
    return Line(kind="counts", term=texts("box.readable"), text=text, note=note)


def _bounds(row: Row, texts: Texts) -> list[Line]:
    """Both bounds, one line if there are none, and a sentence if the value lies outside."""
    ends = {kind: pair_of(row, kind) for kind in ("coarse", "sharp")}
    if not any(ends.values()):
        text = texts(_why_unbounded(row))
        return [Line(kind="coarse sharp", term=texts("box.bounds"), text=text)]
    out = []
    for kind, found in ends.items():
        text = texts(_why_unbounded(row)) if found is None else _span(row, found)
        note = "" if found is None else texts(f"box.{kind}_note")
        out.append(Line(kind=kind, term=texts(f"box.{kind}"), text=text, note=note))
    if numbers.outside(number(row, "value"), ends["sharp"]):
        key = "box.outside" if row["population"] == "readable" else "box.outside_other"
        out.append(Line(kind="outside", term=texts("box.outside_term"), text=texts(key)))
    return out


def _why_unbounded(row: Row) -> str:
    if whole(row, "n_pairs") == 0:
        return "box.no_bounds_empty"
    common = row["population"] == "common_readable"
    return "box.no_bounds_common" if common else "box.no_bounds"


_SPANS = ("ci_t", "ci_union", "open", "loo_task", "loo_user", "twoway")


def _further(row: Row, texts: Texts) -> list[Line]:
    low, high = number(row, "range_lo") or 0.0, number(row, "range_hi") or 0.0
    range_text = f"{numbers.tick(low, low)} … {numbers.tick(high, low)}"
    out = [Line(kind="range", term=texts("further.range"), text=range_text)]
    for name in _SPANS:
        found = pair_of(row, name)
        if found is None or (name == "ci_union" and is_flat(row)):
            continue
        text = _span(row, found)
        if numbers.signed(found[0]) == numbers.signed(found[1]):
            text = texts("further.no_width", value=numbers.signed(found[0]))
        out.append(Line(kind=name, term=texts(f"further.{name}"), text=text))
    p = number(row, "signflip_p")
    if p is not None:
        method = texts.word("method", str(row.get("signflip_method")))
        text = texts("further.signflip_text", p=numbers.p_value(p), method=method)
        out.append(Line(kind="signflip", term=texts("further.signflip"), text=text))
    return out


def _checked(row: Row, control: Line | None, texts: Texts) -> list[Line]:
    """Tipping point and controls; one line where there is neither of a level or a share."""
    tipping = _tipping(row, texts)
    if control is None:
        return [tipping]
    if NO_NULL in control.kind and number(row, "tipping") is None:
        term = texts("box.neither_term")
        return [Line(kind=f"tipping {control.kind}", term=term, text=texts("box.neither"))]
    return [tipping, control]


def _tipping(row: Row, texts: Texts) -> Line:
    """What unreadable pairs would have to be for the sign to turn; why not, where none is made."""
    term = texts("further.tipping")
    value = number(row, "tipping")
    if value is None:
        return Line(kind="tipping", term=term, text=texts(_why_no_tipping(row)))
    low, high = number(row, "range_lo") or 0.0, number(row, "range_hi") or 0.0
    reach = "further.tipping_in" if low <= value <= high else "further.tipping_out"
    return Line(kind="tipping", term=term, text=texts(reach, value=numbers.signed(value)))


def _why_no_tipping(row: Row) -> str:
    directed = str(row["estimand"]).startswith("D_") and row["population"] != "common_readable"
    read_in_full = whole(row, "n_pairs") == whole(row, "n_readable") > 0
    return "further.tipping_full" if directed and read_in_full else "further.tipping_none"


def _drawn(row: Row, texts: Texts) -> figures.Interval:
    value, found = number(row, "value"), pair_of(row, "ci")
    flat = is_flat(row)
    parts = [texts.word("estimand", str(row["estimand"])), _value(row, value, texts)]
    if flat:
        parts.append(_interval(row, texts).text)
    for name in ("ci", "coarse", "sharp"):
        ends = pair_of(row, name)
        if ends is not None and not (flat and name == "ci"):
            parts.append(f"{texts(f'box.{name}_word')} {_span(row, ends)}")
    return figures.Interval(
        low=number(row, "range_lo") or 0.0,
        high=number(row, "range_hi") or 0.0,
        value=value,
        interval=None if flat else found,
        cautious=pair_of(row, "ci_union"),
        coarse=pair_of(row, "coarse"),
        sharp=pair_of(row, "sharp"),
        label="; ".join(parts),
        enlarged=texts("box.enlarged"),
    )
