"""Re-entry by the strict rule, beside what random order of the same labels would give (DR-80)."""

from typing import Any

import numpy as np
import pandas as pd

from draligned.measure import restore as rs
from draligned.measure.contrasts import ALL_MODELS
from draligned.measure.gaps import Gaps, expected, expressed, gaps, run_counts
from draligned.measure.layout import GROUP, RUN, STAMP, Table, typed
from draligned.measure.made import Made
from draligned.measure.proportions import wilson
from draligned.measure.sequences import LETTERS, Sequences
from draligned.measure.steps import UNCERTAIN, Kind, steps

STRICT = "strict"
_BY = [*GROUP, "unit"]

FLOW_RUNS = Table(
    name="flow_runs",
    columns=(
        *typed("string", "evaluator", "run_id", "factor_id"),
        *RUN,
        *typed("string", "arm"),
        *typed("Int64", "replicate"),
        *typed("string", "unit", "status", "reason", "path"),
        *typed("Int64", "n_units", "n_known", "n_expressed", "n_absent", "n_unknown"),
        *typed("Int64", "n_changes", "n_uncertain", "n_reentry", "n_reentry_uncertain"),
        *typed("Float64", "reentry_expected", "reentry_chance"),
        *STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "unit"),
)
"""One row per run × factor × evaluator × unit (request, document). `path`: a letter per unit in
order, relative to the run's endpoint: O own, X the counterfactual's, B both, N none, ? unknown; a
bar stands before the final. `n_expressed` units express the own side (O, B), `n_absent` do not;
`n_changes` certain steps change the state, `n_uncertain` steps have an unknown unit inside.
`reentry_expected`, `reentry_chance`: strict gaps to expect, and the chance of one at least, when
the run's labels are put in random order, unknown ones included. A run seen in part says so in
`reason`; nothing in it is certain."""

REENTRY_CASES = Table(
    name="reentry_cases",
    columns=(
        *typed("string", "evaluator", "run_id", "factor_id"),
        *RUN,
        *typed("string", "arm", "unit"),
        *typed("Int64", "place"),
        *typed("string", "from_role"),
        *typed("Int64", "from_no"),
        *typed("string", "to_role"),
        *typed("Int64", "to_no"),
        *typed("string", "case", "gap"),
        *typed("Int64", "n_absent", "n_unknown"),
        *STAMP,
    ),
    keys=("evaluator", "run_id", "factor_id", "unit", "place"),
)
"""One row per gap between two units that express the own side; `case`: strict, or uncertain where
the gap holds an unknown unit or the run was seen in part. `gap` = its letters."""

REENTRY = Table(
    name="reentry",
    columns=(
        *typed("string", *GROUP, "unit", "status", "reason"),
        *typed("Int64", "n_runs", "n_runs_in_part", "n_runs_possible"),
        *typed("Int64", "n_strict", "n_uncertain", "n_uncertain_left", "n_in_part"),
        *typed("Float64", "expected_strict", "expected_uncertain"),
        *typed("Int64", "n_runs_strict", "n_runs_uncertain_only"),
        *typed("Float64", "run_share", "run_lo", "run_hi", "expected_runs", "p_more", "p_fewer"),
        *STAMP,
    ),
    keys=(*GROUP, "unit"),
)
"""Strict gaps beside their permutation expectation. `n_runs` have units, all observed;
`n_runs_possible` of them have labels that could show a strict gap in some order. `n_uncertain` gaps
are counted apart; in `n_uncertain_left` of them a unit known not to express the own side stands.
`n_in_part` gaps are of runs seen in part and in no other count.
`run_share` = n_runs_strict / n_runs, Wilson's interval at 95 %, runs taken as independent.
`expected_*`: sums over runs of what random order of the run's own labels gives, exactly; `p_more`,
`p_fewer`: chance of at least, at most, `n_runs_strict` such runs in random order (exploratory)."""


def flow_runs(made: Made) -> pd.DataFrame:
    """`FLOW_RUNS`."""
    return pd.concat([run_rows(found) for found in made.sequences], ignore_index=True)


def reentry_cases(made: Made) -> pd.DataFrame:
    """`REENTRY_CASES`."""
    return pd.concat([_case_rows(s, gaps(s)) for s in made.sequences], ignore_index=True)


def reentry(made: Made) -> pd.DataFrame:
    """`REENTRY`: one row per evaluator × harness × model (and `all`) × unit."""
    parts = [_numbers(found) for found in made.sequences]
    runs = pd.concat(parts, ignore_index=True)
    both = pd.concat([runs.assign(model=ALL_MODELS), runs], ignore_index=True)
    rows = [
        dict(zip(_BY, key, strict=True)) | _group(part)
        for key, part in both.groupby(_BY, sort=True)
    ]
    columns = [name for name, _ in REENTRY.columns if name != "development"]
    return pd.DataFrame(rows, columns=columns)


