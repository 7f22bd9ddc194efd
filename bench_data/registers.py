"""The registers that come with the project, checked when they are loaded."""

import tomllib
from functools import cache
from importlib.resources import files

from draligned.schema.registers import Register


@cache
def load_register() -> Register:
    """Corrections, methods and limits of `registers.toml` (DR-106 … DR-109).

    Raises `ValueError` where an entry is not of its type or an id occurs twice.
    """
    text = files("draligned.bench_data").joinpath("registers.toml").read_text("utf-8")
    return Register.model_validate(tomllib.loads(text))
