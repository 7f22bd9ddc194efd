"""A paragraph on methods, made from the study: nothing in it was not recorded."""

from collections import Counter
from collections.abc import Iterable, Iterator

from draligned.report import numbers
from draligned.report.data import ReportData
from draligned.report.rows import Row, levels, only, rows, whole
from draligned.report.texts import Texts
from draligned.schema.labels import RunSet


def methods_of(data: ReportData, evaluator: str, texts: Texts) -> str:
    """Construction, runs, reading, numbers, controls; a part that the study lacks is left out."""
    parts = [
        _design(data, texts),
        _lock(data, texts),
        _runs(data, texts),
        _reading(data, texts),
        _numbers(data, evaluator, texts),
        _beside(data, texts),
        texts("methods.rehearsal") if data.rehearsal else "",
        _made_with(data, texts),
    ]
    return _joined(parts, texts)


def _joined(parts: Iterable[str], texts: Texts) -> str:
    return ("" if texts.lang == "zh" else " ").join(part for part in parts if part)


def _design(data: ReportData, texts: Texts) -> str:
    sources = Counter(card.source for card in data.design.cards)
    join = texts("overview.join")
    said = join.join(f"{texts.word('card_source', k)} {n}" for k, n in sorted(sources.items()))
    return texts(
        "methods.design",
        tasks=len(data.design.tasks),
        source=data.design.source.split(";")[0],
        cards=len(data.design.cards),
        users=len({card.user_id for card in data.design.cards}),
        sources=said,
        lang=texts.word("lang", data.design.lang),
    )


def _lock(data: ReportData, texts: Texts) -> str:
    if not data.locks:
        return texts("methods.not_locked")
    first = data.locks[0]
    amended = len(data.locks) - 1
    said = texts("methods.locked", date=first.locked_utc[:10], sha=first.design_sha256[:12])
    return said + (texts("methods.amended", n=amended) if amended else "")


def _runs(data: ReportData, texts: Texts) -> str:
    own = [b for b in data.blocks if b.run_set == RunSet.PANEL]
    if not own:
        return ""
    join = texts("overview.join")
    return texts(
        "methods.runs",
        models=join.join(sorted({b.model for b in own})),
        harnesses=join.join(sorted({b.harness for b in own})),
        environments=join.join(sorted({b.environment for b in own})),
        planned=numbers.count(sum(b.planned for b in own)),
        done=numbers.count(sum(b.done for b in own)),
        failed=numbers.count(sum(b.failed for b in own)),
        censored=numbers.count(sum(b.censored for b in own)),
        open=numbers.count(sum(b.open for b in own)),
    )


def _reading(data: ReportData, texts: Texts) -> str:
    if not data.evaluators:
        return texts("methods.not_read")
    planned, made, void = (
        numbers.count(sum(getattr(r, name) for r in data.reads))
        for name in ("planned", "read", "void")
    )
    counted = texts("methods.reading_counts", planned=planned, made=made, void=void)
    return _joined((*_orientations(data, texts), counted), texts)


def _orientations(data: ReportData, texts: Texts) -> Iterator[str]:
    """Who read twice with endpoints swapped, and who in one orientation alone."""
    for mirrored, key in ((True, "mirrored"), (False, "single")):
        names = [e.name for e in data.evaluators if e.mirrored is mirrored]
        if names:
            yield texts(f"methods.reading_{key}", names=texts("overview.join").join(names))


def _numbers(data: ReportData, evaluator: str, texts: Texts) -> str:
    found = rows(only(data.table("estimates"), evaluator=evaluator))
    if not found:
        return ""
    row = found[0]
    return texts(
        "methods.numbers",
        draws=numbers.count(whole(row, "boot_draws")),
        seed=whole(row, "boot_seed"),
        unresolved=_choice(row, "unresolved_items", texts),
        pairing=_choice(row, "pairing", texts),
    )


def _choice(row: Row, name: str, texts: Texts) -> str:
    setting = texts.word("setting", name)
    return texts("methods.choice", setting=setting, choice=texts.word("choice", str(row[name])))


def _beside(data: ReportData, texts: Texts) -> str:
    """Sets of runs and reads beside the panel that were really made."""
    made = [
        texts.word("run_set", name)
        for name in ("aa", "neutral", "two_factor")
        if any(b.run_set == name and b.done for b in data.blocks)
    ]
    tables = {"placebo_estimates": "placebo", "masked_labels": "masked", "sentinels": "sentinels"}
    made += [
        texts(f"methods.{word}")
        for name, word in tables.items()
        if levels(data.table(name), "evaluator")
    ]
    if not made:
        return texts("methods.none_beside")
    return texts("methods.beside", names=texts("overview.join").join(made))


def _made_with(data: ReportData, texts: Texts) -> str:
    version = data.versions.get("draligned")
    return texts("methods.version", version=version) if version else ""
