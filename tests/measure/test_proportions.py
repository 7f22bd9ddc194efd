import pytest

from draligned.measure.proportions import wilson, wilson_scaled


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 1 - 0.1611, 1.0),
    ],
)
def test_published_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_nothing_counted_gives_no_interval() -> None:
    assert wilson(0, 0) is None
    assert wilson_scaled(0.0, 0, -1, 1) is None


def test_scaling_maps_the_ends() -> None:
    share = wilson(24, 24)
    scaled = wilson_scaled(1.0, 24, -1.0, 1.0)
    assert share is not None
    assert scaled == pytest.approx((2 * share[0] - 1, 1.0))
