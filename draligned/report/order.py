"""The design's order of tasks, by which the page lists everything: never sorted as text."""

from collections.abc import Mapping

from draligned.schema.design import Design


def places(design: Design) -> Mapping[str, int]:
    """Place of each task in the design."""
    return {task.task_id: n for n, task in enumerate(design.tasks)}


def place(order: Mapping[str, int], task_id: str) -> int:
    """Place of a task; one that the design does not name comes last."""
    return order.get(task_id, len(order))
