"""The fixed texts of a harness as a part of its identity: other texts make another harness."""

from draligned.bench_data.duty import duty_sha
from draligned.gates.registry import get_gate
from draligned.harnesses.texts import FRAMES, RECEIPTS
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.base import short_id
from draligned.schema.harness import HarnessSpec


def with_texts(spec: HarnessSpec) -> HarnessSpec:
    """`spec` with the hash of all fixed texts that its agents may be shown, in both languages."""
    tools = {
        name: {lang: list(said) for lang, said in sorted(TOOLS[name].text.items())}
        for name in (*spec.tool_order, *spec.delegated)
        if name in TOOLS
    }
    frames = {lang: [getattr(FRAMES[lang], name) for name in _frames(spec)] for lang in FRAMES}
    receipts = {lang: list(said) for lang, said in RECEIPTS.items()}
    asked = [duty_sha()] if spec.progress_duty else []
    return spec.model_copy(update={"texts": short_id(tools, frames, receipts, *asked)})


def _frames(spec: HarnessSpec) -> list[str]:
    """Names of the frames that this harness comes to use."""
    return [
        *(("delegation", "sub_task") if spec.delegated else ()),
        *(("handed",) if "handoff" in (spec.handoff_aw, spec.handoff_wf) else ()),
        *(("stage_notes",) if spec.handoff_aw == "handoff" else ()),
        *(("stage_draft",) if spec.handoff_wf == "handoff" else ()),
        *(("go_on",) if get_gate(spec.gate).injects_user_turns else ()),
    ]
