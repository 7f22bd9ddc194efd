"""What in a page's text is aimed at models rather than readers (HARD_CASES 17).

A page is data: it is shown as it is, inside its fence, and no tool comes or goes because of it.
What is noticed here is only logged.
"""

import re
from typing import NamedTuple

from draligned.retrieval.render import forged
from draligned.schema.retrieval import Flag

_BEFORE = r"(?:all |any |the |your |of |my |these |those )*"
_EARLIER = r"(?:previous|prior|earlier|preceding|above|foregoing|former|original|system|existing)"
_ORDERS = r"(?:instructions?|prompts?|messages?|rules|directions|guidelines|context|commands?)"
_TOOL = r"(?:submit_report|write_report|submit_file|write_file|edit_file|run_code|delegate)"
_MODEL_ZH = r"(?:ai|人工智能|大模型|大语言模型|语言模型|智能体)"
_SIDE = r"(?:p|q|alpha(?:_only)?|beta(?:_only)?|slot[12]|both|neither)"
_SIGNS: tuple[tuple[str, str], ...] = (
    (
        "ignore disregard forget override bypass",
        r"\b(?:ignore|disregard|forget|override|bypass) "
        rf"{_BEFORE}{_EARLIER} (?:\w+ )?{_ORDERS}\b",
    ),
    (
        "ignore disregard forget",
        r"\b(?:ignore|disregard|forget) (?:everything|anything|all) (?:\w+ ){0,3}"
        r"(?:above|before|so far|previously|prior)\b",
    ),
    (
        "you",
        r"\byou are (?:now|no longer) (?:an? |in |the )?(?:\w+ ){0,3}"
        r"(?:ai|assistant|agent|model|chatbot|dan|developer mode|jailbroken|unrestricted)\b",
    ),
    (
        "attention note message instruction important",
        r"\b(?:attention|note|message|instructions?|important) ?(?:to|for)? ?:? ?(?:all |any )?"
        r"(?:ai|llm|language[- ]model)s? ?"
        r"(?:agents?|assistants?|models?|systems?|crawlers?|judges?)\b",
    ),
    (
        "you",
        r"\bif you are an? (?:ai|llm|large language model|language model|automated)\b",
    ),
    (
        "instruction prompt",
        r"\b(?:new|updated|revised) (?:system )?(?:instructions?|prompt) ?:",
    ),
    (
        "system initial",
        r"\b(?:reveal|print|repeat|output|show) (?:me )?(?:your|the) (?:hidden |full )?"
        r"(?:system prompt|system message|initial instructions?)\b",
    ),
    ("user", r"\bdo not (?:tell|inform|mention (?:this|it) to|alert) the user\b"),
    (
        "忽略 无视 忘记 忘掉 不要理会 抛弃 無視 忘記",
        r"(?:忽略|无视|忘记|忘掉|不要理会|抛弃|無視|忘記)[你您]?"
        r"(?:此前|之前|以上|上面|上述|前面|先前|原有|所有|一切|全部|任何|掉|的|系统|系統)+"
        r"[^。\n]{0,6}(?:指令|指示|提示|命令|要求|规则|規則|设定|設定|内容|对话)",
    ),
    (
        "你 您",
        r"[你您](?:现在|現在|从现在起|从此刻起|不再)(?:是|扮演|进入)[^。\n]{0,10}"
        r"(?:助手|模型|智能体|机器人|开发者模式|越狱|ai)",
    ),
    ("你是 您是", rf"[如若]果?[你您]是(?:一个|一名|一款|個)?[^。，\n]{{0,4}}{_MODEL_ZH}"),
    ("指令 提示词", r"(?:新的|更新后的|最新)(?:系统)?(?:指令|提示词)[:：]"),
    (
        "系统 初始",
        r"(?:输出|泄露|透露|显示|重复|打印)[你您]?的?(?:完整)?"
        r"(?:系统提示词?|系统指令|初始指令)",
    ),
    ("用户", r"(?:不要|请勿|切勿|不得)(?:告诉|告知|提醒|通知)用户"),
    (
        "致 给 请",
        rf"[致给请](?:所有|各位|任何)?{_MODEL_ZH}(?:助手|代理|模型|评审|评委)?"
        r"(?:注意|必看|须知|的指示|[:：])",
    ),
    (
        "_report _file run_code delegate",
        r"\b(?:call|invoke|use|run|execute|trigger) (?:the )?(?:tool |function )?"
        rf"[`'\"]?{_TOOL}\b|(?:调用|使用|执行|运行|立即) ?(?:工具|函数)? ?[`“\"]?{_TOOL}\b"
        r"|\b(?:submit_report|submit_file|write_report) ?\(",
    ),
    (
        '"name" "tool" "function" "recipient_name"',
        r"\{ ?\"(?:name|tool|function|recipient_name)\" ?: ?\"\w+\" ?, ?"
        r"\"(?:arguments|parameters|input)\" ?:",
    ),
    (
        "submit finish end",
        r"\b(?:submit|finish|end) (?:the |your )?(?:report|task|research) (?:right )?"
        r"(?:now|immediately)\b",
    ),
    (
        "立即 马上 立刻 现在就",
        r"(?:立即|马上|立刻|现在就)(?:提交|结束|终止)(?:报告|任务|研究)",
    ),
    (
        "label mark rate score grade classify judge",
        r"\b(?:label|mark|rate|score|grade|classify|judge) "
        r"(?:this|it|the (?:request|report|text|page|answer)) "
        rf"(?:\w+ ){{0,3}}(?:as )?[`'\"“]?{_SIDE}\b",
    ),
    (
        "evaluator judge grader reviewer rater",
        r"\b(?:to|for|dear) (?:the |any |all )?(?:evaluators?|judges?|graders?|reviewers?|raters?)"
        r"\b[^.\n]{0,40}\b(?:label|score|rate|grade|choose|answer|select)\b",
    ),
    (
        "标 判 评 打分 归",
        rf"(?:标|标注|标记|判|判定|评|评为|打分|归)(?:记)?[为成作] ?[“\"`]?{_SIDE}\b",
    ),
    (
        "评审 评委 评估者 裁判 评测模型 评分模型",
        r"(?:评审|评委|评估者|裁判|评测模型|评分模型)(?:们)?(?:请|务必|必须|应当|注意)",
    ),
    (
        "system assistant developer 系统",
        r"^#{0,3} ?(?:system|assistant|developer|系统) ?(?:prompt|message|提示|消息)? ?[:：]"
        r"[^\n]{0,200}(?:you (?:must|are|should|will)|你(?:必须|现在|应当|要))",
    ),
    ("inst] sys im_start im_end", r"\[/?inst\]|<< ?/?sys ?>>|‹\|?im_(?:start|end)"),
)
"""Words of which one must stand in a text, and the pattern that is then looked for in it. Most
pages hold few of the words, and no pattern is worth the time on those."""


