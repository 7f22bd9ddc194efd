"""Tables of progress reports on disk: progress/<design>/tables/<name>.parquet, with what they say
of themselves, and as CSV beside; the admission table also as progress/<design>/admission.csv."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from draligned.progress.lanes import ROOT, design_sha256
from draligned.schema.errors import InputError
from draligned.store.protocol import Store

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.progress import LaneStatus

ADMISSION = "admission"
_SAYS = {
    "evidence": "Audit/engineering",
    "boundary": "Says who was asked and who counts; it says nothing of behaviour.",
}
_TEXTS = ("design", "deployment", "reason", *_SAYS)
_FLAGS = ("admitted", "complete", "counts", "rehearsal")


def write_admission(store: Store, design: str, lanes: "Sequence[LaneStatus]") -> dict[str, int]:
    """Store who was asked, who counts and why not (SI-46), made anew from the stored lanes: as
    table `admission`, and as CSV for spreadsheets; rows by name."""
    import pandas as pd

    from draligned.study.spreadsheet import to_csv

    rows = [
        {**lane.model_dump(mode="json", exclude={"switch"}), "counts": lane.counts, **_SAYS}
        for lane in lanes
    ]
    frame = pd.DataFrame(rows)
    for name in frame.columns:
        kind = "string" if name in _TEXTS else "boolean" if name in _FLAGS else "Int64"
        frame[name] = frame[name].astype(kind)  # type: ignore[call-overload]
    store.replace(f"{ROOT}/{design}/{ADMISSION}.csv", to_csv(frame))
    return write_tables(store, design, {ADMISSION: frame})


def write_tables(store: Store, design: str, made: Mapping[str, "pd.DataFrame"]) -> dict[str, int]:
    """Store tables over what was there; rows by name."""
    from draligned.progress.described import described
    from draligned.study.spreadsheet import to_csv
    from draligned.study.tables import to_bytes

    sha256 = design_sha256(store, design)
    for name, frame in made.items():
        meta = None if sha256 is None else described(name, frame, sha256)
        store.replace(f"{ROOT}/{design}/tables/{name}.parquet", to_bytes(frame, meta))
        store.replace(f"{ROOT}/{design}/tables/{name}.csv", to_csv(frame))
    return {name: len(frame) for name, frame in made.items()}


def read_table(store: Store, design: str, name: str) -> "pd.DataFrame":
    """A stored table. Raises `InputError`."""
    from draligned.study.tables import from_bytes

    data = store.get(f"{ROOT}/{design}/tables/{name}.parquet")
    if data is None:
        raise InputError(f"there is no table {name!r} of {design}; `progress measure` makes them")
    return from_bytes(data)
