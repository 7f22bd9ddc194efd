"""Pages that stand before a page: checks for robots and walls of consent (HARD_CASES 16).

A mark alone is seldom enough, since articles are written about such checks and ordinary forms
carry them: the page must be short besides, and say that it is one. Some marks stand in nothing
but a check; with those, a page that says next to nothing is one.
"""

import html
import re
from enum import StrEnum
from typing import NamedTuple

from draligned.retrieval.extract import without_scripts

_SHORT = 1_200
"""Characters of main text above which a page is an article, whatever it carries."""
_BARE = 300
"""Characters up to which a page says next to nothing."""
_TITLES = re.compile(
    r"\A[\s#]*(?:just a moment|attention required! \| cloudflare|ddos-guard|pardon our interruption"
    r"|access to this page has been denied|are you a robot|robot check|security check"
    r"|human verification|verify you are human|verifying you are human|checking your browser"
    r"|one more step|please wait\.\.\. \| cloudflare|making sure you(?:'|’)re not a bot"
    r"|you are being redirected|vercel security checkpoint|javascript is disabled|client challenge"
    r"|sina visitor system|请稍[候等]|百度安全验证|京东验证|安全验证|访问验证|人机验证|环境异常"
    r"|禁止访问|滑动验证(?:页面)?|验证码(?:拦截|中间页)?|请输入验证码"
    r"|网站防火墙|访问异常|captcha)\s*[.…!]{0,6}\s*(?:[-|_].*)?\Z",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"/cdn-cgi/challenge-platform/|cf-chl-|cf_chl_opt|captcha-delivery\.com|px-captcha|_Incapsula_Resource"
    r"|acw_sc__v2|wappass\.baidu\.com|/sorry/index|geetest|g-recaptcha|h-captcha|hcaptcha\.com|nc_1_n1z"
    r"|turnstile|awswaf|aliyuncaptcha|tcaptcha|name=[\"']?captcha",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"_cf_chl_opt|captcha-delivery\.com|anubis_challenge|sucuri_cloudproxy_js|__jsl_clearance"
    r"|acw_sc__v2|_____tmd_____/punish|secitptpage|awsWafCookieDomainList"
    r"|<title>\s*sina visitor system\s*</title>",
    re.IGNORECASE,
)
"""Marks of a check alone; the scripts of the same services stand in ordinary pages too."""
_RE = r"(?:'|’|&#39;|&#x27;|&rsquo;)re"
_SAYINGS = re.compile(
    rf"verify(?:ing)? (?:that )?you(?:{_RE}| are) (?:a |not a )?(?:human|robot|bot)"
    rf"|making sure you(?:{_RE}| are) not a bot|verifying your browser|unusual traffic"
    r"|enable js and disable any ad blocker|incapsula incident id"
    r"|enable javascript before you are allowed to see"
    r"|are you a robot|checking (?:if the site connection is secure|your browser)"
    r"|complete the (?:security check|captcha)|enable javascript and cookies to continue"
    rf"|prove (?:that )?you(?:{_RE}| are) (?:human|not a robot)"
    r"|needs to review the security of your connection|automated (?:access|requests|queries)"
    r"|(?:请|需要)(?:先)?完成(?:下列|下方|以下|安全)?(?:的)?(?:安全)?(?:验证|校验)"
    r"|完成验证后(?:即可)?(?:才能)?继续|检测到有异常请求|点击下方验证按钮"
    r"|拖动(?:下方)?滑块|输入(?:图中的?)?验证码|访问过于频繁"
    r"|系统[检监]测到您?的?(?:网络|访问)?(?:环境|行为)?(?:存在)?异常"
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
_NOSCRIPTS = 5
_TAG = re.compile(r"<[^<>]{0,500}>")


class Wall(StrEnum):
    """What stands before the page."""

    CHALLENGE = "a check for robots"
    CONSENT = "a wall of consent"


_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,300})", re.IGNORECASE)
_CONSENT_TITLE = re.compile(r"\A\s*before you continue to (?:google|youtube)", re.IGNORECASE)


def wall_of(title: str, text: str, markup: str) -> Wall | None:
    """The wall that a page is, by its title, main text and (decoded) source; None for a page."""
    if len(text) > _SHORT:
        return None
    source = markup[:200_000]
    signs = _signs(title, text, source)
    if signs.number >= 2 or (signs.sure and len(text) <= _BARE):
        return Wall.CHALLENGE
    consent = _CONSENT_TITLE.match(title) or _asks_consent(text, source)
    return Wall.CONSENT if consent else None


def is_check(markup: str, *, refuses: bool) -> bool:
    """Whether the page of an error asks the visitor to prove something.

    Where its code refuses besides, one sign is enough; not a mark alone, as of a form for a login.
    """
    source = markup[:200_000]
    found = _TITLE.search(source)
    signs = _signs(html.unescape(found.group(1)) if found else "", "", source)
    return signs.sure or signs.number >= 2 or (refuses and (signs.titled or signs.says))


class _Signs(NamedTuple):
    titled: bool
    marked: bool
    says: bool
    sure: bool
    """Whether it carries a mark that nothing but a check carries."""

    @property
    def number(self) -> int:
        return self.titled + (self.marked or self.sure) + self.says


def _signs(title: str, text: str, source: str) -> _Signs:
    heading = text.lstrip().partition("\n")[0][:100]
    return _Signs(
        titled=any(_TITLES.match(line) is not None for line in (title, heading)),
        marked=_MARKUP.search(source) is not None,
        says=any(_SAYINGS.search(said) for said in (text, _visible(source), _for_robots(source))),
        sure=_SURE.search(source) is not None,
    )


def _asks_consent(text: str, markup: str) -> bool:
    """Whether nearly all that the page says is about consent, and a button waits for it."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = sum(len(line) for line in lines)
    about = sum(len(line) for line in lines if _COOKIE.search(line))
    words = len(_COOKIE.findall(text))
    return said > 0 and about >= 0.7 * said and words >= 3 and _BUTTON.search(markup) is not None


def _for_robots(markup: str) -> str:
    """What is said where no script runs: checks put there what they want."""
    parts = markup.lower().split("<noscript", _NOSCRIPTS)[1:]
    said = " ".join(part[:2_000].partition("</noscript")[0] for part in parts)
    return " ".join(_TAG.sub(" ", said).split())


def _visible(markup: str) -> str:
    """Text between tags, roughly, for pages whose main text no extractor finds."""
    bare = without_scripts(markup)[:50_000]
    return " ".join(_TAG.sub(" ", bare).split())[:5_000]
