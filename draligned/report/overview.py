"""The first screen's sentence, the stamps, and what was made with what."""

from collections import Counter
from dataclasses import dataclass

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.rows import levels, rows, whole
from draligned.report.texts import Texts
from draligned.schema.events import RequestExecuted
from draligned.schema.observed import ObservedRun


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """A mark on the first screen and on every section."""

    kind: str
    short: str
    text: str


def stamps_of(data: ReportData, texts: Texts) -> tuple[Stamp, ...]:
    """What limits the whole page: rehearsal, partial, pilot, an unfrozen design."""
    holds = {
        "rehearsal": data.rehearsal,
        "partial": data.partial,
        "pilot": data.pilot,
        "draft": not data.locks,
    }
    return tuple(
        Stamp(kind=kind, short=texts(f"stamp.{kind}"), text=texts(f"stamp.{kind}_text"))
        for kind, is_so in holds.items()
        if is_so
    )


def sentence(data: ReportData, texts: Texts) -> str:
    """Estimand, population and scope in one generated sentence."""
    pairs = data.table("pairs")
    if pairs.empty:
        return texts("overview.nothing", name=data.name)
    evaluator = data.evaluators[0] if data.evaluators else None
    mine = pairs if evaluator is None else pairs[pairs["evaluator"] == evaluator.key]
    join = texts("overview.join")
    return texts(
        "overview.sentence",
        pairs=numbers.count(len(mine)),
        tasks=len(levels(mine, "task_id")),
        users=len(levels(mine, "user_id")),
        lang=texts.word("lang", data.lang),
        models=join.join(levels(mine, "model")),
        harnesses=join.join(levels(mine, "harness")),
        environments=join.join(levels(mine, "environment")),
        evaluator=evaluator.name if evaluator else texts("overview.no_evaluator"),
    )


def registered(data: ReportData, texts: Texts) -> str:
    """Which estimands were named before any run."""
    if not data.locks:
        return texts("overview.not_locked")
    names = [f"{e.name} ({texts.word('population', e.population)})" for e in data.design.estimands]
    listed = texts("overview.join").join(names) or texts("overview.none_named")
    return texts("overview.registered", names=listed)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A term and its value."""

    term: str
    text: str


def facts(data: ReportData, texts: Texts) -> tuple[Fact, ...]:
    """Design, seeds, versions and resampling, as stated in locks and tables."""
    out = [
        ("design_sha", data.design.sha256()),
        ("source", data.design.source),
        ("seed", str(data.design.seed)),
        ("dates", _dates(data, texts)),
        ("versions", ", ".join(f"{k} {v}" for k, v in sorted(data.versions.items()))),
        *_resampling(data),
        ("matched", _matched(data, texts)),
    ]
    return tuple(Fact(term=texts(f"provenance.{key}"), text=text) for key, text in out)


def _dates(data: ReportData, texts: Texts) -> str:
    if data.first_utc is None or data.last_utc is None:
        return texts("provenance.no_runs")
    return f"{data.first_utc} … {data.last_utc}"


def _resampling(data: ReportData) -> list[tuple[str, str]]:
    found = rows(data.table("estimates").head(1))
    if not found:
        return []
    row = found[0]
    generator = f"{row['boot_generator']}; seed {whole(row, 'boot_seed')}"
    shape = f"{whole(row, 'boot_draws'):,} × {whole(row, 'boot_tasks')}; {row['boot_order']}"
    return [("generator", generator), ("shape", shape)]


def _matched(data: ReportData, texts: Texts) -> str:
    """Requests answered from the recorded environment, and asked alike in both arms."""
    hits: Counter[bool | None] = Counter()
    for run in data.observed:
        bodies = (event.body for event in data.events_of(run))
        hits.update(b.environment_hit for b in bodies if isinstance(b, RequestExecuted))
    known = hits[True] + hits[False]
    same, total = _alike(data)
    return texts(
        "provenance.matched_text",
        hits=numbers.share(hits[True], known),
        unknown=numbers.count(hits[None]),
        same=numbers.share(same, total),
    )


def _alike(data: ReportData) -> tuple[int, int]:
    runs = {run.run_id: run for run in data.observed}
    seen: set[tuple[str, str]] = set()
    same = total = 0
    for row in rows(data.table("pairs")):
        key = (str(row["run_id_p"]), str(row["run_id_q"]))
        if key in seen or key[0] not in runs or key[1] not in runs:
            continue
        seen.add(key)
        p, q = _asked(runs[key[0]]), _asked(runs[key[1]])
        same += 2 * (p & q).total()
        total += p.total() + q.total()
    return same, total


def _asked(run: ObservedRun) -> Counter[tuple[str, str]]:
    return Counter((r.tool, r.request) for r in run.requests)
