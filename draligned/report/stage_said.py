"""What the second instrument says of a lane or a leak in English, in the language of the page."""

import re

from draligned.report.texts import Texts

_PRECHECK = re.compile(r"precheck: (?P<good>\d+) of (?P<n>\d+) good; (?P<why>.*)", re.DOTALL)
_CALLS = re.compile(r"(?P<n>\d+) readable tool calls, not one")
_SWITCH = re.compile(
    r"manipulation check: reasoning in (?P<on>\d+) of (?P<n_on>\d+) replies with the switch on, "
    r"in (?P<off>\d+) of (?P<n_off>\d+) with it off"
)
_LEAK = re.compile(
    r"corruption gate: of (?P<n>\d+) replies of (?P<design>\S+), (?P<blanked>\d+) are clean when "
    r"blanked and (?P<inverted>\d+) when inverted; .*",
    re.DOTALL,
)


def reason_said(reason: str, texts: Texts) -> str:
    """Why a lane does not count; what no sentence is known for stays as it is."""
    if found := _PRECHECK.fullmatch(reason):
        why = _probe(found["why"], texts)
        return texts("stage.reason_precheck", good=found["good"], n=found["n"], why=why)
    if found := _SWITCH.fullmatch(reason):
        return texts("stage.reason_switch", **found.groupdict())
    return texts.word("p_reason", reason)


def silence_said(silence: str, texts: Texts) -> str:
    """Why a design has no numbers."""
    if found := _LEAK.fullmatch(silence):
        return texts("stage.leak", **found.groupdict())
    return texts.word("p_silence", silence) if silence else ""


def _probe(why: str, texts: Texts) -> str:
    if found := _CALLS.fullmatch(why):
        return texts("stage.reason_calls", n=found["n"])
    return texts.word("p_probe", why)
