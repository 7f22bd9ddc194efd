"""Pages that stand before a page: checks for robots and walls of consent (HARD_CASES 16).

A mark alone is never enough, since articles are written about such checks and ordinary forms
carry them: the page must be short besides, and say that it is one.
"""

import re
from enum import StrEnum

from draligned.retrieval.extract import without_scripts

_SHORT = 1_200
"""Characters of main text above which a page is an article, whatever it carries."""
_TITLES = re.compile(
    r"\A\s*(?:just a moment|attention required! \| cloudflare|ddos-guard|pardon our interruption"
    r"|access to this page has been denied|are you a robot|robot check|security check"
    r"|human verification|verify you are human|verifying you are human|checking your browser"
    r"|one more step|please wait\.\.\. \| cloudflare|百度安全验证|安全验证|访问验证|人机验证"
    r"|滑动验证(?:页面)?|验证码|请输入验证码"
    r"|网站防火墙|访问异常|captcha)\s*[.…!]{0,6}\s*(?:[-|_].*)?\Z",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"/cdn-cgi/challenge-platform/|cf-chl-|cf_chl_opt|captcha-delivery\.com|px-captcha|_Incapsula_Resource"
    r"|acw_sc__v2|wappass\.baidu\.com|/sorry/index|geetest|g-recaptcha|h-captcha|hcaptcha\.com|nc_1_n1z"
    r"|turnstile|awswafcaptcha|aliyuncaptcha|tcaptcha|name=[\"']?captcha",
    re.IGNORECASE,
)
_SAYINGS = re.compile(
    r"verify (?:that )?you(?:'re| are) (?:a |not a )?(?:human|robot|bot)|unusual traffic"
    r"|are you a robot|checking (?:if the site connection is secure|your browser)"
    r"|complete the (?:security check|captcha)|enable javascript and cookies to continue"
    r"|prove (?:that )?you(?:'re| are) (?:human|not a robot)"
    r"|needs to review the security of your connection|automated (?:access|requests|queries)"
    r"|(?:请|需要)(?:先)?完成(?:下列|下方|以下|安全)?(?:的)?(?:安全)?(?:验证|校验)"
    r"|拖动(?:下方)?滑块|输入(?:图中的?)?验证码|访问过于频繁"
    r"|系统检测到您?的?(?:网络|访问)?(?:环境|行为)?(?:存在)?异常"
    r"|您的访问(?:请求)?(?:被|已被)(?:拦截|阻断)|确认(?:您|你)(?:不是|并非)机器人",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"cookie|consent|your privacy|privacy (?:policy|settings|choices)"
    r"|personal(?:ised|ized)? (?:data|ads|content)"
    r"|(?:our|trusted|third[- ]party) (?:\d+ )?(?:partners|vendors)|legitimate interest"
    r"|隐私|个人信息|同意|个性化",
    re.IGNORECASE,
)
_BUTTON = re.compile(
    r"<(?:button|a|input)\b[^>]{0,300}?(?:>|value=[\"'])\s*(?:<span[^>]{0,100}>\s*)?"
    r"(?:accept|agree|i agree|allow|reject|got it|yes, i|接受|同意|全部接受|我同意|拒绝)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,500}>")


class Wall(StrEnum):
    """What stands before the page."""

    CHALLENGE = "a check for robots"
    CONSENT = "a wall of consent"


def wall_of(title: str, text: str, markup: str) -> Wall | None:
    """The wall that a page is, by its title, main text and (decoded) source; None for a page."""
    if len(text) > _SHORT:
        return None
    source = markup[:200_000]
    titled = _TITLES.match(title) is not None
    marked = _MARKUP.search(source) is not None
    says = _SAYINGS.search(text) is not None or _SAYINGS.search(_visible(source)) is not None
    if titled + marked + says >= 2:
        return Wall.CHALLENGE
    return Wall.CONSENT if _asks_consent(text, source) else None


def _asks_consent(text: str, markup: str) -> bool:
    """Whether nearly all that the page says is about consent, and a button waits for it."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = sum(len(line) for line in lines)
    about = sum(len(line) for line in lines if _COOKIE.search(line))
    words = len(_COOKIE.findall(text))
    return said > 0 and about >= 0.7 * said and words >= 3 and _BUTTON.search(markup) is not None


def _visible(markup: str) -> str:
    """Text between tags, roughly, for pages whose main text no extractor finds."""
    bare = without_scripts(markup)[:50_000]
    return " ".join(_TAG.sub(" ", bare).split())[:5_000]
