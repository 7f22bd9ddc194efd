"""Which texts are compared: a run's drafts with its final, and with finals of its repeats (DR-96).

The second kind is the baseline: how like are a draft and a final of the same condition that do
not belong together. Harnesses that submit the saved draft itself are left out (DR-23).
"""

from typing import Literal

import numpy as np
import pandas as pd

from draligned.measure.checks import checked
from draligned.measure.persistence import comparable
from draligned.schema.frames import InputSet, MeasureInputs
from draligned.schema.labels import Observes, Side

Scope = Literal["within_run", "across_runs"]
CONDITION = ["task_id", "user_id", "factor_id", "arm", "model", "harness", "environment"]
_STARTS = ("first_draft", "last_draft")
_COLUMNS = ["scope", "start", "run_id", "other_run_id", *CONDITION, "from_sha256", "to_sha256"]


def draft_pairs(inputs: MeasureInputs) -> pd.DataFrame:
    """One row per comparison, from checked inputs: `scope`, `start` (first_draft, last_draft and,
    across runs, final), both runs, the condition, both texts.

    Runs are done, and their workspace and final were observed in full. The last draft is the last
    one saved before the final was delivered. Repeats are other replicates of the same condition
    in the same environment; those of the A/A set count among them.
    """
    ends = _ends(inputs.runs, inputs.documents)
    within = ends.assign(scope="within_run", other_run_id=ends["run_id"])
    within = within.assign(from_sha256=within["text_sha256"], to_sha256=within["final_sha256"])
    drafts = within[within["start"].isin(_STARTS)]
    return pd.concat([drafts[_COLUMNS], _across(_repeats(inputs, ends))], ignore_index=True)


def text_couples(inputs: MeasureInputs) -> list[tuple[str, str]]:
    """The distinct couples of unlike texts among `draft_pairs`, those of a condition together."""
    pairs = draft_pairs(inputs).sort_values([*CONDITION, "run_id", "other_run_id", "start"])
    unlike = pairs[(pairs["from_sha256"] != pairs["to_sha256"]).to_numpy(dtype=bool)]
    texts = unlike[["from_sha256", "to_sha256"]].drop_duplicates()
    return [(str(a), str(b)) for a, b in texts.itertuples(index=False, name=None)]


def before_final(documents: pd.DataFrame) -> pd.DataFrame:
    """All but the drafts that were saved after their run's final was delivered."""
    finals = documents[documents["role"] == "final"].drop_duplicates("run_id")
    ends = finals.set_index("run_id")["seq"].reindex(documents["run_id"])
    late = (documents["role"] == "draft").to_numpy() & (
        documents["seq"].to_numpy(dtype=float, na_value=np.nan)
        > ends.to_numpy(dtype=float, na_value=np.nan)
    )
    return documents[~late]


def _ends(runs: pd.DataFrame, documents: pd.DataFrame) -> pd.DataFrame:
    """First and last draft and final of each run that has a final: one row each, with the final."""
    full = [(runs[f"observes_{c}"] == Observes.FULL.value).fillna(False) for c in "wf"]
    seen = (runs["state"] == "done") & full[0] & full[1]
    named = comparable(runs[seen.to_numpy(dtype=bool)])[["run_id", *CONDITION]]
    texts = before_final(documents).sort_values(["seq", "version_no"], kind="stable")
    texts = texts[["run_id", "factor_id", "role", "text_sha256"]]
    finals, drafts = (texts[texts["role"] == role] for role in ("final", "draft"))
    key = ["run_id", "factor_id"]
    parts = [
        drafts.drop_duplicates(key, keep="first").assign(start="first_draft"),
        drafts.drop_duplicates(key, keep="last").assign(start="last_draft"),
        finals.assign(start="final"),
    ]
    ended = named.merge(
        finals[[*key, "text_sha256"]].rename(columns={"text_sha256": "final_sha256"}), on=key
    )
    return ended.merge(pd.concat(parts).drop(columns="role"), on=key)


def _repeats(inputs: MeasureInputs, ends: pd.DataFrame) -> pd.DataFrame:
    """Runs of the panel and, as runs of the condition that they are, those of the A/A set."""
    control = inputs.sets.get(InputSet.AA)
    if control is None or control.runs.empty:
        return ends
    known = checked(control)
    twins = _ends(known.runs.assign(arm=Side.P.value), known.documents)
    both = pd.concat([ends, twins], ignore_index=True)
    return both.drop_duplicates(["run_id", "factor_id", "start"])


def _across(ends: pd.DataFrame) -> pd.DataFrame:
    """Every start with the final of every other run of its condition; finals once a couple."""
    finals = ends.loc[ends["start"] == "final", ["run_id", *CONDITION, "final_sha256"]]
    other = finals.rename(columns={"run_id": "other_run_id", "final_sha256": "to_sha256"})
    met = ends.drop(columns="final_sha256").merge(other, on=CONDITION)
    unlike = met["run_id"] != met["other_run_id"]
    once = (met["start"] != "final") | (met["run_id"] < met["other_run_id"])
    kept = met[(unlike & once).to_numpy(dtype=bool)]
    return kept.rename(columns={"text_sha256": "from_sha256"}).assign(scope="across_runs")[_COLUMNS]
