"""The public words of an endpoint sentence."""

import pytest

from draligned.bench_data.kinds import kinds
from draligned.bench_data.lexicon import find, find_all


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_endpoint_sentence_is_found_with_its_words(lang: str) -> None:
    for kind in kinds(lang):  # type: ignore[arg-type]
        for value in kind.values:
            entry = find(kind.endpoint(value.name).sentence, lang)
            assert entry is not None
            assert (entry.kind, entry.value) == (kind.name, value.name)
            assert entry.own == value.public
            assert entry.other == kind.value(value.pair).public


def test_free_wording_is_found_when_one_value_is_named() -> None:
    entry = find("我住在深圳，离公司不远。", "zh")
    assert entry is not None
    assert (entry.value, entry.own, entry.other) == ("深圳", ("深圳",), ("杭州",))


@pytest.mark.parametrize("sentence", ["", "我喜欢下棋。", "我在杭州和深圳之间往返。"])
def test_nothing_or_too_much_is_no_entry(sentence: str) -> None:
    assert find(sentence, "zh") is None


def test_unknown_language_is_no_entry() -> None:
    assert find("我目前常住杭州。", "fr") is None
    assert find_all("我目前常住杭州。", "fr") == ()


def test_two_factors_in_one_slot_come_in_order() -> None:
    found = find_all("我家里养了一只狗。我目前常住青岛。", "zh")
    assert [(e.kind, e.value) for e in found] == [("pet", "狗"), ("residence", "青岛")]
