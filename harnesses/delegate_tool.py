"""The tool that opens a sub-context; the loop runs it and closes it (DR-25)."""

from draligned.harnesses import texts
from draligned.harnesses.tools import Args, Bench, CallSite, Done, Tool
from draligned.schema.chat import Message
from draligned.schema.events import DelegationOpened
from draligned.schema.labels import Channel


async def _delegate(bench: Bench, site: CallSite, args: Args) -> Done:
    """Open the sub-context. Its result is known only when it is closed."""
    frames = texts.FRAMES[bench.lang]
    parts = (f"{frames.sub_task}\n{args['task']}", bench.user_message)
    effect = DelegationOpened(
        sequence=site.sequence,
        call_index=site.call_index,
        number=site.number,
        messages=(
            Message(role="system", text=frames.delegation),
            Message(role="user", text="\n\n".join(p for p in parts if p)),
        ),
    )
    return Done(effect)


DELEGATE = Tool(
    name="delegate",
    arguments=("task",),
    channel=Channel.CONTROL,
    text=texts.DELEGATE,
    execute=_delegate,
)
