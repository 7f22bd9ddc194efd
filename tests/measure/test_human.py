"""Labels by people: worked numbers, unbiasedness and coverage over every possible sample."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from draligned.measure.human import human_agreement, human_corrected
from draligned.measure.proportions import wilson
from draligned.measure.scaled import Scaled
from draligned.measure.tables import build_tables
from draligned.schema import frames
from draligned.schema.config import MeasureConfig
from draligned.schema.errors import InventoryError

SAMPLE = "s" * 16
WORD = {1: ("P_ONLY", "Q_ONLY"), 0: ("NEITHER", "NEITHER"), -1: ("Q_ONLY", "P_ONLY")}


class Fake:
    """Pairs as `Made` gives them, and the people's labels."""

    def __init__(self, proxies: list[tuple[str, int | None]], labelled: pd.DataFrame) -> None:
        self.config = MeasureConfig()
        bits = {1: (2, 1), 0: (0, 0), -1: (1, 2), None: (-1, -1)}
        self.pairs = pd.DataFrame(
            [
                {"pair_id": f"p{i}", "evaluator": "ev", "harness": "h", "model": "m",
                 "task_id": task, "final_bits_p": bits[d][0], "final_bits_q": bits[d][1],
                 "f_status": "readable" if d is not None else "unreadable_both", "d_f": d or 0}
                for i, (task, d) in enumerate(proxies)
            ]
        )  # fmt: skip
        self.inputs = type("Inputs", (), {"labelled": labelled})()


def labels(truth: list[int | None], drawn: tuple[int, ...]) -> pd.DataFrame:
    """Of all pairs; the drawn ones with the words for the true value."""
    rows = []
    for i, value in enumerate(truth):
        p, q = (None, None) if i not in drawn or value is None else WORD[value]
        rows.append({"sample_id": SAMPLE, "labeller": "one", "pair_id": f"p{i}",
                     "drawn": i in drawn, "label_p": p, "label_q": q})  # fmt: skip
    return pd.DataFrame(rows, columns=list(frames.LABELLED), dtype=object)


def row(proxies: list[tuple[str, int | None]], truth: list[int | None], drawn: tuple[int, ...],
        table: Any = human_corrected) -> dict[str, Any]:  # fmt: skip
    made: Any = Fake(proxies, labels(truth, drawn))
    found = table(made)
    return dict(found[found["model"] == "all"].iloc[0])


TASKS = ["1", "1", "2", "2", "2", "3", "3", "4"]
EVALUATOR: list[int | None] = [1, 1, 0, None, 1, 1, None, 0]
TRUTH: list[int | None] = [1, 0, 0, 1, 1, 1, -1, 0]
PROXIES = list(zip(TASKS, EVALUATOR, strict=True))
TRUE_D = float(np.mean([(1 + 0) / 2, (0 + 1 + 1) / 3, (1 - 1) / 2, 0]))


def test_all_pairs_labelled_give_the_truth_and_no_width() -> None:
    found = row(PROXIES, TRUTH, tuple(range(8)))
    assert found["value"] == pytest.approx(TRUE_D)
    assert found["ci_lo"] == pytest.approx(TRUE_D) == found["ci_hi"]
    assert found["by_evaluator"] == pytest.approx(np.mean([1, 1 / 3, 1 / 2, 0]))
    assert (found["status"], found["n_decided"]) == ("estimated", 8)


def test_the_mean_over_all_samples_is_the_truth() -> None:
    """Design-unbiased, however wrong the evaluator; no value here leaves [-1, 1]."""
    values = [row(PROXIES, TRUTH, drawn)["value"] for drawn in combinations(range(8), 5)]
    assert max(map(abs, values)) < 1
    assert np.mean(values) == pytest.approx(TRUE_D)


