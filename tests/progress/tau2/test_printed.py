"""The printed numbers about tau2-bench, from counts that fit them, through parser and tables.

Not recomputed: what needs the conversations themselves, as the ten-bin figure or medians of
reasoning tokens whose calls are not counted.
"""

from collections.abc import Iterator
from functools import cache

import pandas as pd
import pytest

from draligned.progress.statistics import Settings
from draligned.progress.tau2 import lanes, patterns
from draligned.progress.tau2.columns import asked, populations
from draligned.progress.tau2.tables import pooled, stages
from draligned.schema.tau2 import State
from tests.progress.tau2.planted import Row, by_bins, checkpoint, frame, marked, runs_of, text

SETTINGS = Settings(draws=20)
BINS = ("before_acting", "mid_q1", "mid_q2", "mid_q3", "mid_q4", "mid_q5", "completed")
TABLE_6 = {
    "claude-sonnet-5": "410/516 54/177 21/123 15/139 19/122 9/175 190/226",
    "gpt-4.1": "393/434 25/202 3/136 5/114 2/123 8/170 32/36",
    "gpt-5.5": "469/472 34/157 10/111 8/105 9/92 12/165 96/110",
    "gpt-5.6-sol": "160/245 52/160 22/109 23/107 30/103 55/155 31/77",
    "grok-4.6": "271/281 101/181 45/99 55/100 52/96 84/145 130/140",
    "gemini-3.8-flash": "219/222 121/180 91/117 86/114 90/118 133/171 60/94",
    "gpt-6-astra": "0/230 0/173 0/108 0/120 0/132 0/187 0/135",
}
"""Strict; the last row is Table 1's, with the bins of the stripped reading."""
STRIPPED = {
    "gpt-5.6-sol": "234/245 79/160 39/109 33/107 45/103 73/155 52/77",
    "gpt-6-astra": "229/230 173/173 108/108 120/120 132/132 187/187 65/135",
}
LONE = {"gpt-5.6-sol": (0, 2), "gpt-6-astra": (6, 6)}
"""Mid-task checkpoints alone in their runs: right when stripped, of all (636 − 634, 726 − 720)."""
ENVELOPED = {"gpt-5.6-sol": (332, 958), "gpt-6-astra": (1_091, 1_091)}
TABLE_1 = {
    ("gpt-5.6-sol", "strict"): (65.3, 28.6, 40.3),
    ("gpt-5.6-sol", "stripped"): (95.5, 42.3, 67.5),
    ("gpt-6-astra", "strict"): (0.0, 0.0, 0.0),
    ("gpt-6-astra", "stripped"): (99.6, 100.0, 48.1),
}
FOUR = ("claude-sonnet-5", "gpt-4.1", "gpt-5.5", "gpt-5.6-sol")


def counts(row: str) -> list[tuple[int, int]]:
    pairs = (cell.split("/") for cell in row.split())
    return [(int(k), int(n)) for k, n in pairs]


def state_of(name: str) -> State:
    return "mid_task" if name.startswith(("mid", "lone")) else name  # type: ignore[return-value]


def messages(deployment: str) -> dict[str, list[str]]:
    """Messages by bin that fit both readings; wrong ones fill up the envelopes."""
    strict = [k for k, _ in counts(TABLE_6[deployment])]
    lax = counts(STRIPPED.get(deployment, TABLE_6[deployment]))
    cells = [(name, k, n, k - plain) for name, plain, (k, n) in zip(BINS, strict, lax, strict=True)]
    right, alone = LONE.get(deployment, (0, 0))
    cells.append(("lone", right, alone, right))
    missing = ENVELOPED.get(deployment, (0, 0))[0] - sum(wrapped for *_, wrapped in cells)
    made = {}
    for name, k, n, wrapped in cells:
        more = min(max(missing, 0), n - k)
        missing -= more
        made[name] = marked(state_of(name), k, n, wrapped, more)
    return made


