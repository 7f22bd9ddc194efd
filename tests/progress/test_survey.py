"""The framework survey: the paper's counts, and what a missing field does."""

import csv
from collections import Counter

import pytest

from draligned.progress.survey import Framework, forms, load_survey, owners, read_survey
from draligned.schema.errors import DamageError

FAMILY_AND_OWNER = """\
OpenAI Agents SDK,B2,,model_emitted
Claude Agent SDK,B2,A2,model_emitted
smolagents,B3,,model_emitted
Google ADK,B3,A2,model_emitted
CAMEL,B1,,model_emitted
AutoGen,B1,,model_emitted
LlamaIndex Workflows,A1,,runtime_owned
MetaGPT,B,A2,model_emitted
LangGraph,B2,A1,model_emitted
Semantic Kernel,A2,,runtime_owned
Dify,A1+A2,,runtime_owned
CrewAI,,A2,evidence_incomplete
LangChain create_agent,B2,,model_emitted
AutoGPT classic,B3,,model_emitted
Vercel AI SDK,B2,A2,model_emitted
Mastra,B,A2,model_emitted
Agno,B2,,model_emitted
"""
"""The paper's Appendix F, read a second time and apart from the data."""


def test_every_record_is_as_the_paper_has_it() -> None:
    found = [
        [r.name, "+".join(r.reads), "+".join(r.also), r.owner] for r in load_survey().framework
    ]
    assert found == list(csv.reader(FAMILY_AND_OWNER.splitlines()))


def test_counts_of_canonical_usage() -> None:
    """SI-101: 13, 3 and 1 of 17."""
    assert owners(load_survey().framework) == {
        "model_emitted": 13, "runtime_owned": 3, "evidence_incomplete": 1,
    }  # fmt: skip


def test_twelve_records_and_five_later_ones() -> None:
    """SI-105: twelve stood before the later five, all of which read a model's signal."""
    later = [r for r in load_survey().framework if r.later]
    assert len(later) == 5
    assert {str(r.accessed) for r in later} == {"2026-09-02"}
    assert owners(later)["model_emitted"] == 5


def test_forms_overlap() -> None:
    by_form = forms(load_survey().framework)
    assert {k: len(v) for k, v in by_form.items()} == {
        "A1": 3, "A2": 8, "B1": 2, "B2": 6, "B3": 3, "B": 2, "C": 7,
    }  # fmt: skip
    assert by_form["B1"] == ("AutoGen", "CAMEL")
    assert by_form["B"] == ("Mastra", "MetaGPT")
    assert {"Google ADK", "LangGraph"} < set(by_form["C"])
    assert sum(map(len, by_form.values())) > len(load_survey().framework)


@pytest.mark.parametrize(
    "gone", [{"reads": ()}, {"source": ""}, {"evidence": ""}, {"accessed": None}], ids=str
)
def test_a_missing_field_forces_incomplete(gone: dict[str, object]) -> None:
    """SI-100: nothing is filled in by inference."""
    whole = load_survey().framework[0]
    assert whole.owner == "model_emitted"
    assert whole.model_copy(update=gone).owner == "evidence_incomplete"


def test_crewai_lacks_what_ends_a_normal_run() -> None:
    crew = next(r for r in load_survey().framework if r.name == "CrewAI")
    assert crew.missing == ("reads",)


def test_the_audit_is_apart() -> None:
    """SI-102: five runtimes with commit and places; none is one of the seventeen."""
    found = load_survey()
    assert Counter(r.family.split()[0] for r in found.runtime) == {"B2": 2, "C": 3}
    assert not {r.name for r in found.runtime} & {r.name for r in found.framework}
    assert all(":" in place for r in found.runtime for place in r.places)
    assert not any(isinstance(r, Framework) for r in found.runtime)


HEAD = 'question = "q"\nselection = "s"\nboundary = "b"\n'
RECORD = '[[framework]]\nname = "one"\nreads = ["B2"]\n'


@pytest.mark.parametrize(
    "text",
    [
        "question = ",
        HEAD + RECORD + "runtime = 1",
        HEAD + RECORD * 2 + "[[runtime]]",
        HEAD + RECORD.replace("B2", "D9") + "runtime = []",
        HEAD + RECORD + 'ranking = 1\n',
    ],
)  # fmt: skip
def test_what_is_no_survey_is_damage(text: str) -> None:
    with pytest.raises(DamageError, match=r"survey\.toml"):
        read_survey(text)
