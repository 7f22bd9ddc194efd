"""A score on tau2-bench in a few tables of words and numbers, for a terminal or a page."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from draligned.progress.tau2.columns import LANE, shown

Part = tuple[tuple[str, ...], list[tuple[object, ...]]]
CAPTIONS = {
    "lanes": "Who was asked, and whether a tag came (inside an envelope counts as well):",
    "left_out": "Runs that are in no number, and why; the table `runs` has each with its reason:",
    "stages": "Correct tags by what is true; mid-task also by fifth of its way. The envelope-"
    "stripped reading is a diagnostic and replaces nothing:",
    "base_rates": "How often each state is true: what a tag that never changes would get:",
    "wrong": "Well-formed wrong values (read those of usual reporters alone):",
    "trajectories": "Runs with two or more mid-task messages:",
    "completion": "Messages where the task is done (`unseen`: nobody looked at the phone since "
    "the last change, so that the agent could not know):",
    "latching": "An undone change counts as a change; read as it stands instead:",
    "no_user": "Without a customer (the done signal is not the tag):",
}
BINS = ("before_acting", "mid_task", "mid_q1", "mid_q2", "mid_q3", "mid_q4", "mid_q5", "completed")


def summary(tables: Mapping[str, pd.DataFrame]) -> dict[str, Part]:
    """The parts that have rows, each a header and its rows."""
    known = tables["lanes"]
    tables = {name: shown(tables[name], known) for name in CAPTIONS}
    made = {
        "lanes": _lanes(tables["lanes"]),
        "left_out": _plain(tables["left_out"], ("domain", "status", "why", "runs", "of")),
        "stages": _stages(tables["stages"]),
        "base_rates": _plain(tables["base_rates"], ("state", "checkpoints", "of", "share")),
        "wrong": _plain(
            tables["wrong"], ("usual", "parser", "state", "kind", "checkpoints", "share")
        ),
        "trajectories": _plain(
            tables["trajectories"], ("parser", "group", "runs", "all_wrong", "all_correct")
        ),
        "completion": _plain(
            tables["completion"],
            ("parser", "subgroup", "checkpoints", "completed_reported", "done_or_post_obs"),
        ),
        "latching": _plain(
            tables["latching"],
            ("parser", "checkpoints", "differ", "correct_latched", "correct_unlatched"),
        ),
        "no_user": _plain(
            tables["no_user"], ("domain", "runs", "ended_by_agent", "of_these_unrewarded")
        ),
    }
    return {name: part for name, part in made.items() if part[1]}


def _plain(frame: pd.DataFrame, columns: Sequence[str]) -> Part:
    header = (*(c for c in LANE if c in frame.columns and c not in columns), *columns)
    return header, [tuple(row) for row in _values(frame, header)]


def _values(frame: pd.DataFrame, columns: Iterable[str]) -> list[list[object]]:
    chosen = frame[[*columns]].astype("object")
    rows: list[list[object]] = chosen.where(chosen.notna(), None).to_numpy().tolist()
    return rows


def _lanes(frame: pd.DataFrame) -> Part:
    columns = (*LANE, "tasks", "runs", "scored", "checkpoints", "tagged", "follow_share",
               "enveloped", "envelope_keys")  # fmt: skip
    return columns, [tuple(row) for row in _values(frame, columns)]


def _stages(frame: pd.DataFrame) -> Part:
    """One row a lane and parser, `correct/total` in each bin."""
    header = (*LANE, "parser", *BINS)
    out: list[tuple[object, ...]] = []
    for key, own in frame.groupby([*LANE, "parser"], sort=True):
        cells = {b: f"{k}/{n}" for b, k, n in _values(own, ("bin", "correct", "total"))}
        out.append((*key, *(cells.get(b) for b in BINS)))
    return header, out
