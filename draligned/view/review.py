"""Blind reviews as pages: the only ones that write, each answer by a form of a page served here.

A reviewer's pages lead nowhere else: no run, no label, no other reviewer's answer can be opened
from them.
"""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from draligned.schema.design import Lang
from draligned.schema.labels import ItemDirection, Problem
from draligned.schema.review import (
    NOTE_CHARS,
    Found,
    ProblemAnswer,
    ReviewAnswer,
    ReviewKind,
)
from draligned.view.app import make_app, sheet
from draligned.view.desk import Desk, Unit, desk_of
from draligned.view.documents import document_view
from draligned.view.forms import form_of
from draligned.view.guard import Guard, policy
from draligned.view.site import Link, page

HOME = "/review"
Fields = Mapping[str, str]


def make_review(
    root: Path,
    *,
    reviewer: str,
    kind: ReviewKind,
    lang: Lang | None = None,
    token: str | None = None,
    rehearsal: bool = False,
) -> Guard:
    """The app of one reviewer and one kind of review; it writes to `reviews/` and `blobs/` alone.

    Raises as `desk_of` does.
    """
    desk = desk_of(root, kind, reviewer, rehearsal=rehearsal)
    routes = _Pages(desk)
    return make_app(
        root,
        token=token,
        lang=lang,
        extra=(
            Route("/", routes.leave_for_home),
            Route(HOME, routes.home),
            Route(HOME + "/{no:int}", routes.show),
            Route(HOME + "/{no:int}", routes.send, methods=["POST"]),
        ),
        nav=(Link(path=HOME, key="review.nav"),),
        writes=(HOME,),
        own=False,
    )


class _Pages:
    """The pages of one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def leave_for_home(self, _: Request) -> Response:
        """GET /."""
        return RedirectResponse(HOME, 303)

    def home(self, request: Request) -> Response:
        """GET /review: what is asked, how far it has come."""
        desk = self._desk
        answers = desk.answers
        return page(
            request,
            "review_home.html",
            desk=desk,
            answers=answers,
            done=sum(u.unit_id in answers for u in desk.units),
            onward=desk.next_open(answers),
            problems=tuple(Problem),
        )

    def show(self, request: Request) -> Response:
        """GET /review/<number>: one unit, with the reviewer's own last answer if there is one."""
        unit = self._unit(request)
        given = self._desk.answers.get(unit.unit_id, ())
        return self._serve(request, unit, _fields(given[-1]) if given else {}, len(given))

    async def send(self, request: Request) -> Response:
        """POST /review/<number>: keep the answer, go on to the next open unit."""
        return await run_in_threadpool(self._take, request, await form_of(request))

    def _take(self, request: Request, sent: Fields) -> Response:
        unit, desk = self._unit(request), self._desk
        answer = _answer(desk, unit, sent)
        given = len(desk.answers.get(unit.unit_id, ()))
        if answer is None:
            return self._serve(request, unit, sent, given, 400, "review.incomplete")
        if not desk.take(sent.get("served", ""), unit, answer):
            return self._serve(request, unit, sent, given, 409, "review.served_anew")
        onward = desk.next_open(desk.answers, request.path_params["no"])
        return RedirectResponse(HOME if onward is None else f"{HOME}/{onward}", 303)

    def _unit(self, request: Request) -> Unit:
        no = int(request.path_params["no"])
        if not 1 <= no <= len(self._desk.units):
            raise HTTPException(404)
        return self._desk.units[no - 1]

    def _serve(
        self,
        request: Request,
        unit: Unit,
        sent: Fields,
        given: int,
        status: int = 200,
        said: str = "",
    ) -> Response:
        desk, ticket, answers = self._desk, self._desk.ticket(), self._desk.answers
        made = page(
            request,
            "review_item.html" if unit.item else "review_card.html",
            status,
            desk=desk,
            unit=unit,
            no=request.path_params["no"],
            done=sum(u.unit_id in answers for u in desk.units),
            given=given,
            sent=sent,
            said=said,
            served=ticket,
            note_chars=NOTE_CHARS,
            styles=styles(),
            **_choices(desk, unit),
        )
        # Under no-referrer browsers send forms with "Origin: null", which the guard refuses.
        made.headers["referrer-policy"] = "same-origin"
        made.headers["content-security-policy"] = policy(_by_hash(styles()))
        desk.serve(ticket, unit, bytes(made.body))
        return made


@cache
def styles() -> Markup:
    """The style sheets of a page that is kept, to stand in the page itself."""
    return Markup("\n").join(
        Markup(sheet(f"{n}.css").decode()) for n in ("report", "view", "review")
    )


def _by_hash(styles: str) -> str:
    """A source of styles by what they say, as a policy names it (CSP)."""
    return f"'sha256-{b64encode(sha256(styles.encode()).digest()).decode()}'"


def _choices(desk: Desk, unit: Unit) -> dict[str, object]:
    """What the page shows beside the unit itself."""
    if unit.item is None:
        return {"problems": tuple(Problem), "founds": tuple(Found)}
    view = document_view(desk.folder.blobs.get(unit.item.text_sha256), None, ())
    named = [p for p in view.paragraphs if p.no in unit.item.paragraph_ids]
    return {"directions": tuple(ItemDirection), "view": view, "named": named}


def _answer(desk: Desk, unit: Unit, sent: Fields) -> ReviewAnswer | None:
    """What the form says, or none where something lacks or is no answer."""
    shared = {
        "kind": desk.kind,
        "reviewer": desk.key.reviewer,
        "unit_id": unit.unit_id,
        "number": 1,
        "page_sha256": "",
        "first": unit.first,
    }
    try:
        if unit.item is not None:
            direction = ItemDirection(sent.get("direction", ""))
            return ReviewAnswer(**shared, direction=direction, note=_note(sent, "note"))
        return ReviewAnswer(**shared, problems=tuple(_problem(sent, p) for p in Problem))
    except ValueError:
        return None


def _problem(sent: Fields, problem: Problem) -> ProblemAnswer:
    return ProblemAnswer(
        problem=problem,
        found=Found(sent.get(problem.value, "")),
        note=_note(sent, f"note-{problem.value}"),
    )


def _note(sent: Fields, name: str) -> str:
    return sent.get(name, "").replace("\r\n", "\n").strip()


def _fields(answer: ReviewAnswer) -> Fields:
    """An answer as the fields of its form."""
    if answer.direction is not None:
        return {"direction": answer.direction.value, "note": answer.note}
    said = {p.problem.value: p.found.value for p in answer.problems}
    return said | {f"note-{p.problem.value}": p.note for p in answer.problems}
