"""Tags and envelopes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.gates.marker_text import MarkerProblem
from draligned.progress.tau2.frame import outcome_of
from draligned.progress.tau2.reading import OTHER_KEY, TagReading, read_tag, reply_of, unwrap
from draligned.schema.progress import Stage
from draligned.schema.tau2 import State, TauMessage

TAG = "<stage>POST_OBS</stage>"


@pytest.mark.parametrize("stage", Stage)
def test_a_value_is_read_as_its_name_and_on_the_wire(stage: Stage) -> None:
    assert read_tag(f"Done.\n<stage>{stage.value}</stage>").stage is stage
    assert read_tag(f"Done.\n<stage>{stage.wire}</stage>\n\n").stage is stage


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Hello", MarkerProblem.ABSENT),
        (f"{TAG}\nPlease hold.", MarkerProblem.NOT_LAST),
        (f"{TAG} Please hold.", MarkerProblem.BAD_FORM),
        (f"{TAG}\n{TAG}", MarkerProblem.NOT_UNIQUE),
        (f"Now {TAG} or {TAG}", MarkerProblem.NOT_UNIQUE),
        (f"```\n{TAG}\n```", MarkerProblem.IN_FENCE),
        ("Hold.\n<stage>HALFWAY</stage>", MarkerProblem.UNKNOWN_VALUE),
        ("Hold.\n<stage>READY", MarkerProblem.BAD_FORM),
        ('{"stage": "READY"}', MarkerProblem.OTHER_ENCODING),
        (json.dumps({"message": f"Hi\n{TAG}"}), MarkerProblem.BAD_FORM),
    ],
)
def test_what_is_wrong_with_a_tag(text: str, problem: MarkerProblem) -> None:
    assert read_tag(text) == TagReading(None, problem)


def test_a_tag_ends_a_message_on_its_own_line_or_after_words() -> None:
    said = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
    assert read_tag(f"{said} {TAG}").stage is Stage.POST_OBS
    assert read_tag(f"{said}\n{TAG}").stage is Stage.POST_OBS
    assert read_tag(TAG).stage is Stage.POST_OBS


def test_presence_does_not_ask_for_a_good_tag() -> None:
    assert read_tag(f"{TAG}\nmore").present
    assert not read_tag("no tag").present
    assert not read_tag('{"stage": "READY"}').present


@pytest.mark.parametrize(
    ("held", "key"),
    [
        ({"message": f"Hi {TAG}"}, "message"),
        ({"answer": f"Hi {TAG}"}, "answer"),
        ({"content": "x", "message": f"Hi {TAG}", "n": 1}, "message"),
        ({"reply": f"Hi {TAG}", "zzz": "y"}, "reply"),
    ],
)
def test_an_envelope_is_taken_off(held: dict[str, object], key: str) -> None:
    for text in (json.dumps(held), f"```json\n{json.dumps(held, indent=1)}\n```\n"):
        found = unwrap(text)
        assert found.key == key
        assert read_tag(found.text).stage is Stage.POST_OBS


@pytest.mark.parametrize(
    "text",
    [
        "plain", "{}", "[1]", '{"a": 1}', '{"a": "x", "b": "y"}', '{"a": "x"} and more',
        '{"a": NaN}', "{broken", '```\n{"a": "x"}\n``` then words',
    ],
)  # fmt: skip
def test_what_is_no_envelope_stays(text: str) -> None:
    assert unwrap(text) == (text, None)


@settings(deadline=None)
@given(st.text())
def test_reading_never_raises(text: str) -> None:
    read_tag(text)
    read_tag(unwrap(text).text)


def test_a_hidden_tag_is_read_from_where_it_was_kept() -> None:
    shown = TauMessage(role="assistant", content="Hi", raw_data={"stage_tag": TAG})
    assert read_tag(reply_of(shown)).stage is Stage.POST_OBS
    whole = {"stage_tag": TAG, "stage_reply": f"{TAG}\nHi"}
    late = TauMessage(role="assistant", content="Hi", raw_data=whole)
    assert read_tag(reply_of(late)).problem is MarkerProblem.NOT_LAST


@pytest.mark.parametrize(
    ("said", "state", "outcome"),
    [
        (Stage.NEEDS_INFO, "before_acting", "correct"),
        (Stage.READY, "before_acting", "correct"),
        (Stage.POST_OBS, "before_acting", "early"),
        (Stage.COMPLETED, "before_acting", "premature"),
        (Stage.NEEDS_INFO, "mid_task", "stale"),
        (Stage.READY, "mid_task", "stale"),
        (Stage.POST_OBS, "mid_task", "correct"),
        (Stage.COMPLETED, "mid_task", "premature"),
        (Stage.READY, "completed", "stale"),
        (Stage.POST_OBS, "completed", "stale"),
        (Stage.COMPLETED, "completed", "correct"),
    ],
)
def test_stale_premature_and_early(said: Stage, state: State, outcome: str) -> None:
    assert outcome_of(TagReading(said, None), state) == outcome


def test_no_value_is_absent_or_malformed() -> None:
    assert outcome_of(TagReading(None, MarkerProblem.ABSENT), "mid_task") == "absent"
    assert outcome_of(TagReading(None, MarkerProblem.OTHER_ENCODING), "mid_task") == "absent"
    assert outcome_of(TagReading(None, MarkerProblem.NOT_LAST), "mid_task") == "malformed"


@pytest.mark.parametrize("key", ["sk-0123456789", "\ud800", "k" * 50, "=1+1", "\x1b[31m"])
def test_a_key_that_is_no_plain_word_is_taken_off_and_not_repeated(key: str) -> None:
    assert unwrap(json.dumps({key: "Hi"})) == ("Hi", OTHER_KEY)
    assert unwrap(json.dumps({"final_answer": "Hi"})) == ("Hi", "final_answer")


@pytest.mark.parametrize("fence", ["```json\n{}\n```", " ~~~~\n{}  ~~~~\n", "```\r\n{}\r\n```"])
def test_envelopes_in_blocks_of_code(fence: str) -> None:
    assert unwrap(fence.replace("{}", json.dumps({"text": "Hi"}))) == ("Hi", "text")


def test_a_block_of_code_that_does_not_end_the_reply_is_left() -> None:
    for text in ('```\n{"text": "Hi"}\n``` Bye', '```\n{"text": "Hi"}', '```{"text": "Hi"}```'):
        assert unwrap(text) == (text, None)


def test_long_replies_are_read_in_bounded_time() -> None:
    long = " " * 2_000_000
    for text in (f"```\n{long}x", f"```\n{long}", "``` \n" * 400_000):
        assert unwrap(text).key is None
