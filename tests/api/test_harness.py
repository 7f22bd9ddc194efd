"""Harnesses outside of a study, as commands and notebooks use them."""

import logging
from pathlib import Path

import pytest

from draligned.api import harness
from draligned.harnesses.conformance.finding import Finding
from draligned.schema.errors import ConfigError


def test_rows_of_the_built_in_harnesses() -> None:
    rows = {row.name: row for row in harness.rows()}
    assert tuple(rows) == harness.names()
    assert rows["handoff-aw"][1:3] == ("handoff", "coupled")
    assert rows["H-D"].topology == "delegated"
    assert [name for name, row in rows.items() if row.development_only == "yes"] == [
        "handoff-aw", "handoff-wf", "handoff-both",
    ]  # fmt: skip
    assert rows["coupled"].submits != rows["H-W"].submits


def test_a_description_tells_contexts_and_graph() -> None:
    lines = harness.describe("handoff-both")
    contexts = [line.split()[1] for line in lines if line.startswith("context")]
    assert contexts == ["acquisition", "workspace", "finalization"]
    assert lines[-1].startswith("flowchart TD\n")


def test_findings_are_told_as_they_are_made() -> None:
    told: list[Finding] = []
    made = harness.check("coupled", told.append)
    assert tuple(told) == made
    assert {f.status for f in made} == {"passed"}
    assert not logging.getLogger("draligned.harnesses").disabled


def test_faults_of_a_file_are_findings(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(harness.template().replace('name = "my-harness"', "nam = 3"))
    made = harness.check(str(path), lambda finding: None)
    assert {(f.rule, f.status) for f in made} == {("file", "failed")}
    assert [f.detail for f in made] == [
        "`name` is missing",
        "unknown key `nam`; did you mean `name`?",
    ]


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no harness"):
        harness.check("nope", lambda finding: None)
    with pytest.raises(ConfigError, match="cannot be read"):
        harness.describe("nope.toml")