class _Sign(NamedTuple):
    latin: tuple[str, ...]
    other: tuple[str, ...]
    pattern: re.Pattern[str]


def _sign(words: str, pattern: str) -> _Sign:
    latin = tuple(word for word in words.split() if word.isascii())
    other = tuple(word for word in words.split() if not word.isascii())
    return _Sign(latin, other, re.compile(pattern, re.MULTILINE))


_LOOKED_FOR = tuple(_sign(*sign) for sign in _SIGNS)
_ESCAPED = re.compile(r"\\([_*\[\]<>#`|~])")
"""Markdown's escapes: `submit\\_report`."""
_HIDDEN = re.compile(
    "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def suspicious(text: str) -> bool:
    """Whether `text` holds an instruction to a model: to an agent, or to one that judges."""
    visible = text if text.isascii() else _HIDDEN.sub("", text)
    lower = _ESCAPED.sub(r"\1", visible).lower()
    patterns = _worth_a_look(lower)
    if not patterns:
        return False
    # One blank between words, as the patterns have it, and no long runs for them to walk over.
    plain = "\n".join(filter(None, (" ".join(line.split()) for line in lower.splitlines())))
    return any(pattern.search(plain) is not None for pattern in patterns)


def _worth_a_look(lower: str) -> list[re.Pattern[str]]:
    """The patterns of which a word stands in `lower`; each Latin word is searched but once,
    however often the text has it, and apart from letters that would make the search slow."""
    latin = "\n".join(set(lower.encode("ascii", "ignore").decode().split()))
    other = "" if lower.isascii() else lower
    return [
        sign.pattern
        for sign in _LOOKED_FOR
        if any(word in latin for word in sign.latin) or any(word in other for word in sign.other)
    ]


def flags_of(*texts: str) -> tuple[Flag, ...]:
    """What is noticed in the texts of one answer, in the order of `Flag`."""
    found = []
    if any(forged(text) for text in texts):
        found.append(Flag.FORGED_FENCE)
    if any(suspicious(text) for text in texts):
        found.append(Flag.INSTRUCTION)
    return tuple(found)
