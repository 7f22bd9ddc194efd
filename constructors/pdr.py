"""Reading tasks and personas in PDR-Bench's published format (DR-1, DESIGN §5).

Of a query line only `task`, `taskid`, `userid` and `domain` are used: `query`
embeds the whole profile and must not reach an agent.
"""

from collections.abc import Iterator
from typing import Any

from draligned.schema.design import Detail, Lang, Persona, TaskRecord
from draligned.schema.errors import InputError
from draligned.schema.strictjson import clean_text, loads, visible


def parse_tasks(text: str, *, lang: Lang, name: str) -> tuple[TaskRecord, ...]:
    """Tasks of a query file, users in file order; nothing is padded.

    Raises `InputError` naming `name` and the line.
    """
    tasks: dict[str, TaskRecord] = {}
    for where, line in _lines(text, name):
        task_id, user = _word(line, "taskid", where), _word(line, "userid", where)
        domain, body = _word(line, "domain", where), _word(line, "task", where)
        known = tasks.get(task_id)
        if known is None:
            tasks[task_id] = TaskRecord(
                task_id=task_id, domain=domain, lang=lang, text=body, users=(user,)
            )
            continue
        if (known.text, known.domain) != (body, domain):
            raise InputError(f"{where}: task {task_id} has another text or domain than before")
        if user in known.users:
            raise InputError(f"{where}: task {task_id} is paired with {user} twice")
        tasks[task_id] = known.model_copy(update={"users": (*known.users, user)})
    return tuple(tasks.values())


def parse_personas(text: str, *, lang: Lang, name: str) -> tuple[Persona, ...]:
    """Profiles flattened to leaves in the file's key order (Q1).

    Raises `InputError` naming `name` and the line.
    """
    out: dict[str, Persona] = {}
    for where, line in _lines(text, name):
        user = _word(line, "userid", where)
        if user in out:
            raise InputError(f"{where}: {user} has a second profile")
        body = {k: v for k, v in line.items() if k != "userid"}
        out[user] = Persona(user_id=user, lang=lang, details=tuple(_leaves(body, "", where)))
    return tuple(out.values())


def _lines(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not raw.strip():
            continue
        where = f"{name}, line {number}"
        try:
            value = loads(raw)
        except ValueError as error:
            raise InputError(f"{where}: not JSON ({error})") from None
        if not isinstance(value, dict):
            raise InputError(f"{where}: expected a JSON object")
        yield where, value


def _word(line: dict[str, Any], key: str, where: str) -> str:
    value = line.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: `{key}` is missing or not a text")
    return clean_text(value).text.strip()


def _leaves(value: Any, path: str, where: str) -> Iterator[Detail]:
    """Leaves of a profile: a field may be a text in one profile, an object in another."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}/{key}" if path else clean_text(key).text, where)
    elif isinstance(value, list):
        for index, inner in enumerate(value, start=1):
            simple = not isinstance(inner, dict | list)
            yield from _leaves(inner, path if simple else f"{path}/{index}", where)
    elif isinstance(value, str):
        if cleaned := clean_text(value).text.strip():
            yield Detail(path=path, text=cleaned)
    elif isinstance(value, int | float):
        yield Detail(path=path, text=str(value))
    elif value is not None:
        raise InputError(f"{where}: {visible(path)} holds something that is not JSON data")
