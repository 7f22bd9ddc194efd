"""A small made-up study for the report: conditions, logs, texts and reads."""

from dataclasses import dataclass, field

from draligned.schema.base import sha256_text, short_id, unit_draw
from draligned.schema.chat import Message, StopReason, ToolCall, Usage
from draligned.schema.design import (
    Assigned,
    Axis,
    Condition,
    Design,
    Detail,
    Endpoint,
    Estimand,
    FactorCard,
    Lang,
    Removed,
    TaskRecord,
)
from draligned.schema.endings import EndedBy, EpisodeEnd, Outcome
from draligned.schema.events import (
    Body,
    CallStarted,
    DraftSaved,
    Ended,
    Event,
    ModelTurn,
    Opened,
    RequestExecuted,
    RunHeader,
    Submitted,
    ToolResult,
)
from draligned.schema.labels import CardOutcome, Channel, Observes, Side
from draligned.schema.observed import ObservedRun
from draligned.schema.retrieval import ReturnStatus
from draligned.study.observe import observe

READER = "reader-key"
WORDS = {"zh": ("杭州", "深圳"), "en": ("Leeds", "Bristol")}
NONE = ("NEITHER", "NEITHER")


@dataclass(frozen=True, kw_only=True)
class World:
    """What the study looks like."""

    lang: Lang = "en"
    tasks: int = 3
    models: tuple[str, ...] = ("model-b", "model-a")
    harnesses: tuple[str, ...] = ("coupled",)
    development: tuple[str, ...] = ()
    saved: tuple[str, ...] = ()
    delegating: tuple[str, ...] = ()
    """Harnesses for development only, that submit the saved file, and that offer delegation."""
    requests: int = 4
    evaluators: tuple[str, ...] = (READER,)
    rehearsal: bool = True
    partial: bool = False
    failed: tuple[str, ...] = ()
    """Cells `task/model/arm` whose run failed."""
    flat: bool = False
    """Every final is the run's own side and every request NEITHER: all task values are equal."""
    name: str = "A small study"
    request_text: str = ""
    final_text: str = ""
    endpoint: str = ""


