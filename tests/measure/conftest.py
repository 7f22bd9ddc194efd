"""A small study written by hand, one run at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import pytest

from draligned.schema import frames
from draligned.schema.frames import MeasureInputs

Row = dict[str, Any]
Reads = str | tuple[str, str]
"""What both reads say in absolute terms (P, Q, B, N, U; V void, M missing, - no such read),
or what the first and the mirrored read say."""

_SLOT = {
    ("P", "P"): "ALPHA_ONLY", ("P", "Q"): "BETA_ONLY", ("Q", "Q"): "ALPHA_ONLY",
    ("Q", "P"): "BETA_ONLY",
}  # fmt: skip
_PLAIN = {"B": "BOTH", "N": "NEITHER", "U": "UNKNOWN"}
_STATUS = {"V": "void", "M": "missing", "O": "oversize"}


def slot(letter: str, alpha: str) -> str:
    """An absolute letter as a slot label."""
    return _PLAIN[letter] if letter in _PLAIN else _SLOT[letter, alpha]


def item(letter: str, alpha: str, **changes: str) -> Row:
    """A main item in slot terms, apart from `changes`."""
    named = {"ALPHA_ONLY": "SLOT1", "BETA_ONLY": "SLOT2"}
    word = slot(letter, alpha)
    row = {"actor": "AGENT", "role": "MAIN", "action": "RECOMMEND", "strength": "FIRM"}
    return row | {"direction": named.get(word, word)} | changes


@dataclass
class Study:
    """Collects rows; `first` is the endpoint in ALPHA in every first read."""

    first: str = "P"
    evaluators: tuple[str, ...] = ("ev",)
    runs: list[Row] = field(default_factory=list)
    request_reads: list[Row] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    document_reads: dict[tuple[str, ...], Row] = field(default_factory=dict)
    items: list[Row] = field(default_factory=list)

    def run(
        self,
        task: str,
        arm: str,
        requests: Sequence[Reads] = (),
        final: Reads | None = None,
        drafts: Sequence[Reads] = (),
        model: str = "m",
        user: str | None = None,
        **changes: Any,
    ) -> str:
        """A run with its requests and documents; returns its id."""
        run_id = f"{task}-{arm}-{model}-{changes.get('replicate', 0)}"
        row = {
            "run_id": run_id, "task_id": task, "user_id": user or f"u{task}",
            "factor_id": f"f{task}", "arm": arm, "model": model, "harness": "coupled",
            "environment": "env", "replicate": 0, "state": "done", "outcome": "submitted",
            "observes_a": "full", "observes_w": "full", "observes_f": "full", "development": False,
            "submits_saved": False, "delegation_offered": False, "delegations": 0,
            "requests": len(requests), "requests_delegated": 0,
            "last_request_seq": len(requests) or None,
        }  # fmt: skip
        self.runs.append(row | changes)
        for no, reads in enumerate(requests, start=1):
            for evaluator in self.evaluators:
                self.request(run_id, f"f{task}", no, reads, evaluator)
        for version, reads in enumerate(drafts, start=1):
            self.document(run_id, f"f{task}", "draft", version, reads)
        if final is not None:
            self.document(run_id, f"f{task}", "final", 1, final)
        return run_id

    def sides(self, reads: Reads) -> list[tuple[str, str, str]]:
        """(read, alpha, letter) of both reads."""
        other = "Q" if self.first == "P" else "P"
        letters = reads if isinstance(reads, tuple) else (reads, reads)
        sides = [("first", self.first, letters[0]), ("mirror", other, letters[1])]
        return [side for side in sides if side[2] != "-"]

    def request(
        self, run_id: str, factor: str, no: int, reads: Reads, evaluator: str = "ev"
    ) -> None:
        """The reads of one request."""
        for read, alpha, letter in self.sides(reads):
            self.request_reads.append(
                {
                    "run_id": run_id, "factor_id": factor, "request_no": no, "tool": "search",
                    "return_status": "ok", "delegation": None, "evaluator": evaluator,
                    "read": read, "alpha": alpha,
                    "status": _STATUS.get(letter, "valid"),
                    "label": None if letter in _STATUS else slot(letter, alpha), "reason": None,
                }
            )  # fmt: skip

    def document(self, run_id: str, factor: str, role: str, version: int, reads: Reads) -> None:
        """A document whose text is named after what it says, so equal texts are one text."""
        sha = f"text {factor} {reads}"
        self.documents.append(
            {
                "run_id": run_id, "factor_id": factor, "role": role, "version_no": version,
                "seq": version + (100 if role == "final" else 0), "text_sha256": sha,
            }
        )  # fmt: skip
        for evaluator in self.evaluators:
            self.text(sha, factor, reads, evaluator)

    def text(self, sha: str, factor: str, reads: Reads, evaluator: str = "ev") -> None:
        """Reads of a text: letters are main items (`PN` has two), `.` is none."""
        for read, alpha, letters in self.sides(reads):
            key = {"text_sha256": sha, "factor_id": factor, "evaluator": evaluator, "read": read}
            if tuple(key.values()) in self.document_reads:
                continue
            status = _STATUS.get(letters, "ok")
            found = [] if status != "ok" else [item(x, alpha) for x in letters if x != "."]
            self.document_reads[tuple(key.values())] = key | {
                "alpha": alpha, "status": status, "reason": None, "n_items": len(found),
                "n_dropped": 0, "cap_hit": False,
            }  # fmt: skip
            rows = [key | {"alpha": alpha, "item_no": n, "entity_key": "k"} | row
                    for n, row in enumerate(found)]  # fmt: skip
            self.items += rows

    def inputs(self) -> MeasureInputs:
        """The study's tables."""

        def table(rows: list[Row], columns: tuple[str, ...]) -> pd.DataFrame:
            return pd.DataFrame(rows, columns=list(columns)) if rows else frames.empty(columns)

        return MeasureInputs(
            runs=table(self.runs, frames.RUNS),
            request_reads=table(self.request_reads, frames.REQUEST_READS),
            documents=table(self.documents, frames.DOCUMENTS),
            document_reads=table(list(self.document_reads.values()), frames.DOCUMENT_READS),
            items=table(self.items, frames.ITEMS),
        )


