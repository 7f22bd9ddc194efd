"""Tables 2, 11 and 12 of the paper from one set of planted counts, by parser and statistics.

Intervals are not recomputed: they depend on how a scenario's replies fall, which is not printed.
"""

import pandas as pd
import pytest

from draligned.progress.corruption import require_tight
from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.metrics import METRICS, counts
from draligned.progress.statistics import Settings, difference, tabulate
from draligned.progress.tables import ALL, BOTH, build, grouped
from tests.progress.planted import DEPLOYMENTS, by_profile

TABLE_11 = {
    "a": (16.7, 64.0, 22.8, 64.0, 27.8, 100),
    "b": (24.1, 65.6, 32.5, 65.6, 34.5, 100),
    "c": (17.3, 60.1, 23.6, 60.1, 28.7, 100),
    "d": (43.3, 58.4, 48.0, 58.4, 80.2, 100),
    "e": (28.6, 61.3, 59.5, 61.3, 43.8, 98.8),
    "f": (8.2, 97.4, 14.3, 97.7, 11.5, 100),
    "g": (21.1, 54.6, 49.0, 54.6, 33.2, 100),
}
"""θ and φ, each at unfinished and at finished checkpoints, E at unfinished ones, ω: % over all
arms of the stage study."""
ROWS_11 = (
    ("nonterminal", "theta"), ("terminal", "theta"), ("nonterminal", "phi"), ("terminal", "phi"),
    ("nonterminal", "emission"), ("undue", "omega"),
)  # fmt: skip
TABLE_12 = {
    "a": (1.5, -12.3, -44.3),
    "b": (-1.2, -22.0, -41.1),
    "c": (1.5, -13.7, -34.5),
    "d": (4.0, -13.8, -4.2),
    "e": (2.3, -4.0, -38.4),
    "f": (0.5, -1.5, -89.3),
    "g": (-1.2, -6.2, -29.4),
}
"""E1 and E2 on broad adherence; E3, which the caption calls broad too, on duty-active rows."""
CONTRASTS = {
    "E1": ("gold hint: gold_injected - baseline", "broad"),
    "E2": ("constant value: static - baseline", "broad"),
}
SETTINGS = Settings(draws=50)


def printed(value: float) -> object:
    """To the printed digit."""
    return pytest.approx(value, abs=0.05 + 1e-9)


Made = dict[str, pd.DataFrame]


@pytest.fixture(scope="module", params=DEPLOYMENTS)
def frame(request: pytest.FixtureRequest) -> tuple[str, pd.DataFrame]:
    letter: str = request.param
    known = design("stage")
    stored = list(by_profile(known, letter))
    assert len(stored) == 7_200
    require_tight(known, stored[::10])
    return letter, scored(known, stored)


@pytest.fixture(scope="module")
def tables(frame: tuple[str, pd.DataFrame]) -> Made:
    return build(design("stage"), frame[1], SETTINGS)


def test_table_11_comes_back_to_the_printed_digit(
    frame: tuple[str, pd.DataFrame], tables: Made
) -> None:
    """SI-23 … SI-25, SI-34: over the three arms together."""
    letter, table = frame[0], tables["over_arms"]
    found = table.set_index(["encoding", "group", "metric"])["share"]
    for (group, metric), value in zip(ROWS_11, TABLE_11[letter], strict=True):
        assert 100 * found[(BOTH, group, metric)] == printed(value), (group, metric)
    for group in ("nonterminal", "terminal"):
        theta, phi, spoken = (found[BOTH, group, m] for m in ("theta", "phi", "no_call"))
        assert theta == pytest.approx(phi * spoken)


def test_table_12_comes_back_to_the_printed_digit(
    frame: tuple[str, pd.DataFrame], tables: Made
) -> None:
    """SI-35: E1 and E2 over all five checkpoints; E3 is Table 2's Δ."""
    letter, rows = frame
    made = tables["contrasts"]
    table = made[made["encoding"] == BOTH].set_index(["contrast", "metric"])["value"]
    for effect, value in zip(CONTRASTS, TABLE_12[letter], strict=False):
        assert 100 * table[CONTRASTS[effect]] == printed(value), effect
    plain = rows[rows["arm"] == "baseline"]
    cells = tabulate(counts(grouped(plain), ["encoding", "group"]), ["encoding", "group", "metric"])
    gap = difference(cells, (BOTH, "nonterminal", "theta"), (BOTH, "terminal", "theta"), SETTINGS)
    assert gap is not None
    assert 100 * gap.value == printed(TABLE_12[letter][2])


def test_arms_are_one_third_each_of_the_broad_share(frame: tuple[str, pd.DataFrame]) -> None:
    """SI-35: baseline + (E1 + E2) / 3 is the broad share over all arms, which Table 11 gives."""
    letter, rows = frame
    broad = [m for m in METRICS if m.name == "broad"]
    cells = counts(grouped(rows), ["encoding", "group", "arm"], broad)
    own = cells[(cells["encoding"] == BOTH) & (cells["group"] == ALL)]
    sums = own.groupby("arm")[["k", "n"]].sum()
    base = 100 * sums.loc["baseline", "k"] / sums.loc["baseline", "n"]
    theta_i, theta_t, *_, omega = TABLE_11[letter]
    e1, e2, _ = TABLE_12[letter]
    whole = (3 * theta_i + theta_t + omega) / 5
    assert base + (e1 + e2) / 3 == pytest.approx(whole, abs=0.11)
    assert 100 * sums["k"].sum() / sums["n"].sum() == pytest.approx(whole, abs=0.06)
