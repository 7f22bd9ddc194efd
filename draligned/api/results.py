"""The part of a `Study` that holds results: tables, CSV, registers, and pages to look at them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from draligned.api.viewing import Viewing
from draligned.study.folder import StudyFolder

if TYPE_CHECKING:
    import pandas as pd

    from draligned.api.evaluating import Readings
    from draligned.api.registers import Shown
    from draligned.api.tabular import TableInfo
    from draligned.api.trajectories import PairShown
    from draligned.api.transitions import TransitionsShown
    from draligned.schema.design import Lang
    from draligned.schema.registers import Correction, Exclusion, Limit, Line, Method
    from draligned.study.registers import Name


class Results(Viewing):
    """Tables and registers of a study folder."""

    folder: StudyFolder

    def readings(self) -> "Readings":
        """What was observed and read."""
        raise NotImplementedError

    def table(self, name: str) -> "pd.DataFrame":
        """A table that `measure` made. Raises `InputError`, naming those that exist."""
        from draligned.study.tables import read_table

        return read_table(self.folder.store, name)

    def tables(self) -> "tuple[TableInfo, ...]":
        """What `measure` made, with what each table's file says of itself."""
        from draligned.api import tabular

        return tabular.infos(self.folder.store, self.readings)

    def write_csv(self, name: str, path: str | Path) -> int:
        """Write a table as CSV that spreadsheets, R and pandas open alike; its rows.

        `draligned.api.tabular.load_csv` reads it back with its types.
        """
        from draligned.api import tabular

        return tabular.write_csv(self.folder.store, name, Path(path))

    def trajectory(self, pair_id: str, *, lang: "Lang | None" = None) -> "PairShown":
        """Both runs of a pair, step by step, with label and words; a notebook shows a picture.

        Ids stand in the table `pairs`. Raises `InputError`.
        """
        from draligned.api import trajectories

        return trajectories.trajectory(self, pair_id, lang)

    def transitions(self, *, lang: "Lang | None" = None) -> "TransitionsShown":
        """How runs' states follow one another from requests to the final, harness by harness; a
        notebook shows pictures. Raises `InputError` before `measure`."""
        from draligned.api import transitions

        return transitions.transitions(self, lang)

    def register(self, name: "Name", *, lang: str = "en") -> "tuple[Shown, ...]":
        """`corrections`, `methods` or `limits`: the project's entries, then the study's own."""
        from draligned.api import registers

        return registers.shown(self.folder.store, name, lang)

    def add_to_register(self, name: "Name", entry: "Correction | Method | Limit") -> "Line":
        """Add an entry to the study's own register; none can be changed or taken away.

        Raises `ConfigError` where its id is taken.
        """
        from draligned.study.registers import add

        return add(self.folder.store, name, entry)

    def exclusions(self, ids: Sequence[str]) -> "tuple[Exclusion, ...]":
        """For a correction: the runs, factors and packets that `ids` name. Raises `ConfigError`."""
        from draligned.api import registers

        return registers.resolve(self.readings(), ids)
