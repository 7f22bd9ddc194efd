"""study.toml as types: what to build and run. Unknown keys are refused by the reader."""

from typing import Any, Literal

from pydantic import Field

from draligned.schema.base import Record
from draligned.schema.design import Lang


class ConstructConfig(Record):
    """How conditions are built."""

    lang: Lang = "zh"
    tasks: int = Field(default=8, ge=1)
    selection: Literal["stratified", "file_order"] = "stratified"
    constructor: str = "rules"
    """`rules`, or the name of a model below."""
    reviewers: tuple[str, ...] = ()
    """Two models for the review passes; empty: the rule-based passes alone."""
    max_per_user: int = Field(default=2, ge=1)
    max_per_path: int = Field(default=8, ge=1)


class AttemptPolicy(Record):
    """The one retry owner's policy; frozen with the plan."""

    tries: int = Field(default=4, ge=1)
    backoff_seconds: float = Field(default=1.0, ge=0)
    backoff_cap_seconds: float = Field(default=30.0, ge=0)
    retry_after_cap_seconds: float = Field(default=120.0, ge=0)
    timeout_seconds: float = Field(default=600.0, gt=0)


class ProviderConfig(Record):
    """One provider and its limits."""

    kind: Literal["rehearsal", "openai"] = "openai"
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never stored."""
    concurrency: int = Field(default=16, ge=1)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    api: Literal["chat", "responses"] = "chat"
    """Which of the two interfaces of the OpenAI protocol is spoken."""
    stream: bool = False
    """Whether replies are taken as server-sent events."""
    stream_usage: bool = True
    """Whether a streamed chat completion is asked for its usage; some servers refuse to be."""
    reasoning_content: Literal["echo", "drop"] = "drop"
    send_seed: bool = False
    attempts: AttemptPolicy = AttemptPolicy()


class ModelConfig(Record):
    """One model as asked for."""

    provider: str
    model: str
    params: dict[str, Any] = {}
    """Sent with every request, e.g. temperature or extra fields."""
    price_in: float | None = Field(default=None, ge=0)
    """Per million input tokens; unknown price is unknown, not zero."""
    price_out: float | None = Field(default=None, ge=0)
    currency: str = "USD"


class RunConfig(Record):
    """What is run."""

    harnesses: tuple[str, ...] = ("coupled",)
    models: tuple[str, ...] = ("rehearsal-a", "rehearsal-b")
    replicates: int = Field(default=1, ge=1)
    concurrency: int = Field(default=16, ge=1)
    retrieval: str = "embedded"


class EvaluateConfig(Record):
    """How behaviour is read."""

    evaluators: tuple[str, ...] = ("rehearsal-reader",)
    """The first is the primary; the others are compared, never pooled (DR-75)."""
    request_mode: Literal["whole_run", "batch_prev3"] = "whole_run"
    retest_share: float = Field(default=0.1, ge=0, le=1)
    concurrency: int = Field(default=16, ge=1)
    lang: Lang | None = None


class MeasureConfig(Record):
    """How numbers are made."""

    draws: int = Field(default=10_000, ge=100)
    seed: int = 20260929
    unresolved_items: Literal["block_none", "ignore", "block_all"] = "block_none"
    pairing: Literal["first", "all_cross"] = "first"
    include_development: bool = False
    """Whether runs of development-only harnesses are read and measured too (DR-20)."""


class StudyConfig(Record):
    """study.toml."""

    name: str = "study"
    seed: int = 20260929
    construction: ConstructConfig = ConstructConfig()
    providers: dict[str, ProviderConfig] = {"rehearsal": ProviderConfig(kind="rehearsal")}
    models: dict[str, ModelConfig] = {}
    run: RunConfig = RunConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    measure: MeasureConfig = MeasureConfig()
