"""A PDR-Bench-format folder of 24 tasks: the bundled tasks and users, three times over."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

COPIES = 3


def write_folder(root: Path, lang: str = "zh") -> Path:
    """Write queries and personas under `root`; every copy has task and user ids of its own."""
    tasks, personas = _bundled("tasks", lang), _bundled("personas", lang)
    queries = [
        {**t, "taskid": 100 * copy + int(t["taskid"]), "userid": _user(t["userid"], copy)}
        for copy in range(1, COPIES + 1)
        for t in tasks
    ]
    people = [
        {**p, "userid": _user(p["userid"], copy)} for copy in range(1, COPIES + 1) for p in personas
    ]
    for number, query in enumerate(queries, start=1):
        query["id"] = number
    _write(root / "data" / "prompt_data" / f"queries{len(queries)}_{lang}.jsonl", queries)
    _write(root / "data" / "persona_data" / f"personas_{lang}.jsonl", people)
    return root


def _user(user: str, copy: int) -> str:
    return f"User{100 * copy + int(user.removeprefix('User'))}"


def _bundled(stem: str, lang: str) -> list[dict[str, Any]]:
    text = files("draligned.bench_data").joinpath(f"{stem}_{lang}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
