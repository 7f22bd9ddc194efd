"""What a checked harness is run with: two conditions, one page, one header."""

from dataclasses import dataclass, field

from draligned.retrieval.protocol import Served
from draligned.schema.design import Assigned, Condition, Lang
from draligned.schema.events import RunHeader
from draligned.schema.harness import HarnessSpec
from draligned.schema.labels import Channel, Observes, Side
from draligned.schema.retrieval import RetrievalAnswer, ReturnStatus, SearchHit

RUN = "00c0ffee00c0ffee"
PAGE = "https://pages.example/one"
SENTENCES: dict[Lang, dict[Side, str]] = {
    "zh": {Side.P: "常住地是杭州。", Side.Q: "常住地是深圳。"},
    "en": {Side.P: "They live in Leeds.", Side.Q: "They live in Bristol."},
}
_TASK: dict[Lang, str] = {
    "zh": "任务：\n制订沟通提升计划\n\n用户背景：\n- 职业：产品经理",
    "en": "Task:\nPlan how to speak better\n\nUser background:\n- work: product manager",
}
_ENDPOINT: dict[Lang, str] = {"zh": "用户情况：\n", "en": "About the user:\n"}
_SYSTEM: dict[Lang, str] = {
    "zh": "你是研究助手。之后不会再有用户回复。",
    "en": "You are a research assistant. No further user reply will come.",
}


def condition(spec: HarnessSpec, side: Side, lang: Lang) -> Condition:
    """The condition of that side, its endpoint in the first or in the scripted turn."""
    endpoint = _ENDPOINT[lang] + SENTENCES[lang][side]
    turns = (_TASK[lang], *[endpoint] * spec.scripted_turns)
    return Condition(
        task_id="1",
        user_id="User1",
        lang=lang,
        assigned=(Assigned(factor_id="f" * 16, side=side),),
        system=_SYSTEM[lang],
        turns=turns if spec.scripted_turns else (f"{_TASK[lang]}\n\n{endpoint}",),
    )


def header(spec: HarnessSpec, cond: Condition) -> RunHeader:
    """One header for all: what identifies a harness is no part of what is checked."""
    return RunHeader(
        run_id=RUN,
        attempt=1,
        condition_id=cond.condition_id,
        design_sha256="d" * 64,
        model_name="scripted",
        model_key="0" * 16,
        requested_model="scripted",
        harness_name="checked",
        harness_key="1" * 16,
        environment="one page",
        replicate=1,
        delegation_offered=bool(spec.delegated),
        observes={c: Observes.FULL for c in Channel if c is not Channel.CONTROL},
        rehearsal=True,
        started_utc="",
        versions={},
    )


@dataclass
class OnePage:
    """Finds one page, whatever is asked for."""

    asked: list[str] = field(default_factory=list)
    environment: str = "one page"

    async def search(self, query: str) -> Served:
        """See `Retrieval.search`."""
        self.asked.append(query)
        hit = SearchHit(title="Page", url=PAGE, snippet=f"on {query}")
        answer = RetrievalAnswer(tool="search", request=query, status=ReturnStatus.OK, hits=(hit,))
        return Served(answer, True)

    async def read(self, url: str) -> Served:
        """See `Retrieval.read`."""
        self.asked.append(url)
        answer = RetrievalAnswer(
            tool="read", request=url, status=ReturnStatus.OK, text="text of the page"
        )
        return Served(answer, True)
