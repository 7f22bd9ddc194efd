"""Regressions beside the plain shares: a linear mixed model and a logistic GEE (SI-40, SI-41).

They need the extra `stats` (statsmodels), which is imported only here.
"""

import warnings
from collections.abc import Sequence
from math import erfc, sqrt
from typing import Any

import numpy as np
import pandas as pd

from draligned.progress.metrics import clean
from draligned.schema.errors import ConfigError
from draligned.schema.progress import Stage

MIXED_COLUMNS = (
    "deployment", "status", "reason", "intermediate", "se", "ci_lo", "ci_hi", "p",
    "scenario_variance", "n",
)  # fmt: skip
GEE_COLUMNS = (
    "left_out", "status", "reason", "beta", "se", "odds_ratio", "or_lo", "or_hi", "p", "n",
)  # fmt: skip


def baseline_rows(frame: pd.DataFrame, encoding: str = "xml") -> pd.DataFrame:
    """Rows of the models: baseline, one encoding, a report due, a scorable reply (6,718 of 6,720
    in the paper)."""
    kept = frame[
        (frame["arm"] == "baseline") & (frame["encoding"] == encoding) & frame["due"]
        & frame["s"].fillna(False).astype(bool)
    ]  # fmt: skip
    return pd.DataFrame(
        {
            "deployment": kept["deployment"].to_numpy(),
            "scenario": kept["scenario_id"].to_numpy(),
            "clean": clean(kept).astype(float),
            "intermediate": (kept["stage"] != Stage.COMPLETED.value).to_numpy().astype(float),
        }
    )


