"""How numbers are written on the page: one function a kind, no locale, no rounding surprises."""

from draligned.report.texts import Texts

MINUS = "\u2212"
DECIMALS = 3
SLACK = 1e-9
"""Tables hold 12 decimals; less than this is rounding."""


def plain(value: float, decimals: int = DECIMALS) -> str:
    """A number without a plus sign; what rounds to zero has no sign."""
    text = f"{abs(value):.{decimals}f}"
    is_zero = float(text) == 0
    return text if value >= 0 or is_zero else MINUS + text


def signed(value: float, decimals: int = DECIMALS) -> str:
    """A number that says its direction: +0.170, −0.170, 0.000."""
    text = plain(value, decimals)
    return text if value <= 0 or float(text) == 0 else "+" + text


def tick(value: float, low: float) -> str:
    """A tick or an end of a range that begins at `low`: +2, −0.5, 0; no plus from 0 upward."""
    text = f"{abs(value):g}"
    if value < 0:
        return MINUS + text
    return "+" + text if value > 0 and low < 0 else text


def span(low: float, high: float, *, directed: bool = True) -> str:
    """Two ends: [−0.120, +0.450]; of a quantity without direction [0.610, 1.000]."""
    write = signed if directed else plain
    return f"[{write(low)}, {write(high)}]"


def count(value: int) -> str:
    """A whole number with thousands marked."""
    return f"{value:,}"


def share(n: int, total: int) -> str:
    """n/N with its percentage; 0/0 has none."""
    text = f"{count(n)}/{count(total)}"
    return text if total == 0 else f"{text} ({100 * n / total:.1f}\u00a0%)"


def absent(texts: Texts, reason: str | None) -> str:
    """In place of a value: why there is none."""
    return texts("number.absent", reason=texts.word("reason", reason or "not_given"))


def cost(value: float | None, texts: Texts) -> str:
    """Money in the price's currency; unknown is said, never 0."""
    return texts("number.cost_unknown") if value is None else f"{value:.4f}"


def outside(value: float | None, bounds: tuple[float, float] | None) -> bool:
    """Whether a value lies outside bounds that are there.

    A value over readable pairs may: sharp bounds are of the mean over all planned pairs, and
    what could be read of half-read pairs limits that mean (DR-88).
    """
    if value is None or bounds is None:
        return False
    return not bounds[0] - SLACK <= value <= bounds[1] + SLACK


def p_value(value: float) -> str:
    """A p value; never 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
