"""How often readers with planted errors pass the bar: the table of docs/qualification.md.

    python tools/qualification.py --readers 200

A rehearsal reader reads the gold set so many times, each time with other draws. Nothing here is
evidence about any language model.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from draligned.evaluators.cells import validate_cells
from draligned.evaluators.gold import GOLD_SEED, GoldUnit, gold_units
from draligned.evaluators.items import validate_items
from draligned.evaluators.judged import judged
from draligned.evaluators.marks import mark_reads, separations
from draligned.evaluators.orientation import PlannedRead, ReadPlan, planned_reads
from draligned.evaluators.protocol import load_protocol
from draligned.evaluators.qualify import Findings, findings
from draligned.evaluators.render import Packet, render
from draligned.measure.proportions import wilson
from draligned.rehearsal.draws import Draws
from draligned.rehearsal.reader import read_document, read_requests
from draligned.rehearsal.reader_profile import ReaderProfile
from draligned.schema.design import Lang
from draligned.schema.packets import ReadRecord
from draligned.schema.strictjson import loads

PLAN = ReadPlan(seed=GOLD_SEED, mirrored=True, retest_share=0.0)
BLANK = {"evaluator_id": "e", "protocol_sha256": "p", "packet_sha256": "s", "reply_sha256": "r"}
READERS = (
    (0.0, 0.0, 0.0), (0.02, 0.005, 0.02), (0.05, 0.01, 0.05), (0.0, 0.0, 0.05), (0.0, 0.0, 0.1),
    (0.0, 0.0, 0.2), (0.0, 0.05, 0.0), (0.0, 0.1, 0.0), (0.1, 0.0, 0.0), (0.2, 0.0, 0.0),
)  # fmt: skip
"""Abstain, flip, order bias: per request or document, and read."""


def reads(lang: Lang, profile: ReaderProfile, seed: int) -> Iterator[ReadRecord]:
    """Every planned read of the gold set by one reader."""
    for unit in gold_units(lang):
        for planned in planned_reads(unit.unit.packet_id, PLAN):
            yield read(unit, planned, profile, Draws("qualification", seed, unit.gold_id,
                                                     planned.role.value))  # fmt: skip


def read(unit: GoldUnit, planned: PlannedRead, profile: ReaderProfile, draws: Draws) -> ReadRecord:
    """One validated read."""
    packet = unit.packet(planned.alpha)
    return ReadRecord(
        packet_id=unit.unit.packet_id,
        kind=unit.unit.kind,
        factor_id=unit.unit.factor_id,
        role=planned.role,
        alpha=planned.alpha,
        void=None,
        **BLANK,
        **filled(unit, packet, profile, draws),
    )


def filled(
    unit: GoldUnit, packet: Packet, profile: ReaderProfile, draws: Draws
) -> dict[str, object]:
    """What the reader's reply holds."""
    user = render(packet, load_protocol(packet.lang))[1].text or ""
    shown = loads(user.partition("\n")[2])
    if packet.kind == "requests":
        answer = {"cells": read_requests(shown, profile, draws)}
        return validate_cells(answer, packet, unit.unit.request_nos)._asdict()
    return validate_items({"items": read_document(shown, profile, draws)}, packet)._asdict()


def found(lang: Lang, profile: ReaderProfile, seed: int) -> Findings:
    """The verdict on one reader."""
    units, made = gold_units(lang), list(reads(lang, profile, seed))
    marked = [unit for unit in units if not unit.by_sense]
    table = judged(units, made, evaluator_id="e", plan=PLAN)
    return findings(
        table, list(mark_reads(marked, made)), list(separations(marked, made)), {},
        word_matcher=True,
    )  # fmt: skip


def row(lang: Lang, errors: tuple[float, float, float], n: int) -> str:
    """One line of the table."""
    profile = ReaderProfile(abstain=errors[0], flip=errors[1], order_bias=errors[2])
    results = [found(lang, profile, seed) for seed in range(n)]
    passed = sum(r.verdict == "qualified" for r in results)
    low, high = wilson(passed, n) or (0.0, 1.0)
    failed = Counter(
        c.count.name.partition(":")[0] for r in results for c in r.criteria if not c.met
    )
    most = ", ".join(f"{name} {k}" for name, k in failed.most_common(3)) or "none"
    shares = " | ".join(f"{e:g}" for e in errors)
    return f"| {shares} | {passed / n:.3f} [{low:.3f}, {high:.3f}] | {most} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")
    asked = parser.parse_args()
    lines = ["| abstains | flips | order bias | qualified | criteria most often not met |",
             "|---|---|---|---|---|"]  # fmt: skip
    lines += [row(asked.lang, errors, asked.readers) for errors in READERS]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
