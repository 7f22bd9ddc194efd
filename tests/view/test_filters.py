"""Filters as query strings."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from draligned.view.filters import MAX_CHARS, Field, apply, asked, paged

FIELDS = (
    Field[str](name="first", of=lambda i: i[:1]),
    Field[str](name="size", of=lambda i: str(len(i))),
)
ITEMS = ("a", "ab", "b", "bb", "c")


def request(**query: str) -> Request:
    return Request({"type": "http", "query_string": urlencode(query).encode(), "headers": []})


def test_all_filters_hold_at_once() -> None:
    assert apply(request(), ITEMS, FIELDS).items == ITEMS
    assert apply(request(first="b"), ITEMS, FIELDS).items == ("b", "bb")
    found = apply(request(first="b", size="2"), ITEMS, FIELDS)
    assert found.items == ("bb",)
    assert found.total == 5
    assert found.query == {"first": "b", "size": "2"}


def test_a_value_that_none_has_matches_none_and_stays_on_offer() -> None:
    found = apply(request(first="z"), ITEMS, FIELDS)
    assert found.items == ()
    assert ("z", "z") in found.choices[0].options


def test_a_field_with_one_value_is_not_offered() -> None:
    assert [c.name for c in apply(request(), ("a", "ab"), FIELDS).choices] == ["size"]


def test_links_keep_filters_and_leave_out_blanks() -> None:
    found = apply(request(first="b"), ITEMS, FIELDS)
    assert found.link("/x", page="2") == "/x?first=b&page=2"
    assert found.link("/x", first="") == "/x"


@given(st.text(max_size=MAX_CHARS))
def test_any_text_comes_through_as_it_is(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    found = apply(request(first=text), ITEMS, FIELDS)
    back = dict(parse_qsl(found.link("/")[2:], keep_blank_values=True))
    assert back == ({"first": text} if text else {})


def test_what_is_long_is_cut() -> None:
    assert len(asked(request(q="x" * 5000), "q")) == MAX_CHARS


@pytest.mark.parametrize(
    ("page", "number", "items"),
    [
        ("", 1, (0, 1, 2)),
        ("2", 2, (3, 4)),
        ("0", 1, (0, 1, 2)),
        ("9", 2, (3, 4)),
        ("-1", 1, (0, 1, 2)),
        ("²", 1, (0, 1, 2)),
        ("1e9", 1, (0, 1, 2)),
        ("9" * 50, 1, (0, 1, 2)),
    ],
)
def test_pages(page: str, number: int, items: tuple[int, ...]) -> None:
    found = paged(request(page=page), range(5), 3)
    assert (found.number, found.pages, tuple(found.items)) == (number, 2, items)


def test_an_empty_list_has_one_page() -> None:
    found = paged(request(), (), 3)
    assert (found.number, found.pages, tuple(found.items)) == (1, 1, ())
