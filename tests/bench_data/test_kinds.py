"""Kinds: an involution of values, sentences that tell values apart, an unsound file refused."""

import pytest

from draligned.bench_data import kinds as module
from draligned.bench_data.kinds import Kind, kind_named, kinds
from draligned.schema.errors import DesignError

BOTH = [(lang, k) for lang in ("zh", "en") for k in kinds(lang)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("lang", "kind"), BOTH, ids=lambda x: getattr(x, "name", x))
def test_counterfactual_is_an_involution_without_fixed_points(lang: str, kind: Kind) -> None:
    for value in kind.values:
        other = kind.counterfactual(value.name)
        assert other != value.name
        assert kind.counterfactual(other) == value.name


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_sentence_is_said_by_one_value_only(lang: str) -> None:
    sentences = [k.endpoint(v.name).sentence for k in kinds(lang) for v in k.values]  # type: ignore[arg-type]
    assert len(set(sentences)) == len(sentences)


def test_known_pairs() -> None:
    residence = kind_named("residence", "zh")
    assert residence is not None
    assert residence.counterfactual("杭州") == "深圳"
    assert residence.counterfactual("成都") == "青岛"
    assert residence.endpoint("杭州").sentence == "我目前常住杭州。"


def _kind(**change: object) -> Kind:
    base: dict[str, object] = {
        "name": "k",
        "title": "k",
        "paths": ["x"],
        "sentence": "I am {value}.",
        "values": [{"name": "red", "pair": "blue"}, {"name": "blue", "pair": "red"}],
    }
    return Kind.model_validate({**base, **change})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sentence": "I am."}, "no {value}"),
        ({"values": [{"name": "red", "pair": "green"}]}, "paired with green"),
        ({"values": [{"name": "red", "pair": "red"}]}, "paired with red"),
        (
            {"values": [{"name": x, "pair": y} for x, y in ("ab", "bc", "cb")]},
            "not a pair",
        ),
        (
            {"values": [{"name": x, "pair": y} for x, y in (("a", "ab"), ("ab", "a"))]},
            "shares words",
        ),
    ],
)
def test_unsound_kinds_are_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        module._check(_kind(**change))
