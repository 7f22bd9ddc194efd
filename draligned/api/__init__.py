"""`draligned.open(path)` gives a `Study`: the one place where the rooms are put together."""

from draligned.api.study import Study, open

__all__ = ["Study", "open"]
