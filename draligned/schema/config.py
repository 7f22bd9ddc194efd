"""study.toml as types: what to build and run. Unknown keys are refused by the reader."""

from typing import Any, Literal

from pydantic import Field

from draligned.schema.base import Record
from draligned.schema.design import Lang

RetrievalMode = Literal["live", "record", "replay"]
"""How requests are answered: afresh; once, and recorded; or from the record alone."""
ModelsMode = Literal["live", "replay"]
"""Whether models are called, or their recorded replies served."""
Scope = Literal["study", "task", "pair"]
"""Within what one request gets one answer."""


class ConstructConfig(Record):
    """How conditions are built."""

    lang: Lang = "zh"
    """Of tasks, conditions and everything that models are told."""
    tasks: int = Field(default=8, ge=1)
    """How many tasks are built."""
    selection: Literal["stratified", "file_order"] = "stratified"
    """Which tasks are taken: over domains with users balanced, or the first ones."""
    constructor: str = "rules"
    """`rules`, or the name of a model below."""
    reviewers: tuple[str, ...] = ()
    """Two models for the review passes; empty: the rule-based passes alone."""
    screening: Literal["model-only", "people"] = "model-only"
    """Who passes cards before they are frozen: rules and models alone, or also two people or more,
    each without a doubt, in `draligned review` (DR-10)."""
    max_per_user: int = Field(default=2, ge=1)
    """Cards that one user may carry."""
    max_per_path: int = Field(default=8, ge=1)
    """Cards that one field of the profiles may carry."""
    two_factor: int = Field(default=0, ge=0)
    """Of the tasks: so many are also told two facts at once, in a set of their own (DR-13)."""


class AttemptPolicy(Record):
    """The one retry owner's policy; frozen with the plan."""

    tries: int = Field(default=4, ge=1)
    """Of one call, the first included."""
    backoff_seconds: float = Field(default=1.0, ge=0)
    """Before the second try; doubled before each further one, less up to half by hash."""
    backoff_cap_seconds: float = Field(default=30.0, ge=0)
    """The longest wait between two tries, where the provider asks for none."""
    retry_after_cap_seconds: float = Field(default=120.0, ge=0)
    """The longest wait that a provider may ask for and get."""
    timeout_seconds: float = Field(default=600.0, gt=0)
    """Of one try."""


class ProviderConfig(Record):
    """One provider and its limits."""

    kind: Literal["rehearsal", "openai"] = "openai"
    """The offline stand-in, or any OpenAI-compatible address."""
    base_url: str | None = None
    """The address, without the path that is added for each call."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never stored."""
    concurrency: int = Field(default=16, ge=1)
    """Calls at once."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Calls begun within a minute; absent, no limit."""
    tokens_per_minute: int | None = Field(default=None, ge=1)
    """Tokens within a minute; absent, no limit."""
    api: Literal["chat", "responses"] = "chat"
    """Which of the two interfaces of the OpenAI protocol is spoken."""
    stream: bool = False
    """Whether replies are taken as server-sent events."""
    stream_usage: bool = True
    """Whether a streamed chat completion is asked for its usage; some servers refuse to be."""
    reasoning_content: Literal["echo", "drop"] = "drop"
    """Whether reasoning and its signatures are sent back in later turns, for providers that demand
    it."""
    send_seed: bool = False
    """Whether a seed is sent with requests."""
    attempts: AttemptPolicy = AttemptPolicy()


class ModelConfig(Record):
    """One model as asked for."""

    provider: str
    """Name of a provider above."""
    model: str
    """Name that is sent to the provider."""
    params: dict[str, Any] = {}
    """Sent with every request, e.g. temperature or extra fields."""
    aliases: tuple[str, ...] = ()
    """Other names under which the provider may say that this model answered (Q24)."""
    thinking: dict[Literal["on", "off"], dict[str, Any]] = {}
    """Parameters that switch its reasoning on and off, for designs that compare the two."""
    price_in: float | None = Field(default=None, ge=0)
    """Per million input tokens; unknown price is unknown, not zero."""
    price_out: float | None = Field(default=None, ge=0)
    """Per million output tokens."""
    currency: str = "USD"
    """Of both prices."""


class ReadingConfig(Record):
    """How pages of the web are read."""

    wire_bytes: int = Field(default=2_000_000, ge=1)
    """Bytes received of one page, before decompression."""
    body_bytes: int = Field(default=4_000_000, ge=1)
    """Bytes of one page after decompression, and after each layer of it."""
    seconds: float = Field(default=20.0, gt=0)
    """The whole exchange, redirects included."""
    text_chars: int = Field(default=40_000, ge=1)
    """Characters of a page's text."""
    extract_seconds: float = Field(default=10.0, gt=0)
    """Processor time for taking the text out of one large page or PDF."""
    redirects: int = Field(default=5, ge=0)
    """Followed for one page; each address is judged anew."""
    pdf_bytes: int = Field(default=10_000_000, ge=1)
    """Bytes of a PDF, in place of both limits above where it is the larger one."""
    pdf_pages: int = Field(default=200, ge=1)
    """Pages of a PDF that are read."""
    allow: tuple[str, ...] = ()
    """Hosts, addresses or networks that the address policy lets pass, for intranets."""
    user_agent: str = "draligned (research; one page at a time)"
    """What page owners see, also the name that robots.txt is asked for."""
    robots: bool = True
    """Whether robots.txt is honoured."""
    per_host: int = Field(default=2, ge=1)
    """Requests at once to one host."""
    delay_seconds: float = Field(default=1.0, ge=0)
    """Between the starts of two requests to one host."""
    retry_after_cap_seconds: float = Field(default=30.0, ge=0)
    """How long a host may make us wait; one that asks for more is left alone until then."""
    block_benchmark: bool = False
    """Whether pages of the benchmark itself are refused, not only flagged."""


