"""Whether all that was planned is there once, or open; and the table that says so."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from draligned.verify.compare import Own, Row
from draligned.verify.files import Files
from draligned.verify.found import going_on
from draligned.verify.labels import Slot, Slots
from draligned.verify.logs import Run
from draligned.verify.packets import ROLES, Unit, roles_asked
from draligned.verify.plan import Evaluator, PlanFacts
from draligned.verify.reads import Reader, keys_of
from draligned.verify.study import Study

READS = "inventory: reads"
KINDS = ("requests", "document")


def read_key(evaluator_id: str, packet_id: str, role: str) -> str:
    """Where a read stands."""
    return f"reads/{evaluator_id}/{packet_id}/{role}.json"


def gather(
    reader: Reader,
    evaluator: Evaluator,
    keys: Iterable[tuple[str, str, str]],
    unit_of: Callable[[str], Unit | None],
) -> Slots:
    """All reads of one evaluator. Files that are no read of the study are named; reads that cannot
    be used count as not there."""
    part, slots = reader.files.found.part(READS), Slots()
    for key, packet, role in keys:
        unit = unit_of(packet)
        if unit is None or role not in ROLES:
            part.wrong(key, "", "a file", "no such read was planned")
            continue
        part.right()
        with going_on():
            found = reader.guarded(key, unit, evaluator.evaluator_id, role)
            slots[packet, evaluator.name, role] = Slot(found)
    return slots


def add_missing(
    slots: Slots, units: Iterable[str], evaluators: Iterable[Evaluator], seed: int, share: float
) -> None:
    """A slot without a read for every read that was asked for and is not there."""
    asked = list(evaluators)
    for packet in units:
        for evaluator in asked:
            for role in roles_asked(packet, seed, mirrored=evaluator.mirrored, share=share):
                slots.setdefault((packet, evaluator.name, role), Slot(None))


def strange_readers(files: Files, plan: PlanFacts) -> None:
    """Folders of readers that were not planned."""
    known = {e.evaluator_id for e in plan.evaluators}
    for name in files.store.folders("reads"):
        if name not in known:
            files.found.part(READS).wrong(f"reads/{name}", "", "a folder", "no such evaluator")


def inventory(study: Study) -> Own:
    """Planned, done and open runs and reads."""
    columns = (
        "kind", "name", "harness", "environment", "packets", "run_set", "planned", "started",
        "done", "failed", "censored", "void", "open", "stored", "development",
    )  # fmt: skip
    rows = [*_run_rows(study.every_run), *_read_rows(study)]
    return Own(name="inventory", columns=columns, rows=rows,
               keys=columns[:6])  # fmt: skip


def _run_rows(runs: Iterable[Run]) -> list[Row]:
    groups: dict[tuple[str, str, str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((*run.names[2:], run.cell.run_set), []).append(run)
    return [("runs", *k[:3], None, k[3], *_run_counts(group)) for k, group in groups.items()]


def _run_counts(runs: list[Run]) -> list[Any]:
    by = Counter(run.state for run in runs)
    kept = sum(number != run.attempt for run in runs for number in run.attempts)
    started = sum(bool(run.attempts) for run in runs)
    return [len(runs), started, by["done"], by["failed"], by["censored"], None, by["open"], kept,
            any(run.cell.block.development for run in runs)]  # fmt: skip


def _read_rows(study: Study) -> list[Row]:
    asked = asked_reads(study)
    return [
        (
            "reads",
            e.name,
            None,
            None,
            kind,
            None,
            *_read_counts(study, e.name, asked[e.name, kind]),
            None,
        )
        for e in study.plan.evaluators
        for kind in KINDS
    ]


def asked_reads(study: Study) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Packet and role of every read asked for, by evaluator's name and kind of packet."""
    share, seed = study.settings.evaluate.retest_share, study.design.seed
    out: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for evaluator in study.plan.evaluators:
        for kind in KINDS:
            out[evaluator.name, kind] = [
                (unit.packet_id, role)
                for unit in study.every_unit.values()
                if unit.kind == kind
                for role in roles_asked(
                    unit.packet_id, seed, mirrored=evaluator.mirrored, share=share
                )
            ]
    return out


def _read_counts(study: Study, name: str, asked: list[tuple[str, str]]) -> list[Any]:
    reads = [slot.read for packet, role in asked if (slot := study.read_slots[packet, name, role])]
    made = [read for read in reads if read is not None]
    void = sum(read.status != "ok" for read in made)
    return [len(asked), None, len(made), None, None, void, len(asked) - len(made), None]


def open_reads(study: Study) -> list[str]:
    """Keys of reads that were asked for and are not there."""
    ids = {e.name: e.evaluator_id for e in study.plan.evaluators}
    return [
        read_key(ids[name], packet, role)
        for (name, _), asked in asked_reads(study).items()
        for packet, role in asked
        if study.read_slots[packet, name, role].read is None
    ]


def name_lost(files: Files, study: Study, stored_open: dict[str, int]) -> None:
    """Name what is open although the tables were made when less was: files that have gone."""
    open_runs = [f"runs/{run.run_id}" for run in study.every_run if run.state == "open"]
    for kind, keys in (("reads", open_reads(study)), ("runs", open_runs)):
        part = files.found.part(f"inventory: {kind}")
        if len(keys) > stored_open.get(kind, len(keys)):
            for key in keys:
                part.wrong(key, "", "no file", "it was there when the tables were made, or is open")
        elif keys:
            part.notes.append(f"{len(keys)} open")


def all_keys(reader: Reader, evaluator: Evaluator) -> list[tuple[str, str, str]]:
    """Every file among an evaluator's reads."""
    return list(keys_of(reader.files, evaluator.evaluator_id))
