"""Text to search tokens, for Chinese and for languages written with spaces."""

import re
import unicodedata

import rjieba

_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>[^\W_{_HAN}]+(?:['’][^\W_{_HAN}]+)*)")

_STOP_ZH = (
    "的 了 和 是 在 与 及 或 也 都 就 而 但 对 于 对于 从 到 把 被 让 向 以 为 由 之 其 这 那 "
    "这个 那个 这些 那些 我 你 他 她 我们 你们 他们 有 没有 不 很 更 最 还 又 再 会 能 可以 要 "
    "一 一个 一些 个 等 如何 怎么 怎样 什么 哪些 哪里 吗 呢 吧 啊 地 得 着 过 上 中 下 里 后 前"
)
_STOP_EN = (
    "a an and are as at be been but by can could do does for from had has have how i if in into "
    "is it its me my of on or our should so than that the their them then there these they this "
    "to was we were what when where which who why will with would you your"
)
STOP_TOKENS = frozenset(_STOP_ZH.split()) | frozenset(_STOP_EN.split())


def tokenize(text: str) -> list[str]:
    """Search tokens in order, repeats kept, stop tokens dropped.

    Compatibility forms are folded (NFKC) and letters lower-cased; accents and a plural s are
    dropped from words; runs of Han characters become words and the shorter words inside them.
    Any string is accepted, lone surrogates included.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    tokens: list[str] = []
    for run in _RUN.finditer(folded):
        if run.lastgroup == "han":
            tokens += rjieba.cut_for_search(run.group())
        else:
            tokens.append(_word(run.group()))
    return [token for token in tokens if token not in STOP_TOKENS]


def _word(run: str) -> str:
    decomposed = unicodedata.normalize("NFKD", run.replace("’", "'"))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    word = unicodedata.normalize("NFC", bare).removesuffix("'s")
    plural = len(word) > 3 and word.endswith("s") and word[-2] not in "sui'"
    return word[:-1] if plural else word
