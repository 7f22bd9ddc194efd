"""The rehearsal app with planned failures in chosen runs."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from draligned.api import Study
from draligned.rehearsal.app import make_app
from draligned.schema.ids import seed_of

FAST = """
[providers.rehearsal]
kind = "rehearsal"
attempts = { tries = 2, backoff_seconds = 0.0 }
"""


class Failing:
    """Breaks the chosen runs after two of their turns: `broken` is an endless 500, `filtered`
    a reply that the provider's filter ended."""

    def __init__(self, fates: Mapping[str, str]) -> None:
        self._fates = {seed_of(run): fate for run, fate in fates.items()}
        self._app = make_app()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        raw, more = b"", True
        while more:
            message = await receive()
            raw, more = raw + message["body"], message.get("more_body", False)
        body = json.loads(raw)
        turns = sum(m["role"] == "assistant" for m in body["messages"])
        fate = self._fates.get(body.get("seed")) if turns >= 2 else None

        async def replay() -> Any:
            return {"type": "http.request", "body": raw, "more_body": False}

        answer = self._app if fate is None else _answer(fate, body)
        await answer(scope, replay, send)


def _answer(fate: str, body: Mapping[str, Any]) -> Any:
    if fate == "broken":
        return JSONResponse({"error": {"message": "planned"}}, status_code=500)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": ""},
        "finish_reason": "content_filter",
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return JSONResponse({"id": "x", "model": body["model"], "choices": [choice], "usage": usage})


def with_app(study: Study, app: Any) -> Study:
    """The study with another app behind its rehearsal models."""
    study._context.__dict__["rehearsal_app"] = app
    return study
