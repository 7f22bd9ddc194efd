"""A study's transitions between loci, for notebooks."""

from pathlib import Path

import pytest

import draligned
from draligned.schema.errors import DesignError


def test_bands_are_of_all_planned_runs_by_harness_in_either_language(tmp_path: Path) -> None:
    study = draligned.open(tmp_path / "study")
    study.construct(tasks=1, lang="en")
    study.run(study.plan_runs(models=["rehearsal-a"], harnesses=["coupled", "H-W"]))
    with pytest.raises(DesignError, match="draligned evaluate"):
        study.transitions()
    study.evaluate()
    study.measure()
    found = study.transitions()
    frame = found.frame()
    assert list(found.by_harness) == ["H-W", "coupled"]
    assert set(frame.groupby(["harness", "start"])["n"].sum()) == {2}
    assert set(frame["start"]) == {"Requests (OR)", "First draft", "Last draft"}
    assert found._repr_html_().count("<svg") == 2
    assert "终稿" in study.transitions(lang="zh")._repr_html_()
