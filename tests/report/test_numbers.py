"""Numbers as they are written."""

import pytest

from draligned.report import numbers
from draligned.report.texts import load_texts


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.17, "+0.170"), (-0.17, "−0.170"), (0.0, "0.000"), (-0.0, "0.000"), (-0.0004, "0.000"),
     (0.0004, "0.000"), (2.0, "+2.000")],
)  # fmt: skip
def test_signed(value: float, written: str) -> None:
    assert numbers.signed(value) == written


def test_plain_has_no_plus() -> None:
    assert numbers.plain(0.5) == "0.500"
    assert numbers.plain(-0.5) == "−0.500"


def test_tick_has_a_plus_only_on_a_signed_range() -> None:
    assert [numbers.tick(v, -2.0) for v in (-2.0, 0.0, 1.0)] == ["−2", "0", "+1"]
    assert [numbers.tick(v, 0.0) for v in (0.0, 0.25, 1.0)] == ["0", "0.25", "1"]


def test_span() -> None:
    assert numbers.span(-0.12, 0.45) == "[−0.120, +0.450]"


def test_share_of_nothing_has_no_percentage() -> None:
    assert numbers.share(27, 28) == "27/28 (96.4\u00a0%)"
    assert numbers.share(0, 0) == "0/0"
    assert numbers.share(1691, 1732) == "1,691/1,732 (97.6\u00a0%)"


def test_absent_gives_its_reason() -> None:
    assert numbers.absent(load_texts("en"), "empty") == "no value: nothing is readable (n = 0)"
    assert numbers.absent(load_texts("zh"), None) == "无数值：未给出原因"


def test_unknown_cost_is_not_zero() -> None:
    assert numbers.cost(None, load_texts("en")) == "unknown"
    assert numbers.cost(0.0, load_texts("en")) == "0.0000"


@pytest.mark.parametrize(
    ("value", "bounds", "is_so"),
    [(0.5, (0.0, 1.0), False), (1.0, (0.0, 1.0), False), (1.0 + 1e-12, (0.0, 1.0), False),
     (1.001, (0.0, 1.0), True), (-0.001, (0.0, 1.0), True), (None, (0.0, 1.0), False),
     (5.0, None, False)],
)  # fmt: skip
def test_outside(value: float | None, bounds: tuple[float, float] | None, is_so: bool) -> None:
    assert numbers.outside(value, bounds) is is_so


def test_p_value_is_never_zero() -> None:
    assert numbers.p_value(0.0) == "< 0.001"
    assert numbers.p_value(0.25) == "0.250"
