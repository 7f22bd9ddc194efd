"""What corrections leave out of every table, and the chain of their register (DR-106)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from draligned.verify.files import Files
from draligned.verify.found import going_on
from draligned.verify.ids import sha256_bytes
from draligned.verify.labels import Slot, Slots
from draligned.verify.logs import Run
from draligned.verify.reads import VOID, Read

KEY = "corrections.jsonl"
PART = "corrections"


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Ids of what is left out."""

    runs: frozenset[str] = frozenset()
    factors: frozenset[str] = frozenset()
    packets: frozenset[str] = frozenset()

    def run(self, run: Run) -> Run:
        """The run as tables have it: what was done and is left out shows nothing."""
        out = run.run_id in self.runs or run.factors[0][0] in self.factors
        if not out or run.state != "done":
            return run
        return replace(run, state="excluded", seen=None, observes=dict.fromkeys("awf", "none"))

    def reads(self, slots: Slots) -> Slots:
        """Slots with the reads of packets that are left out void."""
        return {key: _void(slot) if key[0] in self.packets else slot for key, slot in slots.items()}


def _void(slot: Slot) -> Slot:
    if slot.read is None:
        return slot
    return Slot(Read("void", "excluded", cells=(VOID,) * len(slot.read.cells)))


def read_corrections(files: Files) -> LeftOut:
    """The study's own corrections; none where the register is not there."""
    part, ids = files.found.part(PART), dict[str, set[str]]()
    parent = None
    for number, line in enumerate(files.lines(KEY), start=1):
        with going_on():
            record = files.parsed(line, KEY, PART, f"line {number}")
            part.same(KEY, f"line {number}, seq", record.get("seq"), number)
            part.same(KEY, f"line {number}, parent", record.get("parent"), parent)
            for excluded in _excluded(record):
                ids.setdefault(excluded[0], set()).add(excluded[1])
        parent = sha256_bytes(line)
    return LeftOut(
        runs=frozenset(ids.get("run", ())),
        factors=frozenset(ids.get("factor", ())),
        packets=frozenset(ids.get("packet", ())),
    )


def _excluded(record: dict[str, object]) -> Iterable[tuple[str, str]]:
    entry = record.get("entry")
    found = entry.get("excludes", []) if isinstance(entry, dict) else []
    return [(str(e["kind"]), str(e["id"])) for e in found]
