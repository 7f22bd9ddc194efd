"""Stage tags of research episodes: truth from the log alone, and what becomes of each claim."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.progress.duty import DutyTurn, duty_turns, read_tag, stage_after
from draligned.progress.duty_tables import DutyRun, build
from draligned.schema.chat import Message, StopReason, ToolCall, Usage
from draligned.schema.events import (
    Body,
    BudgetDenied,
    CallStarted,
    CodeRun,
    DelegationClosed,
    DelegationOpened,
    DraftSaved,
    Event,
    HandedOver,
    ModelFailed,
    ModelTurn,
    RequestExecuted,
    SavedFile,
    Submitted,
    TextReply,
    ToolRefused,
)
from draligned.schema.labels import RunSet, Side
from draligned.schema.progress import WORK_VALUES, Layer, WorkStage
from draligned.schema.refusals import RefusalReason
from draligned.schema.retrieval import ReturnStatus
from draligned.study.inventory import RunCell
from draligned.verify.duty import turns_of
from draligned.verify.tags import STAGES
from tests.house.tree import imports

N, A, D, S = WorkStage
SHA = "0" * 64


def request(status: ReturnStatus = ReturnStatus.OK) -> RequestExecuted:
    return RequestExecuted(
        sequence=1, call_index=0, request_no=1, tool="search", request="q", return_status=status
    )


def saved(path: str = "report") -> DraftSaved:
    return DraftSaved(sequence=1, call_index=0, path=path, text_sha256=SHA, chars=1)


def code(*names: str) -> CodeRun:
    files = tuple(SavedFile(path=name, text_sha256=SHA, chars=1) for name in names)
    return CodeRun(sequence=1, call_index=0, exit="ok", output_sha256=SHA, saved=files)


SENT = Submitted(sequence=1, call_index=0, text_sha256=SHA, chars=1)
REFUSED = ToolRefused(
    sequence=1, call_index=0, tool="submit_file", path="x", reason=RefusalReason.NOT_FOUND
)
DENIED = BudgetDenied(sequence=1, call_index=0, budget="tools")


def says(number: int, text: str | None, *calls: str, stop: str = "stop") -> list[Body]:
    """A call and its reply."""
    made = tuple(ToolCall(call_id=f"c{number}{n}", name=name, arguments="{}")
                 for n, name in enumerate(calls))  # fmt: skip
    reply = ModelTurn(
        sequence=number, message=Message(role="assistant", text=text, tool_calls=made),
        stop=StopReason(stop), usage=Usage(input_tokens=1, output_tokens=1),
        requested_model="m", echoed_model=None,
    )  # fmt: skip
    return [CallStarted(sequence=number, request_sha256=SHA), reply]


def tag(stage: WorkStage) -> str:
    return f"好。\n\n<stage>{stage.value}</stage>"


def logged(*parts: Body | Iterable[Body]) -> list[Event]:
    bodies: list[Body] = []
    for part in parts:
        bodies += part if isinstance(part, list) else [part]  # type: ignore[list-item]
    return [
        Event(seq=n, utc="2026-01-01T00:00:00+00:00", mono=0.0, prev=SHA, body=body)
        for n, body in enumerate(bodies)
    ]


@pytest.mark.parametrize(
    ("body", "stage"),
    [
        (request(), A),
        (request(ReturnStatus.EMPTY), N),
        (request(ReturnStatus.ERROR), N),
        (saved(), D),
        (saved("notes.md"), D),
        (code("made.txt"), D),
        (code(), N),
        (SENT, S),
        (TextReply(sequence=1, text_sha256=SHA, chars=1), N),
        (REFUSED, N),
        (DENIED, N),
    ],
)
def test_what_one_event_shows(body: Body, stage: WorkStage) -> None:
    assert stage_after(N, body) is stage


@given(st.lists(st.sampled_from([request(), saved(), SENT, REFUSED, code(), DENIED])))
def test_an_episode_never_goes_back(bodies: list[Body]) -> None:
    stage = N
    for body in bodies:
        assert stage_after(stage, body).place >= stage.place
        stage = stage_after(stage, body)
    assert stage is (S if SENT in bodies else D if saved() in bodies else
                     A if request() in bodies else N)  # fmt: skip


WHOLE = logged(
    says(1, tag(N), "search"), request(ReturnStatus.EMPTY),
    says(2, tag(A), "search"), request(),
    says(3, tag(D), "search", "search"), request(), request(),
    says(4, tag(A), "write_report"), saved(),
    says(5, None, "submit_report"), SENT,
    says(6, f"{tag(S)}\n再见。"),
)  # fmt: skip


def test_turns_against_the_log_by_hand() -> None:
    found = duty_turns(WHOLE)
    assert [t.truth for t in found] == [N, N, A, A, D, S]
    assert [t.after for t in found] == [N, A, A, D, S, S]
    assert [t.claimed for t in found] == [N, A, D, A, None, None]
    assert [t.layer.value for t in found] == [
        "clean", "wrong_value", "wrong_value", "clean", "omission", "malformed",
    ]  # fmt: skip
    assert [t.lag for t in found] == ["same", "ahead", "ahead", "same", None, None]
    assert [t.early_by_own_calls for t in found] == [False, True, False, False, False, False]
    assert [t.problem for t in found][-2:] == ["absent", "not_last"]
    assert [(t.turn, t.sequence, t.n_calls) for t in found][2] == (3, 3, 2)


def test_truth_is_of_what_came_before_the_turn_alone() -> None:
    whole = duty_turns(WHOLE)
    for cut in range(1, len(WHOLE) + 1):
        part = duty_turns(WHOLE[:cut])
        assert [t.truth for t in part] == [t.truth for t in whole][: len(part)]


def test_a_call_without_a_reply_is_transport() -> None:
    failed = ModelFailed(sequence=2, failure="provider_error", http_status=500, detail="")
    started = CallStarted(sequence=2, request_sha256=SHA)
    first, second = duty_turns(logged(says(1, tag(N), "search"), request(), started, failed))
    assert (second.layer, second.truth, second.claimed) == (Layer.TRANSPORT, A, None)
    assert (second.n_calls, second.stop) == (None, None)
    assert duty_turns(logged(started))[0].layer is Layer.TRANSPORT
    assert duty_turns([]) == ()
    assert first.layer is Layer.CLEAN


def test_sub_contexts_are_not_asked_but_what_they_bring_counts() -> None:
    opened = DelegationOpened(sequence=1, call_index=0, number=1, messages=())
    closed = DelegationClosed(number=1, reason="answered", text_sha256=SHA)
    found = duty_turns(
        logged(says(1, tag(N), "delegate"), opened, says(2, "", "search"), request(),
               says(3, "答。"), closed, says(4, tag(A)))
    )  # fmt: skip
    assert [(t.sequence, t.truth, t.after, t.layer) for t in found] == [
        (1, N, A, Layer.CLEAN), (4, A, A, Layer.CLEAN),
    ]  # fmt: skip


def test_contexts_that_hand_over_are_counted() -> None:
    over = HandedOver(to="workspace", source="reply", text_sha256=SHA, messages=())
    found = duty_turns(logged(says(1, tag(N), "search"), request(), says(2, tag(A)), over,
                              says(3, tag(A), "write_report"), saved()))  # fmt: skip
    assert [(t.turn, t.part, t.truth) for t in found] == [(1, 1, N), (2, 1, A), (3, 2, A)]


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        (None, "omission"),
        ("", "omission"),
        ("drafting", "omission"),
        ("<stage>done</stage>", "malformed"),
        ("<stage>Acquiring</stage>", "malformed"),
        ('{"stage": "acquiring"}', "malformed"),
        ("```\n<stage>acquiring</stage>\n```", "malformed"),
        ("```\nx\n<stage>acquiring</stage>", "malformed"),
        ("<stage>acquiring</stage>\n<stage>acquiring</stage>", "malformed"),
        ("＜stage＞acquiring＜/stage＞", "malformed"),
        ("x <stage>acquiring</stage>", "malformed"),
        ("x\n <stage>acquiring</stage> \n\n", "wrong_value"),
        ("<stage>nothing_acquired</stage>", "clean"),
        ("~~~\nx\n~~~\n<stage>nothing_acquired</stage>", "clean"),
    ],
)
def test_one_layer_a_turn_and_the_second_path_agrees(text: str | None, layer: str) -> None:
    (found,) = duty_turns(logged(says(1, text)))
    assert found.layer.value == layer
    _agree(logged(says(1, text)))


PIECES = st.sampled_from(["<stage>", "</stage>", "acquiring", "submitted", "\n", "```", "~~~", " ",
                          '{"stage": "acquiring"}', "x", "＜stage＞", "<stage>drafting</stage>",
                          "\n<stage>acquiring</stage>", "`", "\u200b", "<", "stage", "\x0b", '"',
                          '"stage":', "\u0301", "\u3000"])  # fmt: skip


@given(st.lists(PIECES, max_size=9).map("".join))
def test_any_text_has_one_layer_on_both_paths(text: str) -> None:
    _agree(logged(says(1, text)))


@pytest.mark.parametrize("text", ["x <\nstage> y", 'x "\nstage": y', "~~~<stage>\n\n</stage>"])
def test_a_tag_that_breaks_over_lines_is_read_alike(text: str) -> None:
    _agree(logged(says(1, text)))


def test_the_second_path_reads_the_same_turns() -> None:
    _agree(WHOLE)


def _agree(events: list[Event]) -> None:
    lines = b"".join(event.to_json().encode() + b"\n" for event in events)
    own = [(t.sequence, t.seq, t.part, STAGES[t.before], STAGES[t.after], t.layer, t.problem,
            t.lag, t.early) for t in turns_of(lines)]  # fmt: skip
    found = [(t.sequence, t.seq, t.part, t.truth.value, t.after.value, t.layer.value,
              t.problem, t.lag, t.early_by_own_calls) for t in duty_turns(events)]  # fmt: skip
    assert own == found


def test_the_tag_is_read_by_the_parser_of_gates() -> None:
    assert read_tag("x\n<stage>submitted</stage>").value == "submitted"
    assert tuple(STAGES) == WORK_VALUES


def test_duty_imports_nothing_of_harnesses() -> None:
    for name in ("duty", "duty_tables"):
        names = imports(Path("draligned/progress") / f"{name}.py")
        assert not {n for n in names if {*n.split(".")} & {"harnesses", "evaluators", "api"}}


# tables


def cell(run_id: str, model: str = "m", run_set: RunSet = RunSet.PANEL) -> RunCell:
    return RunCell(
        run_id=run_id, condition_id="c", task_id="1", user_id="u", factor_id="f", arm=Side.P,
        model_name=model, model_key="k", harness_name="H-W+duty", harness_key="h",
        environment="e", replicate=1, run_set=run_set,
    )  # fmt: skip


def run(run_id: str, turns: tuple[DutyTurn, ...], **cells: str) -> DutyRun:
    return DutyRun(cell(run_id, **cells), "done", turns, 2)  # type: ignore[arg-type]


TABLES = build([run("a", duty_turns(WHOLE)), run("b", duty_turns(WHOLE[:2]), model="n")])


def test_counts_by_layer_and_by_true_stage() -> None:
    found = TABLES["duty_layers"].set_index(["model", "true_stage"])
    assert list(found.loc["m"].index) == ["acquiring", "all", "drafting", "nothing_acquired",
                                          "submitted"]  # fmt: skip
    counts = ["n_turns", "n_omission", "n_malformed", "n_wrong_value", "n_clean", "n_ahead",
              "n_ahead_by_own_calls", "n_behind"]  # fmt: skip
    assert list(found.loc[("m", "all"), counts]) == [6, 1, 1, 2, 2, 2, 1, 0]
    assert list(found.loc[("m", "nothing_acquired"), counts]) == [2, 0, 0, 1, 1, 1, 1, 0]
    assert found.loc[("m", "all"), "clean_share"] == pytest.approx(1 / 3, abs=1e-9)
    assert found.loc[("n", "submitted"), "n_turns"] == 0
    assert found["clean_share"].isna().loc[("n", "submitted")]
    assert set(found["evidence"]) == {"Observational"}
    assert "Not StageIF" in found["boundary"].iloc[0]


def test_first_claim_beside_first_true() -> None:
    found = TABLES["duty_stages"].set_index(["run_id", "stage"])
    said = found[["first_true_turn", "first_claim_turn", "turns_late", "status"]]
    assert list(said.loc[("a", "acquiring")]) == [3, 2, -1, "ahead"]
    assert list(said.loc[("a", "drafting")]) == [5, 3, -2, "ahead"]
    assert said.loc[("a", "submitted"), "status"] == "never_claimed"
    assert said.loc[("b", "drafting"), "status"] == "neither"
    assert said["turns_late"].isna().loc[("a", "submitted")]


def test_confusion_and_steps_count_every_turn_once() -> None:
    assert TABLES["duty_confusion"]["n"].sum() == 7
    steps = TABLES["duty_steps"]
    assert steps["n"].sum() == 5
    (row,) = steps[steps["true_to"] == "submitted"].to_dict("records")
    assert (row["true_from"], row["claimed_from"], row["claimed_to"]) == (
        "drafting", "no_tag", "unreadable",
    )  # fmt: skip


def test_no_run_gives_empty_tables_of_the_same_layout() -> None:
    empty = build([])
    assert {name: list(t.columns) for name, t in empty.items()} == {
        name: list(t.columns) for name, t in TABLES.items()
    }
    assert all(t.empty for t in empty.values())
