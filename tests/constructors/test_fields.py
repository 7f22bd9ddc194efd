"""Going through a profile: the first eligible field, and a reason for every other."""

from draligned.constructors.fields import try_fields
from draligned.schema.labels import CardOutcome

from .samples import RESIDENCE, TASK, persona


def told(task_text: str = TASK.text, *, closed: str = "") -> dict[str, tuple[str, str]]:
    task = TASK.model_copy(update={"text": task_text})
    tries = try_fields(task, persona(), lambda path: path != closed)
    return {t.decision.field_path: (t.decision.outcome, t.decision.reason) for t in tries}


def test_the_first_eligible_field_and_the_reasons_before_and_after() -> None:
    got = told()
    outcomes = [outcome for outcome, _ in got.values()]
    assert outcomes == [
        *[CardOutcome.NO_RELEVANCE] * 3,
        CardOutcome.ACCEPTED,
        *[CardOutcome.NOT_NEEDED] * 3,
    ]
    assert got["基础属性/身份特征/姓名"][1] == "a personal name is in neither arm"


def test_what_the_task_fixes_is_no_factor() -> None:
    assert told("我常住武汉，想提升领导力。")[RESIDENCE] == (
        CardOutcome.REJECTED_TASK_FORCED,
        "the task already says “武汉”",
    )


def test_a_field_used_often_enough_is_passed_over() -> None:
    assert told(closed=RESIDENCE)[RESIDENCE][0] is CardOutcome.NOT_NEEDED


def test_a_row_that_does_not_apply_says_so() -> None:
    outcome, reason = told("请介绍海外企业的招聘流程。")[RESIDENCE]
    assert (outcome, reason) == (
        CardOutcome.REJECTED_TASK_FORCED,
        "the task already says “海外企业”",
    )


def test_a_university_in_the_task_fixes_no_residence() -> None:
    assert told("想读浙江大学和北京大学的在职课程。")[RESIDENCE][0] is CardOutcome.ACCEPTED
