"""The oracle: what is true, and whether a report is due, read from state alone (SI-3).

Nothing here can receive a reply, and nothing here imports a parser.
"""

from draligned.progress.scenarios import Scenario
from draligned.progress.state import Last, TaskState
from draligned.schema.progress import Gold, Stage


def gold(scenario: Scenario, state: TaskState) -> Gold:
    """(D, Z*) of a state: a report is due where the reply would rest on a tool result (SI-11)."""
    return Gold(duty=state.last is Last.RESULT, stage=stage(scenario, state))


def stage(scenario: Scenario, state: TaskState) -> Stage:
    """Where the task stands (SI-2); a helpdesk task is done once the user has said so (Q26)."""
    done = state.second_done if scenario.steps == 2 else state.first_done and state.accepted
    if done:
        return Stage.COMPLETED
    if state.first_done:
        return Stage.POST_OBS
    return Stage.READY if state.said else Stage.NEEDS_INFO


def advancing(scenario: Scenario, state: TaskState) -> tuple[str, ...]:
    """U: tools of which a call would take the task forward now (SI-6)."""
    if state.first_done:
        left = scenario.steps == 2 and not state.second_done
        return (scenario.two.tool,) if left else ()
    return (scenario.one.tool,) if state.said else ()