@dataclass(kw_only=True)
class Built:
    """Runs of a world and what was read of them."""

    design: Design
    events: dict[str, list[Event]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    observed: list[ObservedRun] = field(default_factory=list)
    rows: dict[str, list[dict[str, object]]] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """Keep a text; its hash."""
        sha = sha256_text(text)
        self.texts[sha] = text
        return sha

    def add(self, table: str, **row: object) -> None:
        """Add a row to a table of reads."""
        self.rows.setdefault(table, []).append(row)


def card(world: World, task: int) -> FactorCard:
    """The one factor of a task."""
    p, q = (world.endpoint or w for w in WORDS[world.lang])
    return FactorCard(
        task_id=str(task),
        user_id=f"User{task % 2 + 1}",
        lang=world.lang,
        domain="Career",
        kind="residence",
        field_path="basic/place/residence",
        evidence_quote=p,
        p=Endpoint(value=p, sentence=f"The user lives in {p}.", words=(p,)),
        q=Endpoint(value=q, sentence=f"The user lives in {q}.", words=(q,)),
        background=(Detail(path="basic/job", text="librarian"),),
        removed_from_both=(Removed(path="basic/club", text=f"member in {p}", reason="names P"),),
        decision="where to meet a mentor",
        order_p=("near P", "online"),
        order_q=("near Q", "online"),
        axis=Axis(question="Which place does it suit?", guidance="Both: suits either place."),
        source="rules",
        outcome=CardOutcome.ACCEPTED,
    )


def design_of(world: World) -> Design:
    """Cards and conditions of a world."""
    cards = tuple(card(world, k + 1) for k in range(world.tasks))
    conditions = [
        Condition(
            task_id=c.task_id,
            user_id=c.user_id,
            lang=c.lang,
            assigned=(Assigned(factor_id=c.factor_id, side=side),),
            system="You are a research agent.",
            turns=(f"Task:\nPlan it.\n\nAbout the user:\n{c.endpoint(side).sentence}",),
        )
        for c in cards
        for side in Side
    ]
    return Design(
        lang=world.lang,
        seed=7,
        source="written for tests",
        tasks=tuple(
            TaskRecord(
                task_id=c.task_id, domain=c.domain, lang=c.lang, text="Plan it.", users=(c.user_id,)
            )
            for c in cards
        ),
        cards=cards,
        conditions=tuple(conditions),
        estimands=(
            Estimand(name="D_A", channel="A", population="readable"),
            Estimand(name="D_F", channel="F", population="readable"),
        ),
    )


def build(world: World) -> Built:
    """Every run of a world."""
    built = Built(design=design_of(world))
    for condition in built.design.conditions:
        for model in world.models:
            for harness in world.harnesses:
                _run(world, built, condition, model, harness)
    return built


def _run(world: World, built: Built, condition: Condition, model: str, harness: str) -> None:
    assigned = condition.assigned[0]
    run_id = short_id("run", condition.condition_id, model, harness)
    failed = f"{condition.task_id}/{model}/{assigned.side.value}" in world.failed
    built.add(
        "runs",
        run_id=run_id,
        task_id=condition.task_id,
        user_id=condition.user_id,
        factor_id=assigned.factor_id,
        arm=assigned.side.value,
        model=model,
        harness=harness,
        environment="embedded",
        replicate=1,
        state="failed" if failed else "done",
        outcome="provider_error" if failed else "submitted",
        observes_a="none" if failed else "full",
        observes_w="none" if failed else "full",
        observes_f="none" if failed else "full",
        development=harness in world.development,
        submits_saved=harness in world.saved,
        delegation_offered=harness in world.delegating,
        delegations=None if failed else int(harness in world.delegating),
        requests=None if failed else world.requests,
        requests_delegated=None if failed else int(harness in world.delegating),
        last_request_seq=None if failed else 4 * world.requests - 1,
    )
    if failed:
        return
    events = _events(world, built, condition, run_id)
    run = observe(_header(condition, run_id, model, harness), condition, events)
    built.events[run_id] = events
    built.observed.append(run)
    for evaluator in world.evaluators:
        _reads(world, built, run, evaluator)
    for draft in run.drafts:
        _document(built, run, "draft", draft.version_no, draft.seq, draft.text_sha256)
    if run.final is not None:
        _document(built, run, "final", 0, run.final.seq, run.final.text_sha256)


def _header(condition: Condition, run_id: str, model: str, harness: str) -> RunHeader:
    return RunHeader(
        run_id=run_id,
        attempt=1,
        condition_id=condition.condition_id,
        design_sha256="0" * 64,
        model_name=model,
        model_key=short_id(model),
        requested_model=model,
        harness_name=harness,
        harness_key=short_id(harness),
        environment="embedded",
        replicate=1,
        observes=dict.fromkeys(Channel, Observes.FULL),
        rehearsal=True,
        started_utc="2026-01-01T00:00:00+00:00",
        versions={},
    )


def _events(world: World, built: Built, condition: Condition, run_id: str) -> list[Event]:
    place = WORDS[world.lang][0 if condition.assigned[0].side is Side.P else 1]
    bodies: list[Body] = [Opened(messages=(Message(role="user", text=condition.turns[0]),))]
    for no in range(1, world.requests + 1):
        text = world.request_text or f"mentor {no} near {place}"
        bodies += _turn(no, "search", text)
        bodies.append(
            RequestExecuted(
                sequence=no, call_index=0, request_no=no, tool="search", request=text,
                return_status=ReturnStatus.OK, environment_hit=no % 2 == 0,
            )
        )  # fmt: skip
        bodies.append(
            ToolResult(sequence=no, call_index=0, call_id=f"c{no}", text_sha256=built.text("[]"))
        )
    draft = f"Draft {run_id}.\n" + world.final_text
    final = f"Report {run_id}: meet in {place}.\n" + world.final_text
    bodies.append(
        DraftSaved(
            sequence=90, call_index=0, path="r.md", text_sha256=built.text(draft), chars=len(draft)
        )
    )
    sha = built.text(final)
    bodies.append(
        Submitted(sequence=91, call_index=0, text_sha256=sha, chars=len(final), path="r.md")
    )
    end = EpisodeEnd(
        ended_by=EndedBy.NO_TOOL_CALL, outcome=Outcome.SUBMITTED, final_sha256=sha,
        work_done_by_state=True,
    )  # fmt: skip
    bodies.append(Ended(end=end))
    return [
        Event(seq=k, utc="2026-01-01T00:00:00+00:00", mono=float(k), prev="0" * 64, body=body)
        for k, body in enumerate(bodies)
    ]


def _turn(no: int, tool: str, text: str) -> list[Body]:
    call = ToolCall(call_id=f"c{no}", name=tool, arguments="{}")
    turn = ModelTurn(
        sequence=no,
        message=Message(
            role="assistant", text=None, tool_calls=(call,), reasoning="SECRET-THOUGHT"
        ),
        stop=StopReason.TOOL_CALLS,
        usage=Usage(input_tokens=10, output_tokens=5),
        requested_model="m",
        echoed_model="m",
    )
    return [CallStarted(sequence=no, request_sha256="0" * 64), turn]


def _pair(label: str) -> tuple[str, str]:
    """A restored label as the slots of both reads; ALPHA is P in the first, Q in the mirror."""
    first = {"P_ONLY": "ALPHA_ONLY", "Q_ONLY": "BETA_ONLY"}.get(label, label)
    mirror = {"P_ONLY": "BETA_ONLY", "Q_ONLY": "ALPHA_ONLY"}.get(label, label)
    return first, mirror


def _reads(world: World, built: Built, run: ObservedRun, evaluator: str) -> None:
    factor, side = run.assigned[0].factor_id, run.assigned[0].side
    for request in run.requests:
        model = world.models.index(run.model_name)
        draw = unit_draw(run.task_id, side.value, model, request.request_no)
        label = "NEITHER" if world.flat or draw < 0.5 else f"{side.value}_ONLY"
        if not world.flat and draw > 0.9:
            label = "UNKNOWN"
        for read, alpha, said in zip(("first", "mirror"), "PQ", _pair(label), strict=True):
            built.add(
                "request_reads", run_id=run.run_id, factor_id=factor,
                request_no=request.request_no, tool=request.tool, return_status="ok",
                delegation=request.parent,
                evaluator=evaluator, read=read, alpha=alpha, status="valid", label=said,
                reason=None,
            )  # fmt: skip
    for document in (*run.drafts, *((run.final,) if run.final else ())):
        _document_reads(built, document.text_sha256, factor, evaluator, side)


def _document_reads(built: Built, sha: str, factor: str, evaluator: str, side: Side) -> None:
    for read, alpha in (("first", "P"), ("mirror", "Q")):
        slot = "SLOT1" if alpha == side.value else "SLOT2"
        names = {
            "text_sha256": sha, "factor_id": factor, "evaluator": evaluator, "read": read,
            "alpha": alpha,
        }  # fmt: skip
        built.add(
            "document_reads", **names, status="ok", reason=None, n_items=1, n_dropped=0, cap_hit=0
        )
        built.add(
            "items", **names, item_no=1, entity_key="e", actor="AGENT", role="MAIN",
            action="RECOMMEND", strength="FIRM", direction=slot,
        )  # fmt: skip


def _document(built: Built, run: ObservedRun, role: str, no: int, seq: int, sha: str) -> None:
    factor = run.assigned[0].factor_id
    built.add(
        "documents", run_id=run.run_id, factor_id=factor, role=role, version_no=no, seq=seq,
        text_sha256=sha,
    )  # fmt: skip
