"""A study's transitions between loci, and how a notebook shows them."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from draligned.report.alluvial import Alluvial, alluvial_of, standalone
from draligned.report.texts import load_texts
from draligned.schema.design import Lang
from draligned.schema.errors import DesignError

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.results import Results


@dataclass(frozen=True, kw_only=True)
class TransitionsShown:
    """A picture a harness; `frame` has the bands as a table."""

    by_harness: dict[str, Alluvial]
    lang: Lang

    def _repr_html_(self) -> str:
        return standalone(list(self.by_harness.values()), load_texts(self.lang))

    def frame(self) -> "pd.DataFrame":
        """One row a band: harness, start, end, from_state, to_state (words of `lang`), n runs."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"harness": harness, **asdict(band)}
                for harness, one in self.by_harness.items()
                for band in one.bands
            ]
        )


def transitions(study: "Results", lang: Lang | None = None) -> TransitionsShown:
    """Of planned runs, as the first evaluator reads them. Raises `DesignError`, `InputError`."""
    readings = study.readings()
    if not readings.plan.ordered_evaluators:
        raise DesignError("nothing was read yet; `draligned evaluate` comes first")
    chosen = lang or readings.design.lang
    evaluator, texts = readings.plan.ordered_evaluators[0].name, load_texts(chosen)
    made = {
        str(harness): alluvial_of(study, evaluator, str(harness), texts)
        for harness in sorted(study.table("matrix")["harness"].unique())
    }
    return TransitionsShown(by_harness={h: a for h, a in made.items() if a}, lang=chosen)
