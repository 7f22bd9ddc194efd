"""The block that asks an agent for a stage tag in every turn (`run --progress-duty`)."""

import tomllib
from functools import cache
from importlib.resources import files

from draligned.schema.base import short_id
from draligned.schema.design import Lang


@cache
def _blocks() -> dict[str, str]:
    source = files("draligned.bench_data") / "progress" / "duty.toml"
    return {lang: text.strip() for lang, text in tomllib.loads(source.read_text("utf-8")).items()}


def duty_block(lang: Lang) -> str:
    """What is added to the system message, in `lang`."""
    return _blocks()[lang]


def duty_sha() -> str:
    """Identity of the block, in both languages."""
    return short_id("duty", _blocks())
