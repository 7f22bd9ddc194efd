"""The first page: what the study is, and how far it has come."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from draligned.models.factory import is_rehearsal
from draligned.schema.errors import UserError
from draligned.schema.labels import RunSet
from draligned.study.config import read_config
from draligned.study.folder import StudyFolder
from draligned.study.plan import Plan
from draligned.view import reads
from draligned.view.index import PROGRESS, RunRow
from draligned.view.site import page, site_of


@dataclass(frozen=True, kw_only=True)
class Block:
    """Runs of one model, harness, environment and set, counted by what became of them."""

    model: str
    harness: str
    environment: str
    run_set: str
    planned: int
    counts: Mapping[str, int]

    @property
    def query(self) -> dict[str, str]:
        """The filters that show its runs."""
        return {
            "model": self.model,
            "harness": self.harness,
            "environment": self.environment,
            "set": self.run_set,
        }


def show(request: Request) -> Response:
    """GET /."""
    site = site_of(request)
    now, seen = site.index.now(), site.reads.now()
    total = Counter(r.state for r in now.rows)
    return page(
        request,
        "overview.html",
        design=now.design,
        frozen=now.frozen,
        blocks=blocks_of(now.rows),
        progress=[s for s in PROGRESS if s != "damaged" or total[s]],
        total=total,
        planned=len(now.rows),
        outcomes=Counter(r.outcome for r in now.rows if r.outcome).most_common(),
        tallies=reads.tallies(seen.rows, reads.evaluator_names(now.plan)),
        qualities=reads.QUALITIES,
        unseen=seen.unseen,
        rehearsal=rehearses(site.folder, now.plan),
    )


def blocks_of(rows: Iterable[RunRow]) -> tuple[Block, ...]:
    """Counts in the order of the plan, the panel before what stands beside it."""
    groups: dict[tuple[str, str, str, str], list[RunRow]] = {}
    for row in rows:
        cell = row.cell
        key = (cell.model_name, cell.harness_name, cell.environment, cell.run_set.value)
        groups.setdefault(key, []).append(row)
    place = [s.value for s in RunSet]
    return tuple(
        Block(
            model=key[0],
            harness=key[1],
            environment=key[2],
            run_set=key[3],
            planned=len(groups[key]),
            counts=Counter(r.state for r in groups[key]),
        )
        for key in sorted(groups, key=lambda k: (place.index(k[3]), *k[:3]))
    )


def rehearses(folder: StudyFolder, plan: Plan) -> bool:
    """Whether a rehearsal model was asked for, as agent or as evaluator."""
    models = [b.model for b in plan.blocks] + [e.model for e in plan.evaluators]
    try:
        config = read_config(folder.store)
    except UserError:
        return any(m.model.startswith("rehearsal-") for m in models)
    return any(is_rehearsal(config, m) for m in models)