class SourceConfig(Record):
    """A source of search results and pages: `[retrieval.NAME]`."""

    kind: Literal["embedded", "tavily", "exa", "brave", "serper", "searxng", "mcp"]
    """The bundled corpus, a search provider, or an MCP server that searches."""
    base_url: str | None = None
    """Address of a `searxng` or `mcp` server."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never stored."""
    command: tuple[str, ...] = ()
    """Of an MCP server that is started here; `base_url` for one that runs elsewhere."""
    tool: str | None = None
    """The tool of an MCP server that searches."""
    country: str | None = None
    """Of the search; absent, that of the study's language."""
    language: str | None = None
    """Of the search, the same for every run; never taken from a condition."""
    results: int = Field(default=6, ge=1, le=50)
    """Results of a search."""
    params: dict[str, Any] = {}
    """Sent with every search."""
    scope: Scope = "study"
    """Within what one request gets one answer."""
    snapshots: int = Field(default=1, ge=1)
    """How many independent recordings are made; each is an environment of its own."""
    mode: Literal["live", "record"] = "record"
    """Whether answers are recorded and served again, or fetched each time."""
    timeout_seconds: float = Field(default=30.0, gt=0)
    """Of one search."""
    concurrency: int = Field(default=4, ge=1)
    """Searches at once."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    """Searches begun within a minute; absent, no limit."""
    retry_after_cap_seconds: float = Field(default=120.0, ge=0)
    """The longest wait that a provider may ask for and get; asked for more, cells stay open."""
    price: float | None = Field(default=None, ge=0)
    """Of one search; it counts against `--max-cost`. Unknown price is unknown, not zero."""
    currency: str = "USD"
    """Of the price."""
    reading: ReadingConfig = ReadingConfig()


class RunConfig(Record):
    """What is run."""

    harnesses: tuple[str, ...] = ("coupled",)
    """Names of harnesses, or TOML files of your own."""
    models: tuple[str, ...] = ("rehearsal-a", "rehearsal-b")
    """Agents: names of models below, or rehearsal models."""
    replicates: int = Field(default=1, ge=1)
    """Runs of each cell."""
    concurrency: int = Field(default=16, ge=1)
    """Episodes at once."""
    retrieval: str = "embedded"
    """`embedded`, or the name of a source below."""
    record_models: bool | None = None
    """Whether replies are recorded for a replay; by default those of all providers but the
    rehearsal app's."""


class EvaluateConfig(Record):
    """How behaviour is read."""

    evaluators: tuple[str, ...] = ("rehearsal-reader",)
    """The first is the primary; the others are compared, never pooled (DR-75)."""
    request_mode: Literal["whole_run", "batch_prev3"] = "whole_run"
    """Whether a packet holds all requests of a run, or ten, after three as context."""
    retest_share: float = Field(default=0.1, ge=0, le=1)
    """Of packets: read once more in the same orientation."""
    concurrency: int = Field(default=16, ge=1)
    """Reads at once."""
    lang: Lang | None = None
    """Of the evaluator's protocol; absent, that of the design."""


class ControlsConfig(Record):
    """Controls that say what the numbers mean; shares of the study's own runs and reads.

    Of n eligible ones ⌈share · n⌉ are taken, chosen by hash within each model × harness ×
    environment (reads: within the study), so that any share above 0 takes at least one.
    """

    aa_share: float = Field(default=0.1, ge=0, le=1)
    """Of pairs: the P condition is run once more, as partner of the first P run (A/A)."""
    neutral_share: float = Field(default=0.1, ge=0, le=1)
    """Of pairs: one run is told nothing of the factor."""
    placebo_share: float = Field(default=0.1, ge=0, le=1)
    """Of pairs: requests and finals are read on a factor of another task too."""
    masked_share: float = Field(default=0.1, ge=0, le=1)
    """Of texts: read again with the user's restatements masked."""
    sentinel_share: float = Field(default=0.05, ge=0, le=1)
    """Reads of packets with known answers, per read of the study."""


class MeasureConfig(Record):
    """How numbers are made."""

    draws: int = Field(default=10_000, ge=100)
    """Of each bootstrap."""
    seed: int = 20260929
    """Draws the bootstrap's samples."""
    unresolved_items: Literal["block_none", "ignore", "block_all"] = "block_none"
    """What main items of unknown direction block: the state NONE, nothing, or any state."""
    pairing: Literal["first", "all_cross"] = "first"
    """Whether first runs are paired, or every P with every Q."""
    tokens: Literal["characters", "words"] = "characters"
    """How Chinese text is cut for the edit distance (Q14): into characters, or words (rjieba)."""
    include_development: bool = False
    """Whether runs of development-only harnesses are read and measured too (DR-20)."""


class StudyConfig(Record):
    """study.toml."""

    name: str = "study"
    """What the report calls the study."""
    seed: int = 20260929
    """Draws orientations, orders and selections; kept by the design."""
    construction: ConstructConfig = ConstructConfig()
    providers: dict[str, ProviderConfig] = {"rehearsal": ProviderConfig(kind="rehearsal")}
    models: dict[str, ModelConfig] = {}
    retrieval: dict[str, SourceConfig] = {}
    run: RunConfig = RunConfig()
    evaluate: EvaluateConfig = EvaluateConfig()
    controls: ControlsConfig = ControlsConfig()
    measure: MeasureConfig = MeasureConfig()