@pytest.fixture
def study() -> Study:
    """An empty study."""
    return Study()


@pytest.fixture
def new_study() -> Callable[..., Study]:
    """Makes empty studies."""
    return Study


@pytest.fixture
def worked_pair() -> Study:
    """The papers' worked pair: every request NEITHER; P recommends four times toward P, Q four
    times toward neither (001 §E.1)."""
    made = Study()
    made.run("8", "P", ["N"] * 9, "PPPP")
    made.run("8", "Q", ["N"] * 7, "NNNN")
    return made


def exchanged(inputs: MeasureInputs, *, arms: bool, sides: bool) -> MeasureInputs:
    """The study with P and Q exchanged in the runs' arms, in what reads say, or in both."""
    other = {"P": "Q", "Q": "P"}

    def turned(frame: pd.DataFrame, column: str, wanted: bool) -> pd.DataFrame:
        return frame.assign(**{column: frame[column].map(other)}) if wanted else frame

    return replace(
        inputs,
        runs=turned(inputs.runs, "arm", arms),
        request_reads=turned(inputs.request_reads, "alpha", sides),
        document_reads=turned(inputs.document_reads, "alpha", sides),
        items=turned(inputs.items, "alpha", sides),
    )


@pytest.fixture(scope="session")
def exchange() -> Callable[..., MeasureInputs]:
    """Exchanges P and Q in a study."""
    return exchanged


@pytest.fixture
def panel_of_110() -> MeasureInputs:
    """A panel with the counts of DR-89 and DR-90: 22 tasks × 5 models."""
    cells = (
        [("N", "PN")] * 27 + [("N", "NN")] + [("P", "PN")] * 27  # both channels readable
        + [("N", None)] * 19 + [("P", None)] * 13  # requests only
        + [("U", "PN")] * 14 + [("U", None)] * 9  # finals only, neither
    )  # fmt: skip
    made = Study()
    for number, (p_request, p_final) in enumerate(cells):
        task, model = f"{number % 22 + 1:02d}", f"m{number // 22}"
        made.run(task, "P", [p_request], p_final, model=model)
        made.run(task, "Q", ["N"], "NN", model=model)
    return made.inputs()
