"""Whether the reads at hand are those that were planned; aggregation refuses others."""

from collections.abc import Iterable, Mapping

from draligned.evaluators.orientation import ReadPlan, alpha_of
from draligned.evaluators.read_columns import ReadColumns
from draligned.schema.errors import InventoryError
from draligned.schema.labels import ReadRole
from draligned.schema.packets import EvalUnit


def checked_index(
    reads: Iterable[ReadColumns], units: Mapping[str, EvalUnit], plan: ReadPlan
) -> dict[tuple[str, str, ReadRole], ReadColumns]:
    """Reads by packet, evaluator and role.

    Raises `InventoryError` for mixed protocols, a read given twice, and a read of a packet or
    an orientation that was not planned.
    """
    index: dict[tuple[str, str, ReadRole], ReadColumns] = {}
    for read in reads:
        key = (read.packet_id, read.evaluator_id, read.role)
        if key in index:
            raise InventoryError(f"{_name(read)} is there twice; set one of the files aside")
        _check_planned(read, units, plan)
        index[key] = read
    _check_one_protocol(index.values())
    return index


def _check_planned(read: ReadColumns, units: Mapping[str, EvalUnit], plan: ReadPlan) -> None:
    unit = units.get(read.packet_id)
    if unit is None or (unit.kind, unit.factor_id) != (read.kind, read.factor_id):
        raise InventoryError(f"{_name(read)} is of no planned packet; check plan.json and runs/")
    if read.alpha is not alpha_of(read.packet_id, plan.seed, read.role):
        raise InventoryError(
            f"{_name(read)} was made in another orientation than planned; "
            "was the study's seed changed?"
        )


def _check_one_protocol(reads: Iterable[ReadColumns]) -> None:
    protocols = sorted({read.protocol_sha256 for read in reads})
    if len(protocols) > 1:
        shown = ", ".join(p[:12] for p in protocols)
        raise InventoryError(
            f"reads under different protocols ({shown}) cannot share a table; "
            "choose evaluators with the same protocol.lock"
        )


def _name(read: ReadColumns) -> str:
    return f"the {read.role.value} read of packet {read.packet_id} by {read.evaluator_id}"
