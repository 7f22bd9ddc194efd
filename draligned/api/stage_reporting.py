"""progress report: the page over every design begun in a study."""

from pathlib import Path

from draligned import __version__
from draligned.api.progress import StageStudies
from draligned.api.regating import regated
from draligned.api.rollouts import Rollouts
from draligned.api.stage_examples import examples
from draligned.api.tau2 import load_score, scores
from draligned.progress.corruption import LeakyMetric
from draligned.progress.lanes import ROOT
from draligned.report.stage_data import (
    DesignPart,
    LaneLine,
    RolloutLine,
    RolloutPart,
    StageData,
    Tau2Part,
)
from draligned.report.stage_page import render_stage_report
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError, InputError
from draligned.store.protocol import Store

PAGE = f"{ROOT}/report/index.html"


def write_stage_report(known: StageStudies, rollouts: Rollouts, *, lang: str | None = None) -> Path:
    """Make the tables of every design and rollout begun, and write the page from them.

    A design without numbers (no lane counts, or the corruption gate found a leak) has its section
    with the reason. Raises `InputError` where no design was begun, `ConfigError` for `lang`.
    """
    data = stage_data(known, rollouts, _language(known, lang))
    if not (data.designs or data.rollout or data.tau2 or data.regate is not None):
        raise InputError(
            "no design was begun here, and no rollout; `draligned progress run stage` or "
            "`draligned progress rollout` begins one"
        )
    folder = known.context.folder
    folder.store.replace(PAGE, render_stage_report(data).encode("utf-8"))
    return folder.root / PAGE


def stage_data(known: StageStudies, rollouts: Rollouts, lang: Lang) -> StageData:
    """All that the page shows, with tables made anew."""
    config = known.context.config
    return StageData(
        name=config.name, lang=lang, version=__version__, seed=config.measure.seed,
        draws=config.measure.draws, designs=tuple(_part(known, name) for name in known.names()),
        rollout=_rollout(rollouts), tau2=_tau2(known.context.folder.store),
        regate=regated(known.context.folder.store),
    )  # fmt: skip


def _part(known: StageStudies, name: str) -> DesignPart:
    found, silence = known.read(name), ""
    lanes = tuple(
        LaneLine(**{field: getattr(s, field) for field in LaneLine.__dataclass_fields__})
        for s in found.lanes
    )
    made: tuple[str, ...] = ()
    try:
        made = tuple(known.measured(name, found))
    except InputError:
        silence = "no_lane"
    except LeakyMetric as error:
        silence = str(error)
    tables = {table: known.table(name, table) for table in made}
    return DesignPart(
        design=found.design, lanes=lanes, tables=tables,
        examples=examples(found.design, found.counted) if made else (), silence=silence,
    )  # fmt: skip


def _rollout(known: Rollouts) -> RolloutPart | None:
    lines = tuple(
        RolloutLine(**{field: getattr(s, field) for field in RolloutLine.__dataclass_fields__})
        for s in known.status()
    )
    if not lines:
        return None
    counts = any(line.counts for line in lines)
    names = known.measure() if counts else ()
    return RolloutPart(lines=lines, tables={name: known.table(name) for name in names})


def _tau2(store: Store) -> tuple[Tau2Part, ...]:
    found = [load_score(store, name) for name in scores(store)]
    return tuple(
        Tau2Part(
            name=score.record.name, files=len(score.record.files), version=score.record.tau2,
            rehearsal=score.record.rehearsal, tables=score.tables,
        )
        for score in found
    )  # fmt: skip


def _language(known: StageStudies, lang: str | None) -> Lang:
    chosen = known.context.config.construction.lang if lang is None else lang
    if chosen not in ("zh", "en"):
        raise ConfigError(f"lang is {chosen!r}; a report is written in zh or en")
    return "zh" if chosen == "zh" else "en"
