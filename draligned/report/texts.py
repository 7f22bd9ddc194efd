"""The page's own sentences, in Chinese and English: one catalogue a language, the same keys."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from draligned.schema.design import Lang

_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Sentences by key. Slots are filled in one pass: braces inside data pass through."""

    lang: Lang
    entries: Mapping[str, str]

    def __call__(self, key: str, **slots: object) -> str:
        """The sentence of `key`. Raises `KeyError` for an unknown key or slot."""
        return _SLOT.sub(lambda found: str(slots[found.group(1)]), self.entries[key])

    def word(self, group: str, code: str) -> str:
        """The word for a code of a closed set; the code itself where there is none."""
        return self.entries.get(f"{group}.{code}", code)


def slots_of(text: str) -> frozenset[str]:
    """Names of the slots in a sentence."""
    return frozenset(_SLOT.findall(text))


@cache
def load_texts(lang: Lang) -> Texts:
    """The catalogue of a language: of the report, and of the page of progress
    reports with its rollouts."""
    entries: dict[str, str] = {}
    for name in ("texts", "stage", "rollout", "regate", "tau2", "duty"):
        source = resources.files("draligned.report").joinpath(f"{name}_{lang}.toml")
        raw = tomllib.loads(source.read_text(encoding="utf-8"))
        entries |= {f"{group}.{key}": t for group, part in raw.items() for key, t in part.items()}
    return Texts(lang=lang, entries=entries)
