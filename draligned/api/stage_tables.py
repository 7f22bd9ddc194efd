"""Tables of progress reports on disk: progress/<design>/tables/<name>.parquet."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from draligned.progress.lanes import ROOT
from draligned.schema.errors import InputError
from draligned.store.protocol import Store

if TYPE_CHECKING:
    import pandas as pd


def write_tables(store: Store, design: str, made: Mapping[str, "pd.DataFrame"]) -> dict[str, int]:
    """Store tables over what was there; rows by name."""
    from draligned.study.tables import to_bytes

    for name, frame in made.items():
        store.replace(f"{ROOT}/{design}/tables/{name}.parquet", to_bytes(frame))
    return {name: len(frame) for name, frame in made.items()}


def read_table(store: Store, design: str, name: str) -> "pd.DataFrame":
    """A stored table. Raises `InputError`."""
    import io

    import pandas as pd

    data = store.get(f"{ROOT}/{design}/tables/{name}.parquet")
    if data is None:
        raise InputError(f"there is no table {name!r} of {design}; `progress measure` makes them")
    return pd.read_parquet(io.BytesIO(data), dtype_backend="numpy_nullable")
