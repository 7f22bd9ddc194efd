"""The first screen's sentence, the stamps, and what was made with what."""

from dataclasses import dataclass

import pandas as pd

from draligned.report import numbers
from draligned.report.data import EvaluatorFacts, ModelFacts, ReportData
from draligned.report.matched import matched
from draligned.report.rows import levels, only, rows, whole
from draligned.report.texts import Texts
from draligned.schema.labels import RunSet


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """A mark: in full on the first screen, as a tag beside the heading of every section."""

    kind: str
    short: str
    tag: str
    text: str


def stamps_of(data: ReportData, texts: Texts) -> tuple[Stamp, ...]:
    """What limits the whole page: rehearsal, pilot, partial, an unfrozen design, and
    development-only harnesses that were taken in."""
    apart = sorted({b.harness for b in data.blocks if b.development})
    holds = {
        "rehearsal": data.rehearsal,
        "pilot": data.pilot is not None,
        "partial": data.partial,
        "draft": not data.locks,
        "development": bool(apart),
    }
    open_cells = {
        "runs": numbers.share(
            sum(b.open for b in data.blocks), sum(b.planned for b in data.blocks)
        ),
        "reads": numbers.share(sum(r.open for r in data.reads), sum(r.planned for r in data.reads)),
    }
    return tuple(
        Stamp(
            kind=kind,
            short=texts(f"stamp.{kind}"),
            tag=texts(f"stamp.{kind}_tag", n=data.pilot),
            text=texts(
                f"stamp.{kind}_text",
                names=texts("overview.join").join(apart),
                n=data.pilot,
                **open_cells,
            ),
        )
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
    said = texts(
        "overview.sentence",
        pairs=numbers.count(len(mine)),
        tasks=len(levels(mine, "task_id")),
        users=len(levels(mine, "user_id")),
        lang=texts.word("lang", data.design.lang),
        models=join.join(levels(mine, "model")),
        harnesses=join.join(levels(mine, "harness")),
        environments=join.join(levels(mine, "environment")),
        evaluator=evaluator.name if evaluator else texts("overview.no_evaluator"),
    )
    return said + _by_harness(mine, texts)


def _by_harness(pairs: pd.DataFrame, texts: Texts) -> str:
    """Pairs of each harness where there are several: none is pooled with another."""
    names = levels(pairs, "harness")
    if len(names) < 2:
        return ""
    counts = [f"{name} {numbers.count(len(only(pairs, harness=name)))}" for name in names]
    return texts("overview.by_harness", counts=texts("overview.join").join(counts))


def reader(data: ReportData, texts: Texts) -> str:
    """Whose reads the estimates come from, and that evaluators are not pooled."""
    if not data.evaluators:
        return ""
    first, *others = data.evaluators
    if first.key == data.primary_evaluator:
        said = texts("overview.primary", name=first.name)
    else:
        absent = data.primary_evaluator or texts("overview.no_evaluator")
        said = texts("overview.auxiliary", name=first.name, primary=absent)
    said += texts("overview.not_pooled") if others else ""
    return said if first.mirrored else said + texts("overview.single")


def registered(data: ReportData, texts: Texts) -> str:
    """Which estimands were named before any run."""
    if not data.locks:
        return texts("overview.not_locked")
    names = [
        texts("overview.estimand", name=e.name, population=texts.word("population", e.population))
        for e in data.design.estimands
    ]
    listed = texts("overview.join").join(names) or texts("overview.none_named")
    return texts("overview.registered", names=listed)


def left_out(data: ReportData, texts: Texts) -> str:
    """How many runs of development-only harnesses are not analysed, in one line (DR-20)."""
    if not data.left_out:
        return ""
    names = sorted({b.harness for b in data.left_out})
    runs = numbers.count(sum(b.planned for b in data.left_out))
    return texts("overview.left_out", runs=runs, names=texts("overview.join").join(names))


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A term and its value; `detail` is an expression for those who redo it."""

    term: str
    text: str
    detail: str = ""


def first_facts(data: ReportData, texts: Texts) -> tuple[Fact, ...]:
    """Who, when and for how much, for the first screen; the rest stands under provenance."""
    found = [
        (
            "models",
            texts("overview.join").join(_asked(m) for m in data.models if m.role == "agent"),
        ),
        ("evaluators", texts("overview.join").join(_evaluator(e, data) for e in data.evaluators)),
        ("dates", _days(data, texts)),
        ("runs", _runs(data, texts)),
        ("spend", _spent(data, texts)),
    ]
    return tuple(
        Fact(term=texts(f"first.{key}"), text=text or texts("overview.no_evaluator"))
        for key, text in found
    )


def _asked(model: ModelFacts) -> str:
    """A model by its name in the study and, where it differs, the name that was asked for."""
    return model.name if model.name == model.requested else f"{model.name} ({model.requested})"


def _evaluator(evaluator: EvaluatorFacts, data: ReportData) -> str:
    star = "*" if evaluator.key == data.primary_evaluator else ""
    return f"{evaluator.name}{star} ({evaluator.requested_model})"


def _days(data: ReportData, texts: Texts) -> str:
    if data.first_utc is None or data.last_utc is None:
        return texts("provenance.no_runs")
    first, last = data.first_utc[:10], data.last_utc[:10]
    return first if first == last else f"{first} … {last}"


def _runs(data: ReportData, texts: Texts) -> str:
    """Runs of pairs alone: controls are counted further down."""
    own = [b for b in data.blocks if b.run_set == RunSet.PANEL]
    counted = {name: sum(getattr(b, name) for b in own) for name in ("done", "failed", "censored")}
    done = numbers.share(counted.pop("done"), sum(b.planned for b in own))
    return texts("first.runs_text", done=done, open=sum(b.open for b in own), **counted)


def _spent(data: ReportData, texts: Texts) -> str:
    if not data.spend:
        return texts("spend.none")
    known = [row.cost for row in data.spend]
    cost = None if None in known else sum(c for c in known if c is not None)
    return texts(
        "first.spend_text",
        tries=numbers.count(sum(row.tries for row in data.spend)),
        tokens=numbers.count(sum(row.input_tokens + row.output_tokens for row in data.spend)),
        cost=numbers.cost(cost, texts),
    )


def facts(data: ReportData, texts: Texts) -> tuple[Fact, ...]:
    """Design, seeds, versions and resampling, as stated in locks and tables."""
    out = [
        ("design_sha", data.design.sha256()),
        ("source", data.design.source),
        ("seed", str(data.design.seed)),
        ("dates", _dates(data, texts)),
        ("versions", ", ".join(f"{k} {v}" for k, v in sorted(data.versions.items()))),
    ]
    made = [Fact(term=texts(f"provenance.{key}"), text=text) for key, text in out]
    asked = Fact(term=texts("provenance.matched"), text=matched(data, texts))
    return (*made, *_resampling(data, texts), asked)


def _dates(data: ReportData, texts: Texts) -> str:
    if data.first_utc is None or data.last_utc is None:
        return texts("provenance.no_runs")
    return f"{data.first_utc} … {data.last_utc}"


def _resampling(data: ReportData, texts: Texts) -> list[Fact]:
    """How tasks were drawn: in words, and as the expression that draws them again (DR-87)."""
    found = rows(data.table("estimates").head(1))
    if not found:
        return []
    row = found[0]
    seed, draws, tasks = (whole(row, f"boot_{k}") for k in ("seed", "draws", "tasks"))
    text = texts("provenance.resampling_text", draws=numbers.count(draws), tasks=tasks, seed=seed)
    terms = f"seed = {seed}; draws = {draws}; tasks = {tasks}; {row['boot_order']}"
    detail = f"{row['boot_generator']}; {terms}"
    return [Fact(term=texts("provenance.resampling"), text=text, detail=detail)]
