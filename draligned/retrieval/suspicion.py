"""What in a page's text is aimed at models rather than readers (HARD_CASES 17).

A page is data: it is shown as it is, inside its fence, and no tool comes or goes because of it.
What is noticed here is only logged.
"""

import re

from draligned.retrieval.render import neutralise
from draligned.schema.retrieval import Flag

_BEFORE = r"(?:all |any |the |your |of |my |these |those )*"
_EARLIER = r"(?:previous|prior|earlier|preceding|above|foregoing|former|original|system|existing)"
_ORDERS = r"(?:instructions?|prompts?|messages?|rules|directions|guidelines|context|commands?)"
_EN = (
    r"\b(?:ignore|disregard|forget|override|bypass)\s+"
    rf"{_BEFORE}{_EARLIER}\s+(?:\w+\s+)?{_ORDERS}\b",
    r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:\w+\s+){0,3}"
    r"(?:above|before|so far|previously|prior)\b",
    r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\s+|in\s+|the\s+)?(?:\w+\s+){0,3}"
    r"(?:ai|assistant|agent|model|chatbot|dan|developer mode|jailbroken|unrestricted)\b",
    r"\b(?:attention|note|message|instructions?|important)\s*(?:to|for)?\s*:?\s*(?:all\s+|any\s+)?"
    r"(?:ai|llm|language[- ]model)s?\s*"
    r"(?:agents?|assistants?|models?|systems?|crawlers?|judges?)\b",
    r"\bif\s+you\s+are\s+an?\s+(?:ai|llm|large language model|language model|automated)\b",
    r"\b(?:new|updated|revised)\s+(?:system\s+)?(?:instructions?|prompt)\s*:",
    r"\b(?:reveal|print|repeat|output|show)\s+(?:me\s+)?(?:your|the)\s+(?:hidden\s+|full\s+)?"
    r"(?:system\s+prompt|system\s+message|initial\s+instructions?)\b",
    r"\bdo\s+not\s+(?:tell|inform|mention\s+(?:this|it)\s+to|alert)\s+the\s+user\b",
)
_ZH = (
    r"(?:忽略|无视|忘记|忘掉|不要理会|抛弃|無視|忘記)(?:你|您)?(?:此前|之前|以上|上面|上述|前面|先前|原有|所有|一切|全部|任何|掉|的|系统|系統)+"
    r"[^。\n]{0,6}(?:指令|指示|提示|提示词|提示詞|命令|要求|规则|規則|设定|設定|内容|对话)",
    r"(?:你|您)(?:现在|現在|从现在起|从此刻起|不再)(?:是|扮演|进入)[^。\n]{0,10}"
    r"(?:助手|模型|智能体|机器人|开发者模式|越狱|AI)",
    r"(?:如果|若)(?:你|您)是(?:一个|一名|一款|個)?[^。，\n]{0,4}(?:AI|人工智能|大模型|大语言模型|语言模型|智能体)",
    r"(?:新的|更新后的|最新)(?:系统)?(?:指令|提示词)[:：]",
    r"(?:输出|泄露|透露|显示|重复|打印)(?:你|您)?的?(?:完整)?(?:系统提示词?|系统指令|初始指令)",
    r"(?:不要|请勿|切勿|不得)(?:告诉|告知|提醒|通知)用户",
    r"(?:致|给|请)(?:所有|各位|任何)?(?:AI|人工智能|大模型|语言模型|智能体)(?:助手|代理|模型|评审|评委)?"
    r"(?:注意|必看|须知|的指示|[:：])",
)
_TOOLS = (
    r"\b(?:call|invoke|use|run|execute|trigger)\s+(?:the\s+)?(?:tool\s+|function\s+)?[`'\"]?"
    r"(?:submit_report|write_report|submit_file|write_file|edit_file|run_code|delegate)\b",
    r"(?:调用|使用|执行|运行|立即)\s*(?:工具|函数)?\s*[`“\"]?"
    r"(?:submit_report|write_report|submit_file|write_file|edit_file|run_code|delegate)\b",
    r"\b(?:submit_report|submit_file|write_report)\s*\(",
    r"\{\s*\"(?:name|tool|function|recipient_name)\"\s*:\s*\"\w+\"\s*,\s*\"(?:arguments|parameters|input)\"\s*:",
    r"\b(?:submit|finish|end)\s+(?:the\s+|your\s+)?(?:report|task|research)\s+(?:right\s+)?(?:now|immediately)\b",
    r"(?:立即|马上|立刻|现在就)(?:提交|结束|终止)(?:报告|任务|研究)",
)
_JUDGES = (
    r"\b(?:label|mark|rate|score|grade|classify|judge)\s+(?:this|it|the\s+(?:request|report|text|page|answer))"
    r"\s+(?:\w+\s+){0,3}(?:as\s+)?[`'\"“]?(?:P|Q|ALPHA(?:_ONLY)?|BETA(?:_ONLY)?|SLOT[12]|BOTH|NEITHER)\b",
    r"\b(?:to|for|dear)\s+(?:the\s+|any\s+|all\s+)?(?:evaluators?|judges?|graders?|reviewers?|raters?)\b"
    r"[^.\n]{0,40}\b(?:label|score|rate|grade|choose|answer|select)\b",
    r"(?:标|标注|标记|判|判定|评|评为|打分|归)(?:记)?(?:为|成|作)\s*[“\"`]?(?:P|Q|ALPHA|BETA|SLOT[12]|BOTH|NEITHER)\b",
    r"(?:评审|评委|评估者|裁判|评测模型|评分模型)(?:们)?(?:请|务必|必须|应当|注意)",
)
_TAGS = (
    r"^#{0,3} ?(?:system|assistant|developer|系统) ?(?:prompt|message|提示|消息)? ?[:：]"
    r"[^\n]{0,200}(?:you (?:must|are|should|will)|你(?:必须|现在|应当|要))",
    r"\[/?INST\]|<<\s*/?SYS\s*>>|‹\|?im_(?:start|end)",
)
_INSTRUCTION = re.compile("|".join((*_EN, *_ZH, *_TOOLS, *_TAGS)), re.IGNORECASE | re.MULTILINE)
_AIMED = re.compile("|".join(_JUDGES), re.IGNORECASE)
_ESCAPED = re.compile(r"\\([_*\[\]<>#`|~])")
"""Markdown's escapes: `submit\\_report`."""
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def suspicious(text: str) -> bool:
    """Whether `text` holds an instruction to a model: to an agent, or to one that judges."""
    lines = _ESCAPED.sub(r"\1", _HIDDEN.sub("", text)).splitlines()
    # One blank between words, or patterns could walk over long runs of them again and again.
    plain = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
    return _INSTRUCTION.search(plain) is not None or _AIMED.search(plain) is not None


def flags_of(*texts: str) -> tuple[Flag, ...]:
    """What is noticed in the texts of one answer, in the order of `Flag`."""
    found = []
    if any(neutralise(text).forged for text in texts):
        found.append(Flag.FORGED_FENCE)
    if any(suspicious(text) for text in texts):
        found.append(Flag.INSTRUCTION)
    return tuple(found)
