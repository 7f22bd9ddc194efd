"""Regression models: planted truth, the printed odds ratio, and what cannot be fitted."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from draligned.progress.designs import design
from draligned.progress.frame import scored
from draligned.progress.models import gee, mixed_models, odds, regressions
from draligned.progress.statistics import Settings
from draligned.progress.tables import build
from draligned.study.tables import to_bytes
from tests.progress.planted import by_profile


def rows(names: tuple[str, ...], gap: float, spread: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    made = []
    for name in names:
        for scenario in range(12):
            shift = rng.normal(0, spread)
            for intermediate in (0.0, 1.0):
                share = np.clip(0.75 - gap * intermediate + shift, 0.02, 0.98)
                n = 60 if intermediate else 20
                for value in rng.binomial(1, share, n):
                    made.append((name, f"s{scenario:02}", float(value), intermediate))
    return pd.DataFrame(made, columns=["deployment", "scenario", "clean", "intermediate"])


def test_a_planted_gap_is_found_by_deployment() -> None:
    found = mixed_models(rows(("a", "b"), 0.4, 0.05, 1)).set_index("deployment")
    assert found["status"].tolist() == ["ok", "ok"]
    assert found["intermediate"].to_numpy() == pytest.approx([-0.4, -0.4], abs=0.05)
    assert (found["ci_hi"] < 0).all()
    assert found["n"].tolist() == [960, 960]


def test_a_mixed_model_is_the_plain_difference_where_scenarios_do_not_differ() -> None:
    made = rows(("a",), 0.3, 0.0, 2)
    means = made.groupby("intermediate")["clean"].mean()
    found = mixed_models(made).iloc[0]
    assert found["intermediate"] == pytest.approx(means[1.0] - means[0.0], abs=1e-3)


def test_gee_whole_and_without_each_scenario() -> None:
    found = gee(rows(("a", "b", "c"), 0.4, 0.05, 3))
    assert found["left_out"].isna().tolist() == [True] + [False] * 12
    assert set(found["status"]) == {"ok"}
    assert found["beta"].to_numpy() == pytest.approx(
        np.log(0.35 / 0.65) - np.log(0.75 / 0.25), abs=0.3
    )


def test_the_printed_odds_ratio_follows_from_its_coefficient() -> None:
    """SI-41: β −5.435, se 0.823 give OR 0.004 [0.001, 0.022]."""
    found = odds(-5.435, 0.823)
    assert [round(found[n], 3) for n in ("odds_ratio", "or_lo", "or_hi")] == [0.004, 0.001, 0.022]
    assert found["p"] < 1e-9


def test_what_cannot_be_fitted_is_unknown_with_a_reason() -> None:
    flat = rows(("a",), 0.0, 0.0, 4).assign(clean=1.0)
    assert mixed_models(flat)["reason"].tolist() == ["every reply is scored alike"]
    assert gee(flat)["status"].tolist() == ["unknown"] * 13
    apart = rows(("a",), 0.0, 0.0, 4).assign(clean=lambda f: 1.0 - f["intermediate"])
    assert gee(apart).loc[0, "status"] == "unknown"


def test_errors_that_cannot_be_computed_are_unknown_and_warn_nobody() -> None:
    """All of one scenario clean and none of the others: the coefficient is zero, its robust error
    the root of a number just below zero."""
    whole = pd.DataFrame(
        [
            (name, f"s{scenario}", float(scenario == 0), intermediate)
            for name in ("a", "b") for scenario in range(3)
            for intermediate in (0.0, 1.0, 1.0, 1.0)
        ],
        columns=["deployment", "scenario", "clean", "intermediate"],
    )  # fmt: skip
    for found in (gee(whole), mixed_models(whole)):
        ok = found["status"] == "ok"
        assert found.loc[ok, "se"].notna().all()
        assert found.loc[~ok, "reason"].notna().all()
        assert found.loc[~ok, "se"].isna().all()
    assert gee(whole).loc[0, "status"] == "unknown"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Two deployments of Table 2, in the baseline arm."""
    known = design("stage")
    plain = tuple(s for s in known.stimuli if s.arm.value == "baseline")
    known = known.model_copy(update={"stimuli": plain})
    return scored(known, [r for letter in "df" for r in by_profile(known, letter)])


def test_regressions_are_tables_of_a_study(frame: pd.DataFrame) -> None:
    """SI-40: by deployment and encoding, in balanced scenarios the plain difference; a deployment
    that lost replies has them out."""
    made = build(design("stage"), frame, Settings(draws=20))
    mixed = made["mixed"].set_index(["deployment", "encoding"])
    assert mixed["status"].tolist() == ["ok"] * 4
    assert mixed["n"].groupby("deployment").sum().to_dict() == {
        "gpt-5.5": 1_917, "qwen3.5-35b-a3b": 1_920,
    }  # fmt: skip
    shares = made["shares"].set_index(["deployment", "encoding", "group", "metric"])["share"]
    for encoding in ("json", "xml"):
        gap = [
            shares[("qwen3.5-35b-a3b", encoding, g, "theta")] for g in ("nonterminal", "terminal")
        ]
        found = mixed.loc[("qwen3.5-35b-a3b", encoding), "intermediate"]
        assert found == pytest.approx(gap[0] - gap[1], abs=2e-3)
    assert len(made["gee"]) == 26
    assert set(made["gee"]["evidence"]) == {"Observational"}


def test_without_statsmodels_each_row_says_so(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    made = regressions(frame)
    for table in made.values():
        assert set(table["status"]) == {"unknown"}
        assert table["reason"].str.contains("draligned[stats]", regex=False).all()
    kept = pd.read_parquet(io.BytesIO(to_bytes(made["mixed"])), dtype_backend="numpy_nullable")
    assert kept["deployment"].tolist() == ["gpt-5.5", "qwen3.5-35b-a3b"] * 2
    assert kept["intermediate"].isna().all()
