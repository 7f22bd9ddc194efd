"""What is wrong with a TOML file that cannot be parsed, in words that say what to do."""

import re

_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_WIDE = re.compile("[“”‘’＝，、；：＃＂＇［］｛｝（）　０-９]")
_YAML = re.compile(r"\s*(- )?[\w-]+\s*:(\s|$)")
_BARE = re.compile(r"\s*\[*[^\"'=\]]*[^\x00-\x7f][^\"'=\]]*[\]=]")


def explained(text: str, error: ValueError) -> str:
    """The parser's words, and what was probably meant: full-width characters, YAML, a name that
    needs quotes. The file's own text is shown only as far as one such character."""
    said = str(error)
    place = _PLACE.search(said)
    lines = text.split("\n")
    number = int(place.group(1)) if place else len(lines)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    hint = _hint(line)
    return f"{said}: {hint}" if hint else said


def _hint(line: str) -> str:
    plain = _QUOTED.sub("", line)
    if wide := _WIDE.search(plain):
        return f"the full-width {wide.group()} stands there; type it in half width"
    if _YAML.match(plain):
        return 'that is YAML; TOML has [section] lines and key = value, texts in "quotes"'
    if _BARE.match(line):
        return 'a name other than A-Z a-z 0-9 _ - stands in quotes, e.g. [models."…"]'
    return ""
