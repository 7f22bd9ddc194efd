"""What, except content, predicts the arm of a run from its packet; and how much content does.

That a packet holds nothing but what it may hold is checked byte for byte with the packets
themselves. Here it is asked whether what remains, such as ids, places in the order of reading,
orientations and lengths, goes with the arm all the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from draligned.verify.auc import Telling, telling
from draligned.verify.found import Part
from draligned.verify.ids import id_of
from draligned.verify.logs import Run
from draligned.verify.looks import Look

LIMIT_P, LIMIT_AUC = 0.005, 0.6
"""Both must be passed before something is called a leak."""

Features = Callable[[Look, int], list[float]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """One set of features."""

    name: str
    features: Features
    leak: bool
    """Whether telling the arm by these is a leak of the blinding."""


def _number(text: str) -> float:
    return int(text[:13], 16) / 2.0**52


def _place(look: Look, seed: int) -> float:
    """Place in the order of reading, without the evaluator's name."""
    return _number(id_of("order", seed, look.packet_id, "", "first"))


QUESTIONS = (
    Question(
        name="id, order and orientation",
        features=lambda k, seed: [_number(k.packet_id), _place(k, seed), float(k.alpha_is_p)],
        leak=True,
    ),
    Question(name="length of all but content", features=lambda k, _: [float(k.shell)], leak=True),
    Question(
        name="size of the content",
        features=lambda k, _: [float(k.n_parts), float(np.log1p(k.n_chars))],
        leak=False,
    ),
    Question(
        name="public words in the content",
        features=lambda k, _: [float(np.sign(k.p_words - k.q_words)), float(k.p_words - k.q_words)],
        leak=False,
    ),
    Question(
        name="endpoint sentence repeated",
        features=lambda k, _: [float(k.p_said) - float(k.q_said)],
        leak=False,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Leak:
    """The answer to one question, for one kind of packet."""

    kind: str
    name: str
    found: Telling | None
    leak: bool

    @property
    def broken(self) -> bool:
        """Whether the blinding is broken by it."""
        return (
            self.leak and self.found is not None
            and self.found.p <= LIMIT_P and self.found.auc > LIMIT_AUC
        )  # fmt: skip

    def line(self) -> str:
        """In words."""
        if self.found is None:
            return f"{self.kind}, {self.name}: too few tasks or arms to say"
        said = f"AUC {self.found.auc:.2f}, permutation p {self.found.p:.3f}, n {self.found.n}"
        return f"{self.kind}, {self.name}: {said}"


MEANING = (
    "AUC 0.50 tells nothing of the arm, 1.00 tells it always; features are scored on tasks that "
    "the others were fitted on.",
    "Ids, order, orientation and lengths of all but content must tell nothing. Content may: what "
    "is read is behaviour, and a text that repeats what its user said shows the arm to whoever "
    "reads it. It does not say which endpoint is the recorded one. The masked reads show how "
    "labels change when such sentences are hidden.",
)


def leaks_of(looks: Sequence[Look], runs: Sequence[Run], seed: int) -> list[Leak]:
    """One answer a kind of packet and question. Texts that occur in both arms have none."""
    owners = _owners(runs)
    out = []
    for kind in ("requests", "document"):
        mine = sorted((k for k in looks if k.kind == kind and k.packet_id in owners),
                      key=lambda k: k.packet_id)  # fmt: skip
        for question in QUESTIONS:
            found = _ask(mine, owners, question, seed) if mine else None
            out.append(Leak(kind=kind, name=question.name, found=found, leak=question.leak))
    return out


def _owners(runs: Sequence[Run]) -> dict[str, tuple[str, str, str]]:
    """By packet: arm, task and run; a text met in both arms is left out."""
    found: dict[str, tuple[str, str, str]] = {}
    both = set()
    for run in runs:
        for packet in _packets(run):
            side = run.factors[0][1]
            if found.setdefault(packet, (side, run.names[0], run.run_id))[0] != side:
                both.add(packet)
    return {packet: owner for packet, owner in found.items() if packet not in both}


def _packets(run: Run) -> list[str]:
    if run.seen is None:
        return []
    factor = run.factors[0][0]
    texts = {t.sha256 for t in (*run.seen.drafts, *((run.seen.final,) if run.seen.final else ()))}
    requests = [
        id_of("requests", run.run_id, factor, mode, batch)
        for mode in ("whole_run", "batch_prev3")
        for batch in range(1 + len(run.seen.requests) // 10)
    ]
    return [*requests, *(id_of("document", sha256, factor) for sha256 in sorted(texts))]


def _ask(
    looks: Sequence[Look], owners: dict[str, tuple[str, str, str]], question: Question, seed: int
) -> Telling | None:
    features = np.array([question.features(k, seed) for k in looks], dtype=np.float64)
    arm, task, run = (np.array([owners[k.packet_id][i] for k in looks]) for i in range(3))
    _, tasks = np.unique(task, return_inverse=True)
    _, units = np.unique(run, return_inverse=True)
    return telling(features, (arm == "P").astype(np.intp), tasks, units)


def record_leaks(part: Part, leaks: Sequence[Leak]) -> None:
    """Leaks as items of the check."""
    for leak in leaks:
        part.notes.append(leak.line())
        if leak.broken:
            part.wrong("reads", leak.name, leak.line(), "no more than chance")
        elif leak.leak and leak.found is not None:
            part.right()