def regressions(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables `mixed` and `gee` of a scored frame, encodings apart (SI-36).

    Where statsmodels is not installed every row is `unknown` and says so.
    """
    made: dict[str, list[pd.DataFrame]] = {"mixed": [], "gee": []}
    for encoding in sorted(frame["encoding"].unique()):
        rows = baseline_rows(frame, encoding)
        try:
            found = {"mixed": mixed_models(rows), "gee": gee(rows)}
        except ConfigError as error:
            found = _not_fitted(rows, str(error))
        for name, table in found.items():
            made[name].append(table.assign(encoding=encoding))
    return {name: _joined(tables) for name, tables in made.items()}


def _not_fitted(rows: pd.DataFrame, reason: str) -> dict[str, pd.DataFrame]:
    fields = {"status": "unknown", "reason": reason}
    by = [
        {"deployment": str(name), **fields, "n": len(own)}
        for name, own in rows.groupby("deployment", sort=True)
    ]
    whole = [{"left_out": None, **fields, "n": len(rows)}]
    return {
        "mixed": pd.DataFrame(by, columns=list(MIXED_COLUMNS)),
        "gee": pd.DataFrame(whole, columns=list(GEE_COLUMNS)),
    }


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One table of several, with nulls that are no numbers."""
    rows = [row for table in tables for row in table.astype(object).to_dict("records")]
    made = pd.DataFrame(rows, columns=list(tables[0].columns))
    for name in made.columns:
        kind: Any = _KINDS.get(name, "Float64")
        made[name] = made[name].astype(object).where(made[name].notna(), None).astype(kind)
    return made


_KINDS = {
    "deployment": "string", "left_out": "string", "status": "string", "reason": "string",
    "encoding": "string", "n": "Int64",
}  # fmt: skip


def mixed_models(rows: pd.DataFrame) -> pd.DataFrame:
    """clean ~ intermediate with a random intercept a scenario, one model a deployment.

    A deployment for which the model cannot be fitted has status `unknown` and says why.
    """
    _statsmodels()
    made = [
        {"deployment": str(name), **_mixed(own)}
        for name, own in rows.groupby("deployment", sort=True)
    ]
    return pd.DataFrame(made, columns=list(MIXED_COLUMNS))


def _mixed(rows: pd.DataFrame) -> dict[str, Any]:
    from statsmodels.regression.mixed_linear_model import MixedLM

    unknown = _unfit(rows)
    if unknown is not None:
        return {"status": "unknown", "reason": unknown, "n": len(rows)}
    design = np.column_stack([np.ones(len(rows)), rows["intermediate"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = MixedLM(rows["clean"].to_numpy(), design, groups=rows["scenario"].to_numpy()).fit()
        values = {
            "intermediate": fit.params[1], "se": fit.bse[1], "ci_lo": fit.conf_int()[1][0],
            "ci_hi": fit.conf_int()[1][1], "p": fit.pvalues[1],
            "scenario_variance": np.asarray(fit.cov_re).ravel()[0],
        }  # fmt: skip
    if not np.isfinite(list(values.values())).all():
        return {"status": "unknown", "reason": NO_ERRORS, "n": len(rows)}
    return {
        "status": "ok" if fit.converged else "unknown",
        "reason": None if fit.converged else "the fit did not converge",
        **{name: float(value) for name, value in values.items()}, "n": len(rows),
    }  # fmt: skip


NO_ERRORS = "its standard errors cannot be computed"


def gee(rows: pd.DataFrame) -> pd.DataFrame:
    """Logistic GEE over all deployments: clean ~ intermediate + deployment, scenarios as clusters,
    exchangeable working correlation, robust errors; once whole, once without each scenario."""
    _statsmodels()
    scenarios: Sequence[str] = sorted(rows["scenario"].unique())
    made = [{"left_out": None, **_gee(rows)}]
    made += [{"left_out": s, **_gee(rows[rows["scenario"] != s])} for s in scenarios]
    return pd.DataFrame(made, columns=list(GEE_COLUMNS))


def _gee(rows: pd.DataFrame) -> dict[str, Any]:
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    unknown = _unfit(rows)
    if unknown is not None:
        return {"status": "unknown", "reason": unknown, "n": len(rows)}
    names = sorted(rows["deployment"].unique())[1:]
    fixed = [(rows["deployment"] == name).to_numpy(dtype=float) for name in names]
    design = np.column_stack([np.ones(len(rows)), rows["intermediate"], *fixed])
    ordered = np.argsort(rows["scenario"].to_numpy(), kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = GEE(
            rows["clean"].to_numpy()[ordered], design[ordered],
            groups=rows["scenario"].to_numpy()[ordered], family=Binomial(),
            cov_struct=Exchangeable(),
        ).fit()  # fmt: skip
        beta, error = float(fit.params[1]), float(fit.bse[1])
    if not np.isfinite(beta) or abs(beta) > _SEPARATED:
        return {"status": "unknown", "reason": "the two groups are separated", "n": len(rows)}
    if not np.isfinite(error):
        return {"status": "unknown", "reason": NO_ERRORS, "n": len(rows)}
    if error < _NO_ERROR:
        return {"status": "unknown", "reason": "all scenarios agree", "n": len(rows)}
    return {"status": "ok", "reason": None, **odds(beta, error), "n": len(rows)}


_SEPARATED = 15.0
_NO_ERROR = 1e-12


def odds(beta: float, error: float) -> dict[str, float]:
    """Odds ratio, its 95 % interval and p from a coefficient and its standard error."""
    z = 1.959963984540054
    return {
        "beta": beta, "se": error, "odds_ratio": float(np.exp(beta)),
        "or_lo": float(np.exp(beta - z * error)), "or_hi": float(np.exp(beta + z * error)),
        "p": erfc(abs(beta / error) / sqrt(2)),
    }  # fmt: skip


def _unfit(rows: pd.DataFrame) -> str | None:
    if rows.empty:
        return "no rows"
    if rows["scenario"].nunique() < 2:
        return "a single scenario"
    if rows["clean"].nunique() < 2:
        return "every reply is scored alike"
    return None if rows["intermediate"].nunique() == 2 else "a single kind of checkpoint"


def _statsmodels() -> None:
    try:
        import statsmodels  # noqa: F401
    except ImportError:
        raise ConfigError(
            "mixed models and GEE need statsmodels: pip install 'draligned[stats]'"
        ) from None
