"""What an agent does with files beside its report: listing, notes, reading back, slips.

None of it touches the planned leanings: notes are another file, and slips are refused.
"""

from collections.abc import Sequence
from dataclasses import replace

from draligned.rehearsal.draws import Draws
from draligned.rehearsal.profiles import AgentProfile
from draligned.rehearsal.steps import Step

REPORT = "report.md"
NOTES = "notes.md"
_STRAYS = {
    "parent_path": "write_file",
    "absolute_path": "write_file",
    "not_found": "read_file",
    "old_text_missing": "edit_file",
}
"""Planted slips by name, and the tool that each needs."""


def keep_house(
    profile: AgentProfile,
    draws: Draws,
    research: Sequence[Step],
    drafts: Sequence[Step],
    files: frozenset[str],
) -> tuple[list[Step], list[Step]]:
    """Research and drafts with what an agent does to its files around them."""
    before, after = [*research], [*drafts]
    noted = "write_file" in files and draws.chance(profile.notes, "notes")
    if noted:
        before = _with_notes(draws, before)
    if "list_files" in files and draws.chance(profile.looks, "list"):
        before.insert(0, Step(kind="list"))
    saved = REPORT if drafts else NOTES if noted else ""
    if saved and "read_file" in files and draws.chance(profile.looks, "read_back"):
        after.append(Step(kind="read_back", path=saved))
    after += _stray(profile, draws, files)
    return before, after


def _with_notes(draws: Draws, research: list[Step]) -> list[Step]:
    """Notes in the turn of a later request, else in a turn of their own at the end."""
    later = [i for i, step in enumerate(research) if i and step.kind == "requests"]
    if not later or draws.chance(0.5, "notes_alone"):
        return [*research, Step(kind="notes")]
    at = draws.pick(later, "notes_at")
    return [*research[:at], replace(research[at], notes=True), *research[at + 1 :]]


def _stray(profile: AgentProfile, draws: Draws, files: frozenset[str]) -> list[Step]:
    can = [name for name, tool in _STRAYS.items() if tool in files]
    if not can or not draws.chance(profile.strays, "stray"):
        return []
    return [Step(kind="stray", path=draws.pick(can, "which_stray"))]
