"""A double of the harness family: it plays the tools by hand, with nothing of the real loop."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .doubles import COUPLED, EN, FILES, SAVED, ZH, ask, offered

H_D = [*FILES, *offered(delegate=["task"])]
LOOK = offered(search=["query"], read=["url"])
SAVE = offered(write_report=["content"])
SUBMIT = offered(submit_report=["content"])
ZH_STAGE = "你是研究助手。\n本阶段只做一部分工作。"
EN_STAGE = "You are a research assistant.\nThis stage does one part of the work."
HANDED = {"zh": "上一阶段的材料：\n", "en": "Material from the stage before:\n"}
SUB = {
    "zh": ("你负责一个子任务。", "子任务：\n"),
    "en": ("You are given a sub-task.", "Sub-task:\n"),
}
MESSAGES = {"zh": ZH, "en": EN}
SURE = {"submit": 1, "text": 0, "empty": 0, "length": 0, "invalid": 0}


@dataclass
class Played:
    """What an episode came to."""

    lang: str
    seed: int
    overrides: Mapping[str, Any]
    model: str = "rehearsal-agent-a"
    requests: list[tuple[str, str, int | None]] = field(default_factory=list)
    """Tool, text and number of the delegation."""
    files: dict[str, str] = field(default_factory=dict)
    saves: list[tuple[str, str]] = field(default_factory=list)
    """Path and content of every accepted save."""
    calls: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    sub_tasks: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    submitted: str | None = None
    reply: str = ""
    """The last reply without a call."""
    broken: frozenset[str] = frozenset()
    """Tools that are always refused here."""
    speak: Callable[..., dict[str, Any]] = ask

    @property
    def drafts(self) -> list[str]:
        """Distinct saved contents of the document, in order."""
        return list(dict.fromkeys(text for path, text in self.saves if path == "report.md"))

    @property
    def final(self) -> str:
        """The accepted submission, else the closing reply."""
        return self.reply if self.submitted is None else self.submitted

    def context(
        self, system: str, users: list[str], tools: list[dict[str, Any]], depth: int
    ) -> str:
        """One context to its end; its reply without a call."""
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
        messages.append({"role": "user", "content": users[0]})
        if len(users) > 1:
            asked = self._ask(messages, [])
            assert "tool_calls" not in asked
            messages += [{"role": "assistant", "content": asked["content"]}]
            messages += [{"role": "user", "content": text} for text in users[1:]]
            self.answers.append(asked["content"])
        for _ in range(100):
            said = self._ask(messages, tools)
            messages.append(said)
            if not said.get("tool_calls"):
                return str(said["content"])
            for call in said["tool_calls"]:
                self.ids.append(call["id"])
                text = self._run(call["function"], depth)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        raise AssertionError("the context never ended")

    def _ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        said = self.speak(
            self.model, messages, tools=tools, seed=self.seed, rehearsal=dict(self.overrides)
        )
        return {k: v for k, v in said.items() if k != "finish"}

    def _run(self, function: dict[str, str], depth: int) -> str:
        name = function["name"]
        self.calls.append(name)
        try:
            args = json.loads(function["arguments"])
        except ValueError:
            return "tool_call_invalid: not JSON"
        reason = "no_space" if name in self.broken else self._refusal(name, args)
        if reason:
            self.refused.append(reason)
            return ("已拒绝：" if self.lang == "zh" else "refused: ") + reason
        return self._done(name, args, depth)

    def _refusal(self, name: str, args: dict[str, str]) -> str:
        path = args.get("path", "report.md")
        if path.startswith("/"):
            return "absolute_path"
        if ".." in path:
            return "parent_path"
        if name in ("read_file", "edit_file", "submit_file") and path not in self.files:
            return "not_found"
        if name == "edit_file" and (n := self.files[path].count(args["old"])) != 1:
            return "old_text_not_unique" if n else "old_text_missing"
        if name == "submit_report" and "content" not in args and "report.md" not in self.files:
            return "nothing_saved"
        return ""

    def _done(self, name: str, args: dict[str, str], depth: int) -> str:
        path = args.get("path", "report.md")
        match name:
            case "search" | "read":
                text = args["query" if name == "search" else "url"]
                self.requests.append((name, text, depth or None))
                n = len(self.requests)
                return "\n".join(f"{i}. https://x.invalid/{n}/{i}" for i in range(8))
            case "write_file" | "write_report":
                self.files[path] = args["content"]
                self.saves.append((path, self.files[path]))
            case "edit_file":
                self.files[path] = self.files[path].replace(args["old"], args["new"])
                self.saves.append((path, self.files[path]))
            case "read_file":
                return self.files[path]
            case "submit_file" | "submit_report":
                self.submitted = args.get("content", self.files.get(path, ""))
            case "delegate":
                return self._delegate(args["task"])
        return "ok"

    def _delegate(self, task: str) -> str:
        self.sub_tasks.append(task)
        system, head = SUB[self.lang]
        self.answers.append(self.context(system, [head + task], LOOK, len(self.sub_tasks)))
        return self.answers[-1]


def play(
    harness: str, lang: str = "zh", seed: int = 0, *, user: str | None = None, **overrides: Any
) -> Played:
    """An episode of a harness of the family."""
    model = overrides.pop("model", "rehearsal-agent-a")
    broken = frozenset(overrides.pop("broken", ()))
    speak = overrides.pop("speak", ask)
    played = Played(lang, seed, overrides, model, broken=broken, speak=speak)
    message = user or MESSAGES[lang]
    stage = ZH_STAGE if lang == "zh" else EN_STAGE
    if harness == "initial":
        _initial(played, message)
    elif harness.startswith("handoff"):
        _stages(played, message, stage, harness)
    else:
        tools = {"coupled": COUPLED, "H-W": FILES, "H-D": H_D}[harness]
        played.reply = played.context("Research.", [message], tools, 0)
    return played


def _initial(played: Played, message: str) -> None:
    head, gap, told = message.rpartition("\n\n")
    assert gap
    system = "开始之前，先提一个问题。" if played.lang == "zh" else "Please ask one question first."
    played.reply = played.context(system, [head, told], SAVED, 0)


def _stages(played: Played, message: str, stage: str, harness: str) -> None:
    plans = {
        "handoff-aw": [(stage, LOOK), ("Research.", [*SUBMIT, *SAVE])],
        "handoff-wf": [(stage, [*LOOK, *SAVE]), ("Research.", SUBMIT)],
        "handoff-both": [(stage, LOOK), (stage, SAVE), ("Research.", SUBMIT)],
    }
    handed = ""
    for i, (system, tools) in enumerate(plans[harness]):
        users = [f"{HANDED[played.lang]}{handed}\n\n{message}" if i else message]
        played.reply = played.context(system, users, tools, 0)
        saved_here = any(t["function"]["name"] == "write_report" for t in tools)
        handed = played.drafts[-1] if saved_here and played.drafts else played.reply
        played.answers.append(handed)
