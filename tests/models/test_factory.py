"""Models by name."""

import pytest

from draligned.models.client import OpenAIChatModel
from draligned.models.factory import BUILT_IN, build_models, is_rehearsal, resolve_model
from draligned.models.spend import SpendGuard
from draligned.schema.config import ModelConfig, ProviderConfig, StudyConfig
from draligned.schema.errors import ConfigError

from .doubles import OK, Provider, request

CONFIG = StudyConfig(
    providers={"lab": ProviderConfig(base_url="http://127.0.0.1:9/v1")},
    models={
        "big": ModelConfig(provider="lab", model="big-1"),
        "lost": ModelConfig(provider="labb", model="x"),
        "greedy": ModelConfig(provider="lab", model="x", params={"messages": []}),
    },
)


def build(config: StudyConfig, *names: str, spend: SpendGuard | None = None) -> list[str]:
    made = build_models(
        config,
        names,
        purpose="agent",
        record=lambda _: None,
        app=Provider([OK]),
        spend=spend,
    )
    return [m.requested_model for m in made.values()]


def test_rehearsal_models_are_built_in_whatever_providers_are_set() -> None:
    names = list(BUILT_IN)
    assert build(CONFIG, *names) == [c.model for c in BUILT_IN.values()]
    assert all(is_rehearsal(CONFIG, m) for m in BUILT_IN.values())
    assert not is_rehearsal(CONFIG, CONFIG.models["big"])


def test_what_study_toml_has_come_to_say_makes_no_rehearsal_real() -> None:
    provider = ProviderConfig(base_url="https://api.example.com/v1")
    mine = ModelConfig(provider="mine", model="gpt-x")
    later = StudyConfig(providers={"mine": provider}, models={"rehearsal-a": mine})
    assert is_rehearsal(later, BUILT_IN["rehearsal-a"])
    assert not is_rehearsal(later, mine)
    assert not is_rehearsal(StudyConfig(providers={}), mine)


def test_names_are_built_once_in_the_order_asked() -> None:
    assert build(CONFIG, "rehearsal-b", "big", "rehearsal-b") == ["rehearsal-agent-b", "big-1"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bigg", "unknown model 'bigg': did you mean 'big'"),
        ("zzz", r"unknown model 'zzz': known: big, greedy.*add \[models.zzz\]"),
        ("lost", "unknown provider 'labb': did you mean 'lab'"),
        ("greedy", "may not set messages"),
    ],
)
def test_mistakes_say_what_to_do(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        build(CONFIG, name)


def test_max_cost_is_checked_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError, match=r"models\.big\.price_in"):
        build(CONFIG, "big", spend=SpendGuard(max_cost=1))
    assert build(CONFIG, "rehearsal-a", spend=SpendGuard(max_cost=1))


def test_an_entry_of_study_toml_replaces_a_built_in_one() -> None:
    own = ModelConfig(provider="rehearsal", model="rehearsal-agent-z")
    config = StudyConfig(models={"rehearsal-a": own})
    assert resolve_model(config, "rehearsal-a") == own


async def test_models_of_a_provider_share_its_limits() -> None:
    config = StudyConfig(
        providers={"rehearsal": ProviderConfig(kind="rehearsal", concurrency=1)},
    )
    made = build_models(
        config,
        ["rehearsal-a", "rehearsal-b"],
        purpose="agent",
        record=lambda _: None,
        app=Provider([OK]),
    )
    a, b = made.values()
    assert isinstance(a, OpenAIChatModel)
    assert isinstance(b, OpenAIChatModel)
    assert a._limiter is b._limiter
    assert (await b.complete(request())).message.text == "fine"
