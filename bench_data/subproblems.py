"""Broad subproblems of tasks, frozen before any request is seen (DR-92, DR-93, Q13)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import ValidationError

from draligned.schema.design import Lang, TaskMap
from draligned.schema.errors import DesignError


@cache
def bundled_maps(lang: Lang) -> tuple[TaskMap, ...]:
    """The lists of the bundled tasks, in the order of the file."""
    name = f"subproblems_{lang}.toml"
    return parse_maps(files("draligned.bench_data").joinpath(name).read_text("utf-8"), name)


def parse_maps(text: str, name: str) -> tuple[TaskMap, ...]:
    """Lists of subproblems from TOML: `[[task]]` with `id` and `subproblems` (key, title, words).

    Raises `DesignError` that names the file, `name`, and the first fault.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DesignError(f"{name} is no TOML: {error}") from error
    tables = raw.get("task")
    if not isinstance(tables, list):
        raise DesignError(f"{name} has no [[task]]; each names a task and its subproblems")
    found = tuple(_map(table, name) for table in tables)
    ids = [m.task_id for m in found]
    if twice := next((i for i in ids if ids.count(i) > 1), None):
        raise DesignError(f"{name}: task {twice} stands there twice")
    return found


def _map(table: Mapping[str, object], name: str) -> TaskMap:
    fields = {"task_id": table.get("id"), "subproblems": table.get("subproblems")}
    try:
        return TaskMap.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DesignError(f"{name}: task {table.get('id')}: {where}: {first['msg']}") from error
