"""Counts that were made by multiplying others, and are no labels (DR-103).

8 of 13 written as 384 of 624 is still 8 of 13. Such a count says what it was made from, can be
shown, and raises as soon as anything would compute with it.
"""

from dataclasses import dataclass
from typing import NoReturn

from draligned.schema.errors import InventoryError


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaled:
    """`n` of `of`, scaled from `basis_k` of `basis_n` labels."""

    n: int
    of: int
    basis_k: int
    basis_n: int

    def __post_init__(self) -> None:
        """Raise `InventoryError` where it is no multiple of its basis."""
        if self.basis_n <= 0 or self.n * self.basis_n != self.of * self.basis_k:
            raise InventoryError(f"{self} is not scaled from its basis")

    def __str__(self) -> str:
        return f"{self.n} of {self.of} (scaled; basis_n = {self.basis_n})"

    def _refused(self, *_: object) -> NoReturn:
        raise InventoryError(
            f"{self} is no count of labels: an accuracy or an interval takes the "
            f"{self.basis_k} of {self.basis_n} that were made"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _refused
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __index__ = _refused
    __bool__ = __round__ = __array__ = _refused
