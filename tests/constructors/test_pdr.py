"""Reading PDR-Bench's format: what is used, what is irregular, what is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draligned.constructors.pdr import parse_personas, parse_tasks
from draligned.schema.errors import InputError


def line(**change: object) -> str:
    base = {"id": 1, "domain": "Career", "language": "zh", "taskid": 8, "userid": "User9",
            "task": "任务文字", "query": "任务文字\n画像：机密"}  # fmt: skip
    return json.dumps({**base, **change}, ensure_ascii=False)


def tasks(text: str) -> object:
    return parse_tasks(text, lang="zh", name="queries_zh.jsonl")


def test_users_stand_in_file_order_and_query_is_not_read() -> None:
    text = "\ufeff" + line() + "\r\n\n" + line(userid="User3") + "\n"
    (task,) = parse_tasks(text, lang="zh", name="q")
    assert (task.task_id, task.domain, task.users) == ("8", "Career", ("User9", "User3"))
    assert "机密" not in task.to_json()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", r"queries_zh.jsonl, line 1: not JSON"),
        (line() + "\n[1]", "line 2: expected a JSON object"),
        (line(task=None), "`task` is missing"),
        (line(userid=" "), "`userid` is missing"),
        (line(taskid=True), "`taskid` is missing"),
        (line() + "\n" + line(), "line 2: task 8 is paired with User9 twice"),
        (line() + "\n" + line(userid="User1", task="别的"), "line 2: task 8 has another text"),
        ('{"a": NaN}', "line 1: not JSON"),
    ],
)
def test_a_bad_line_is_named(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        tasks(text)


def test_a_field_may_be_text_object_list_or_number() -> None:
    profile = {"userid": "U", "a": {"b": "文字", "空": "", "无": None}, "c": {"d": {"e": "深"}},
               "l": ["一", "二"], "n": 3}  # fmt: skip
    (persona,) = parse_personas(json.dumps(profile), lang="zh", name="p")
    assert [(d.path, d.text) for d in persona.details] == [
        ("a/b", "文字"), ("c/d/e", "深"), ("l", "一"), ("l", "二"), ("n", "3"),
    ]  # fmt: skip


def test_a_second_profile_of_a_user_is_refused() -> None:
    with pytest.raises(InputError, match="p, line 2: U has a second profile"):
        parse_personas('{"userid": "U"}\n{"userid": "U"}', lang="zh", name="p")


def test_line_separators_inside_texts_do_not_end_a_line() -> None:
    (persona,) = parse_personas('{"userid": "U", "a": "x\u2028y"}', lang="zh", name="p")
    assert persona.details[0].text == "x\u2028y"


NESTED = st.recursive(
    st.text(max_size=8) | st.integers() | st.none(),
    lambda inner: st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=5), NESTED, max_size=5))
def test_any_profile_of_texts_numbers_and_objects_reads(body: dict[str, object]) -> None:
    (persona,) = parse_personas(json.dumps({**body, "userid": "U"}), lang="zh", name="p")
    assert all(d.text.strip() == d.text and d.text for d in persona.details)
