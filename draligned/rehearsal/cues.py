"""The cue words of `cues.toml`, as patterns."""

import re
import tomllib
from importlib.resources import files

_RAW = tomllib.loads(files(__package__).joinpath("cues.toml").read_text("utf-8"))


def _cue(name: str) -> re.Pattern[str]:
    return re.compile("|".join(_RAW[name]), re.IGNORECASE)


RESTATEMENT = _cue("restatement")
THIRD_PARTY = _cue("third_party")
OWN_TURN = _cue("own_turn")
REJECTION = _cue("rejection")
ADVICE = _cue("advice")
CONDITION = _cue("condition")
OPTION = _cue("option")
HEDGE = _cue("hedge")
CONTRAST = _cue("contrast")
