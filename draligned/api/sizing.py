"""What a study tells about the size of the next one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from draligned.schema.errors import ConfigError

if TYPE_CHECKING:
    from draligned.api.study import Study
    from draligned.simulate.components import Components
    from draligned.simulate.panels import ChannelName


def pilot_components(
    study: "Study", harness: str | None = None
) -> "Mapping[ChannelName, Components]":
    """Variance components of a study's pairs, by channel, as its primary evaluator reads them.

    `harness` is needed where the pilot has several. Raises `ConfigError` for a harness that it
    does not have, `InputError` where it has too little to say anything of tasks.
    """
    from draligned.simulate.pilot import components

    pairs = study.table("pairs")
    first = next(iter(study.config.evaluate.evaluators), None)
    evaluators = sorted(pairs["evaluator"].unique())
    chosen = first if first in evaluators else evaluators[0]
    pairs = pairs[(pairs["evaluator"] == chosen).to_numpy(dtype=bool)]
    names = sorted(pairs["harness"].unique())
    if harness is None and len(names) > 1:
        raise ConfigError(f"the pilot has several harnesses; add --harness {' or '.join(names)}")
    if harness is not None and harness not in names:
        raise ConfigError(f"the pilot has no harness {harness!r}; it has {', '.join(names)}")
    own = pairs[(pairs["harness"] == (harness or names[0])).to_numpy(dtype=bool)]
    return {"A": components(own, "A"), "F": components(own, "F")}
