"""A harness with the progress duty: the same harness, asked for a stage tag in every turn.

It is a harness of its own, by name and by key: its runs stand beside those of the plain one and
are never pooled or paired with them. Sub-contexts are not asked: they do not see how far the
task has come.
"""

from draligned.harnesses.fixed import with_texts
from draligned.schema.harness import HarnessSpec

ENDING = "+duty"
"""Of the name of such a harness, wherever a harness is named."""


def with_duty(spec: HarnessSpec) -> HarnessSpec:
    """`spec` with the duty; itself where it has it already."""
    if spec.progress_duty:
        return spec
    changed = {"name": f"{spec.name}{ENDING}", "instrumentation": "events-1+duty"}
    return with_texts(spec.model_copy(update=changed))


def split_duty(name: str) -> tuple[str, bool]:
    """The name or path of the plain harness, and whether the duty is asked for."""
    plain = name.removesuffix(ENDING)
    return plain, plain != name
