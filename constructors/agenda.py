"""Lists of subproblems that go into a design with its tasks (Q13)."""

from collections.abc import Iterable
from pathlib import Path

from draligned.bench_data.subproblems import bundled_maps, parse_maps
from draligned.constructors.source import Source
from draligned.schema.design import Design, TaskMap
from draligned.schema.errors import DesignError


def read_maps(path: Path, source: Source) -> tuple[TaskMap, ...]:
    """The user's lists. Raises `DesignError` for a file that is unsound or names other tasks."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DesignError(f"cannot read {path.name}: {error}") from error
    found = parse_maps(text, path.name)
    known = {t.task_id for t in source.tasks}
    if other := next((m.task_id for m in found if m.task_id not in known), None):
        raise DesignError(f"{path.name} is about task {other}, which is not in the set")
    return found


def maps_of(source: Source, given: Iterable[TaskMap] = ()) -> tuple[TaskMap, ...]:
    """Lists of the source's tasks: the user's, and those of the bundled set for the others."""
    by_id = {m.task_id: m for m in bundled_maps(source.lang)} if source.bundled else {}
    by_id |= {m.task_id: m for m in given}
    return tuple(by_id[t.task_id] for t in source.tasks if t.task_id in by_id)


def added_maps(
    source: Source, frozen: Design, given: Iterable[TaskMap] = ()
) -> tuple[TaskMap, ...]:
    """The frozen design's lists, then those of tasks that are not in it yet.

    Raises `DesignError` for a list of the user's that comes after its task: requests may have
    been seen.
    """
    late = {t.task_id for t in frozen.tasks} | {m.task_id for m in frozen.subproblems}
    given = tuple(given)
    if seen := next((m.task_id for m in given if m.task_id in late), None):
        raise DesignError(
            f"task {seen} is frozen, with its list of subproblems or without one; a list is "
            "written before a task's requests are seen"
        )
    added = (m for m in maps_of(source, given) if m.task_id not in late)
    return (*frozen.subproblems, *added)