def _numbers(found: Sequences) -> pd.DataFrame:
    """Of each run, one without units too: its names, and numbers in plain columns."""
    cut, rows = gaps(found), run_rows(found)
    left = np.bincount(cut.of[~cut.strict & (cut.n_absent > 0)], minlength=len(rows))
    ok = (rows["status"] == "ok").to_numpy()
    names = ["n_reentry", "n_reentry_uncertain"]
    means = ["reentry_expected", "reentry_chance", "uncertain_expected"]
    return rows[_BY].assign(
        has=ok,
        full=ok & rows["reason"].isna().to_numpy(),
        n_left=left,
        **{name: rows[name].to_numpy(dtype=np.int64, na_value=0) for name in names},
        **{name: rows[name].to_numpy(dtype=np.float64, na_value=0.0) for name in means},
    )


def run_rows(found: Sequences) -> pd.DataFrame:
    """A row per run: path, counts, and the expectation where all units were observed."""
    cut, walked = gaps(found), steps(found)
    reason = found.heads["reason"].to_numpy(dtype=object)
    has = reason == ""
    in_full = found.heads["in_full"].to_numpy(dtype=bool)
    changed = walked.certain & (walked.kind != Kind.STAY.value)
    shown = found.count(expressed(found))
    unknown = found.count(found.state < 0)
    size = len(found.heads)
    counts = {
        "n_units": found.sizes,
        "n_known": found.sizes - unknown,
        "n_expressed": shown,
        "n_absent": found.sizes - unknown - shown,
        "n_unknown": unknown,
        "n_changes": np.bincount(walked.of[changed], minlength=size),
        "n_uncertain": np.bincount(walked.of[walked.kind == UNCERTAIN], minlength=size),
        "n_reentry": np.bincount(cut.of[cut.strict], minlength=size),
        "n_reentry_uncertain": np.bincount(cut.of[~cut.strict], minlength=size),
    }
    said = rs.none_if_blank(np.where(has & ~in_full, "observed_in_part", reason))
    rows = found.heads.assign(
        unit=found.unit,
        status=np.where(has, "ok", "unknown"),
        reason=said,
        path=pd.Series(found.paths, dtype=object).mask(~has),
        **{name: pd.array(v, dtype="Int64") for name, v in counts.items()},
    )
    rows.loc[~has, list(counts)] = pd.NA
    return rows.assign(**_expectation(counts, has & in_full))


def _expectation(counts: dict[str, Any], known: Any) -> dict[str, pd.Series]:
    triples = zip(counts["n_expressed"], counts["n_absent"], counts["n_unknown"], strict=True)
    each = [expected(int(k), int(m), int(u)) for k, m, u in triples]

    def column(name: str) -> pd.Series:
        return pd.Series([getattr(e, name) for e in each], dtype="Float64").mask(~known)

    return {
        "reentry_expected": column("strict"),
        "reentry_chance": column("any_strict"),
        "uncertain_expected": column("uncertain"),
    }


def _group(part: pd.DataFrame) -> dict[str, Any]:
    seen = part["full"].to_numpy()
    column = {name: part[name].to_numpy()[seen] for name in part.columns.difference(_BY)}
    strict, unsure = column["n_reentry"] > 0, column["n_reentry_uncertain"]
    n, hits = int(seen.sum()), int(strict.sum())
    counts = {
        "n_runs": n,
        "n_runs_in_part": int(part["has"].sum()) - n,
        "n_runs_possible": int((column["reentry_chance"] > 0).sum()),
        "n_strict": int(column["n_reentry"].sum()),
        "n_uncertain": int(unsure.sum()),
        "n_uncertain_left": int(column["n_left"].sum()),
        "n_in_part": int(part["n_reentry_uncertain"].sum() - unsure.sum()),
        "n_runs_strict": hits,
        "n_runs_uncertain_only": int((~strict & (unsure > 0)).sum()),
    }
    if n == 0:
        return {"status": "unknown", "reason": "no_run_observed_in_full"} | counts
    low, high = wilson(hits, n) or (None, None)
    spread = run_counts(column["reentry_chance"])
    return counts | {
        "status": "ok",
        "reason": None,
        "run_share": hits / n,
        "run_lo": low,
        "run_hi": high,
        "expected_strict": float(column["reentry_expected"].sum()),
        "expected_uncertain": float(column["uncertain_expected"].sum()),
        "expected_runs": float(column["reentry_chance"].sum()),
        "p_more": float(min(1.0, spread[hits:].sum())),
        "p_fewer": float(min(1.0, spread[: hits + 1].sum())),
    }


def _case_rows(found: Sequences, cut: Gaps) -> pd.DataFrame:
    letters = LETTERS[found.state]
    number = pd.Series(cut.of).groupby(cut.of).cumcount() + 1
    to_no = pd.Series(found.no[cut.end], dtype="Int64")
    return found.heads.iloc[cut.of].assign(
        unit=found.unit,
        place=number.to_numpy(),
        from_role=found.role[cut.start],
        from_no=found.no[cut.start],
        to_role=found.role[cut.end],
        to_no=to_no.mask(to_no < 0).array,
        case=np.where(cut.strict, STRICT, UNCERTAIN),
        gap=["".join(letters[a + 1 : b]) for a, b in zip(cut.start, cut.end, strict=True)],
        n_absent=cut.n_absent,
        n_unknown=cut.n_unknown,
    )


MAKERS = {FLOW_RUNS: flow_runs, REENTRY_CASES: reentry_cases, REENTRY: reentry}