def planted(deployment: str) -> Iterator[Row]:
    made = messages(deployment)
    for name, state in (("before_acting", "before_acting"), ("completed", "completed")):
        for n, said in enumerate(made[name]):
            place = 10 if name == "before_acting" else 1_500
            yield checkpoint(f"run-{n % 40}", place, state_of(state), said, deployment=deployment)
    yield from by_bins(deployment, [made[name] for name in BINS[1:6]], made["lone"])


@cache
def rows() -> pd.DataFrame:
    return populations(frame([row for name in TABLE_6 for row in planted(name)]))


@cache
def table() -> pd.DataFrame:
    found = stages(asked(rows()), SETTINGS)
    return found[found["reading"] == "latched"].set_index(["deployment", "parser", "bin"])


@pytest.mark.parametrize("deployment", TABLE_6)
def test_table_6(deployment: str) -> None:
    for name, (k, n) in zip(BINS, counts(TABLE_6[deployment]), strict=True):
        cell = table().loc[(deployment, "strict", name)]
        assert (cell["correct"], cell["total"]) == (k, n), name


@pytest.mark.parametrize("deployment", STRIPPED)
def test_table_6_without_envelopes(deployment: str) -> None:
    for name, (k, n) in zip(BINS, counts(STRIPPED[deployment]), strict=True):
        cell = table().loc[(deployment, "stripped", name)]
        assert (cell["correct"], cell["total"]) == (k, n), name


@pytest.mark.parametrize(("deployment", "parser"), TABLE_1)
def test_table_1(deployment: str, parser: str) -> None:
    for name, share in zip(
        ("before_acting", "mid_task", "completed"), TABLE_1[(deployment, parser)], strict=True
    ):
        cell = table().loc[(deployment, parser, name)]
        assert 100 * cell["share"] == pytest.approx(share, abs=0.05 + 1e-9)
    assert table().loc[("gpt-5.6-sol", parser, "mid_task")]["total"] == 636
    assert table().loc[("gpt-6-astra", parser, "mid_task")]["total"] == 726


def test_the_pooled_means_give_each_deployment_one_vote() -> None:
    """SI-78: 83.7, 11.1 and 75.1; weighted by checkpoints 85.9 and 77.7."""
    four = rows()[rows()["deployment"].isin(FOUR)]
    known = lanes.lanes(runs_of(four.to_dict("records")), four)
    found = pooled(stages(asked(four), SETTINGS), known)
    strict = found[(found["parser"] == "strict") & (found["reading"] == "latched")]
    cells = strict.set_index("bin")
    assert set(cells["deployments"]) == {4}
    for name, mean in (("before_acting", 83.7), ("mid_q3", 11.1), ("completed", 75.1)):
        assert 100 * cells.loc[name, "mean"] == pytest.approx(mean, abs=0.05 + 1e-9)
    assert 100 * cells.loc["before_acting", "weighted_mean"] == pytest.approx(85.9, abs=0.051)
    assert 100 * cells.loc["completed", "weighted_mean"] == pytest.approx(77.7, abs=0.051)


@pytest.mark.parametrize("deployment", ENVELOPED)
def test_envelopes(deployment: str) -> None:
    """SI-73, SI-74: a tag inside an envelope follows the duty, although it is strictly wrong."""
    own = rows()[rows()["deployment"] == deployment]
    (cell,) = lanes.lanes(runs_of(own.to_dict("records")), own).to_dict("records")
    assert (cell["enveloped"], cell["checkpoints"]) == ENVELOPED[deployment]
    assert cell["envelope_keys"] == "message"
    if deployment == "gpt-6-astra":
        assert cell["follow_share"] > 0.93
        assert table().loc[(deployment, "strict", "mid_task")]["correct"] == 0


LOST = {
    "gpt-4.1": {"mms": (39, 49), "service": (13, 25), "mobile_data": (21, 35)},
    "gpt-5.5": {"mms": (41, 48), "service": (6, 16), "mobile_data": (17, 31)},
    "claude-sonnet-5": {"mms": (28, 45), "service": (5, 18), "mobile_data": (10, 35)},
}
"""Runs with every mid-task tag wrong, of those with two or more; mobile data by subtraction."""
ALL = {"gpt-4.1": (73, 109), "gpt-5.5": (64, 95), "claude-sonnet-5": (43, 98)}