@pytest.mark.parametrize(("every", "least"), [(5, 0.93), (20, 0.95)])
def test_the_interval_holds_the_truth_as_often_as_it_says(every: int, least: float) -> None:
    """40 pairs, 15 drawn; the evaluator is wrong of one pair in `every`, and silent of the next.

    Without the two made-up errors 0.87 of the intervals hold it in the first case, and far fewer
    where errors are rare.
    """
    generator = np.random.default_rng(5)
    truth = [int(v) for v in generator.choice([1, 0, -1], 40, p=[0.6, 0.3, 0.1])]
    said: list[int | None] = list(truth)
    for i in range(0, 40, every):
        said[i], said[i + 1] = -truth[i], None
    proxies = [(str(i // 2), said[i]) for i in range(40)]
    draws = [tuple(generator.choice(40, 15, replace=False).tolist()) for _ in range(150)]
    found = [row(proxies, list(truth), drawn) for drawn in draws]
    inside = [r["ci_lo"] <= np.mean(truth) <= r["ci_hi"] for r in found]
    assert np.mean(inside) >= least
    assert np.mean([r["value"] for r in found]) == pytest.approx(np.mean(truth), abs=0.03)


def test_a_better_evaluator_gives_a_narrower_interval() -> None:
    near: list[int | None] = list(TRUTH)
    near[1] = 1
    far: list[int | None] = [-1, 1, 1, -1, -1, -1, 1, 1]
    drawn = (0, 1, 3, 5, 7)
    widths = [
        row(list(zip(TASKS, e, strict=True)), TRUTH, drawn)["ci_hi"]
        - row(list(zip(TASKS, e, strict=True)), TRUTH, drawn)["ci_lo"]
        for e in (near, far)
    ]
    assert widths[0] < widths[1]


def test_an_undecided_pair_is_bounded_and_never_zero() -> None:
    truth = list(TRUTH)
    truth[3] = None
    found = row(PROXIES, truth, (0, 1, 3, 5))
    assert (found["status"], found["reason"]) == ("bounded", "undecided_pairs")
    assert pd.isna(found.get("value"))
    ends = [row(PROXIES, [*TRUTH[:3], end, *TRUTH[4:]], (0, 1, 3, 5))["value"] for end in (-1, 1)]
    assert [found["value_lo"], found["value_hi"]] == pytest.approx(ends)


def test_one_pair_has_no_interval() -> None:
    assert row(PROXIES, TRUTH, (2,))["reason"] == "one_pair_drawn"


def test_agreement_counts_gated_finals_only() -> None:
    """Q17: with a final human label, and accepted by the evaluator."""
    found = row(PROXIES, TRUTH, (0, 1, 3, 7), human_agreement)
    counts = [found[n] for n in ("n_drawn", "n_texts", "n_human", "n_gated", "n_same")]
    assert counts == [4, 8, 8, 6, 4]
    assert found["n_opposite"] == 0
    assert found["same_share"] == pytest.approx(4 / 6)
    assert 0 <= found["same_lo"] < 4 / 6 < found["same_hi"] <= 1


def test_opposite_labels_are_counted() -> None:
    found = row([("1", 1), ("2", 1), ("3", 1)], [-1, 1, 1], (0, 1, 2), human_agreement)
    assert (found["n_opposite"], found["n_same"], found["n_gated"]) == (2, 4, 6)


def test_where_all_pairs_are_alike_the_interval_is_wilsons_over_pairs() -> None:
    found = row([("1", 1), ("2", 1), ("3", 1), ("4", 1)], [1, 1, 1, 1], (0, 1, 2), human_agreement)
    assert found["same_method"] == "wilson_pairs"
    assert (found["same_lo"], found["same_hi"]) == pytest.approx(wilson(3, 3))


def test_labels_of_a_real_study_enter_their_tables_alone(worked_pair: Any) -> None:
    inputs = worked_pair.inputs()
    config = MeasureConfig(draws=100)
    before = build_tables(inputs, config, ("D_F",))
    assert before["human_corrected"].empty
    pair = before["pairs"]["pair_id"].iloc[0]
    rows = labels([1], (0,)).assign(pair_id=pair)
    after = build_tables(replace(inputs, labelled=rows), config, ("D_F",))
    assert len(after["human_agreement"]) == 2 * before["pairs"]["evaluator"].nunique()
    for name in before.keys() - {"human_corrected", "human_agreement"}:
        pd.testing.assert_frame_equal(before[name], after[name])


def test_a_pair_that_is_not_planned_is_refused() -> None:
    made: Any = Fake(PROXIES[:4], labels(TRUTH, (0, 1)))
    with pytest.raises(InventoryError, match="no longer planned"):
        human_corrected(made)


def test_scaled_counts_show_their_basis_and_raise_in_any_computation() -> None:
    """DR-103: 8 of 13 written as 384 of 624."""
    scaled: Any = Scaled(n=384, of=624, basis_k=8, basis_n=13)
    assert str(scaled) == "384 of 624 (scaled; basis_n = 13)"
    for use in (
        lambda: wilson(scaled, 624), lambda: float(scaled), lambda: int(scaled),
        lambda: scaled / 624, lambda: 624 / scaled, lambda: scaled + 1, lambda: sum([scaled]),
        lambda: np.mean(np.array([scaled])), lambda: np.asarray(scaled, dtype=float),
        lambda: scaled >= 1, lambda: range(scaled), lambda: bool(scaled),
        lambda: wilson(8, scaled),
    ):  # fmt: skip
        with pytest.raises(InventoryError, match="8 of 13"):
            use()


def test_a_count_that_is_no_multiple_is_not_scaled() -> None:
    with pytest.raises(InventoryError, match="not scaled"):
        Scaled(n=400, of=624, basis_k=8, basis_n=13)
