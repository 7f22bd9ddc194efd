"""The assistant of a sub-context: runs the errands of its sub-task, then answers in text.

Its plan is a function of the sub-task's words and the declared seed.
"""

from draligned.rehearsal.brief import TaskBrief
from draligned.rehearsal.delegation import SubTask, write_answer
from draligned.rehearsal.draws import Draws, digest
from draligned.rehearsal.history import calling_turns, results, token_of, urls_in
from draligned.rehearsal.plan import in_turns
from draligned.rehearsal.profiles import AgentProfile
from draligned.rehearsal.steps import PlannedRequest
from draligned.rehearsal.walk import Walk
from draligned.rehearsal.wire import Answer, Asked

_PAGES = 5


def answer_sub_task(asked: Asked, task: SubTask, profile: AgentProfile) -> Answer:
    """The assistant's next turn."""
    token = token_of(asked.messages)
    token = token or digest("sub-task", asked.seed, asked.model, task.text)
    requests = [
        PlannedRequest(number=i, tool=e.tool, lean="none", factor=0)
        for i, e in enumerate(task.errands)
    ]
    steps = in_turns(profile, Draws(token), requests) if "search" in asked.tools else []
    done = len(calling_turns(asked.messages))
    if done >= len(steps):
        return _closing(asked, task, Draws(token).weighted(profile.endings(), "ending"))
    brief = TaskBrief(lang=task.lang, task=task.text, factors=(), told="")
    queries = tuple(e.query for e in task.errands)
    walk = Walk(asked=asked, brief=brief, draws=Draws(token, "words"), queries=queries)
    return walk.answer(steps[done], f"{token}_{done}")


def _closing(asked: Asked, task: SubTask, ending: str) -> Answer:
    """The answer; now and then it is empty or cut, as any reply may be."""
    if ending == "empty":
        return Answer(text="")
    pages = list(dict.fromkeys(u for text in results(asked.messages) for u in urls_in(text)))
    text = write_answer(pages[:_PAGES], task.lang)
    if ending == "length":
        return Answer(text=text[: len(text) // 2], finish="length")
    return Answer(text=text)