def lost(deployment: str) -> Iterator[Row]:
    for family, (wrong, n) in LOST[deployment].items():
        for i in range(n):
            said = marked("mid_task", 0 if i < wrong else 1, 2)
            for place, one in enumerate(said):
                yield checkpoint(f"{family}-{i}", place, "mid_task", one, family=family,
                                 deployment=deployment)  # fmt: skip
        yield checkpoint(f"{family}-lone", 1, "mid_task", text(None), family=family,
                         deployment=deployment)  # fmt: skip


@pytest.mark.parametrize("deployment", LOST)
def test_lost_trajectories(deployment: str) -> None:
    made = populations(frame(list(lost(deployment))))
    found = patterns.trajectories(made)
    cells = found[found["parser"] == "strict"].set_index("group")
    for group, (wrong, n) in {**LOST[deployment], "all": ALL[deployment]}.items():
        assert (cells.loc[group, "all_wrong"], cells.loc[group, "runs"]) == (wrong, n)


SUBGROUPS = {
    "gpt-6-astra": {"post_transfer_hand_off": (0, 18), "before_cue_outside_hand_off": (0, 42)},
    "gpt-5.6-sol": {"post_transfer_hand_off": (5, 20)},
    "gemini-3.8-flash": {
        "post_transfer_hand_off": (8, 20), "before_cue_outside_hand_off": (0, 19),
    },
    "claude-sonnet-5": {"before_cue_outside_hand_off": (3, 29)},
}  # fmt: skip


@pytest.mark.parametrize("deployment", SUBGROUPS)
def test_completion_subgroups(deployment: str) -> None:
    made = [
        checkpoint(f"{group}-{i}", 9, "completed", said, hand_off="post" in group)
        for group, (k, n) in SUBGROUPS[deployment].items()
        for i, said in enumerate(marked("completed", k, n))
    ]
    made += [
        checkpoint(f"after-{i}", 9, "completed", said, after_cue=True)
        for i, said in enumerate(marked("completed", 4, 7))
    ]
    found = patterns.completion(populations(frame(made)))
    cells = found[found["parser"] == "strict"].set_index("subgroup")
    for group, (k, n) in SUBGROUPS[deployment].items():
        cell = cells.loc[group]
        assert (cell["completed_reported"], cell["checkpoints"]) == (k, n)
    cell = cells.loc["after_cue_outside_hand_off"]
    assert (cell["completed_reported"], cell["checkpoints"]) == (4, 7)


def test_without_a_customer() -> None:
    """SI-83: 63 and 30 of 114 tasks end by the agent's own signal without reward."""
    made = []
    for deployment, zero in (("gpt-4.1", 63), ("gpt-5.5", 30)):
        rows_ = [checkpoint(f"t{i}", 1, "completed", "", deployment=deployment)
                 for i in range(114)]  # fmt: skip
        runs = runs_of(rows_, status="no_user", termination="agent_stop")
        made.append(runs.assign(reward=[0.0] * zero + [1.0] * (114 - zero)))
    found = lanes.no_user(pd.concat(made)).set_index("deployment")
    assert list(found["of_these_unrewarded"]) == [63, 30]
    assert list(found["ended_by_agent"]) == list(found["runs"]) == [114, 114]


def test_simulators_stand_apart() -> None:
    """SI-82: 8 of 114 runs had another simulator of the customer."""
    made = [
        checkpoint(f"t{i}", 1, "mid_task", said, simulator="old" if i < 8 else "new")
        for i, said in enumerate(marked("mid_task", 60, 114))
    ]
    found = lanes.simulators(populations(frame(made)))
    strict = found[found["parser"] == "strict"].set_index("simulator")
    assert dict(strict["runs"]) == {"new": 106, "old": 8}
    assert dict(strict["correct"]) == {"new": 52, "old": 8}
