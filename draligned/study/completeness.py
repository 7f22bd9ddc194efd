"""Whether all that was planned is there; aggregation refuses otherwise (DESIGN §4)."""

from draligned.schema.errors import InventoryError


def require_complete(open_runs: int, open_reads: int, *, partial: bool) -> None:
    """Raise `InventoryError` if cells are open and the user did not ask to go on."""
    if partial or not (open_runs or open_reads):
        return
    todo = [
        f"{open_runs} runs (`draligned run`)" if open_runs else "",
        f"{open_reads} reads (`draligned evaluate --mirrored`)" if open_reads else "",
    ]
    raise InventoryError(
        f"still open: {' and '.join(t for t in todo if t)}; finish them, or give "
        "measure and report --partial (in Python: partial=True) to go on with what is there, "
        "marked as partial"
    )
