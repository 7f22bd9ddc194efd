"""Writes docs/study-toml.md from the records in draligned/schema/config.py.

English is what stands below each field there, Chinese is tools/study_toml_zh.toml.
"""

import ast
import inspect
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from draligned.schema import config
from draligned.schema.config import StudyConfig

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "study-toml.md"
CHINESE = ROOT / "tools" / "study_toml_zh.toml"
INTRO = """# study.toml

Written by `python tools/study_toml_doc.py` from the schema, and held to it by a test. Every key can
be left out; unknown keys are errors. `draligned construct` writes the file with its defaults and
comments. NAME is a name of your own.

由 `python tools/study_toml_doc.py` 从 schema 生成，并由测试核对。所有键都可省略，未知的键会报错；
`draligned construct` 会写出带默认值与注释的文件。NAME 是你自取的名称。
"""
NAMED = {"providers", "models", "retrieval"}
"""Tables that hold one table a name."""
TYPES = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def page() -> str:
    """The page as it should be."""
    return INTRO + "\n".join(_table("", StudyConfig)) + "\n"


def fields(model: type[BaseModel] = StudyConfig) -> Iterator[tuple[type[BaseModel], str]]:
    """Every key that is no table of keys, with the record that holds it."""
    for name, field in model.model_fields.items():
        inner = _record(field.annotation)
        if inner is None:
            yield model, name
        else:
            yield from fields(inner)


def english(model: type[BaseModel], name: str) -> str:
    """What stands below the field, on one line; empty where nothing does."""
    return _docs(model.__name__).get(name, "")


@cache
def chinese() -> dict[str, dict[str, str]]:
    """Meanings in Chinese, by record and key."""
    return tomllib.loads(CHINESE.read_text(encoding="utf-8"))


def _table(place: str, model: type[BaseModel]) -> Iterator[str]:
    own = {n: f for n, f in model.model_fields.items() if _record(f.annotation) is None}
    yield f"\n## {f'[{place}]' if place else 'At the top · 文件开头'}\n"
    if model is not StudyConfig:
        said = (model.__doc__ or "").split("\n\n")[0].strip()
        yield f"{said} {chinese()[model.__name__]['_']}\n"
    yield "| key | type | default | meaning | 含义 |\n| --- | --- | --- | --- | --- |"
    for name, field in own.items():
        cells = (
            f"`{name}`", _type(field), default_of(field), english(model, name),
            chinese()[model.__name__][name],
        )  # fmt: skip
        yield "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"
    for name, field in model.model_fields.items():
        if inner := _record(field.annotation):
            deeper = f"{place}.{name}" if place else name
            yield from _table(f"{deeper}.NAME" if name in NAMED else deeper, inner)


def _record(annotation: Any) -> type[BaseModel] | None:
    """The record that a field is, or holds by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is dict:
        return _record(get_args(annotation)[1])
    return None


def _type(field: FieldInfo) -> str:
    limits = [
        f"{sign} {getattr(one, name):,}"
        for one in field.metadata
        for kind, name, sign in ((Ge, "ge", "≥"), (Gt, "gt", ">"), (Le, "le", "≤"))
        if isinstance(one, kind)
    ]
    return ", ".join([_words(field.annotation), *limits])


def _words(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " or ".join(f"`{p}`" for p in parts)
    if origin in (Union, UnionType):
        return " or ".join(_words(p) for p in parts if p is not type(None))
    if origin is tuple:
        return f"list of {_words(parts[0])}s"
    return "table" if origin is dict else TYPES[annotation]


def default_of(field: FieldInfo) -> str:
    """The default as TOML, in code; a dash where there is none."""
    if field.is_required():
        return "*must be given* · 必填"
    value = field.default
    if value is None:
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`".replace("'", '"')
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


@cache
def _docs(record: str) -> dict[str, str]:
    """What stands below each field of a record, on one line."""
    tree = ast.parse(inspect.getsource(config))
    (body,) = (n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == record)
    return {
        made.target.id: " ".join(str(said.value.value).split())
        for made, said in pairwise(body)
        if isinstance(made, ast.AnnAssign)
        and isinstance(made.target, ast.Name)
        and isinstance(said, ast.Expr)
        and isinstance(said.value, ast.Constant)
    }


if __name__ == "__main__":
    OUT.write_text(page(), encoding="utf-8")
