"""docs/study-toml.md is what the schema says, in both languages."""

import tomllib

import pytest
from pydantic import BaseModel

from tests.tools import tool

DOC = tool("study_toml_doc")
KEYS = sorted({(model.__name__, name): model for model, name in DOC.fields()}.items())


def test_the_page_is_as_the_schema_is() -> None:
    """`python tools/study_toml_doc.py` writes it anew."""
    assert DOC.OUT.read_text(encoding="utf-8") == DOC.page()


@pytest.mark.parametrize(("key", "model"), KEYS)
def test_every_key_has_a_meaning_in_both_languages(
    key: tuple[str, str], model: type[BaseModel]
) -> None:
    """English stands below the field in schema/config.py, Chinese in tools/study_toml_zh.toml."""
    record, name = key
    assert DOC.english(model, name)
    assert DOC.chinese()[record][name]


def test_no_meaning_is_of_a_key_that_is_gone() -> None:
    said = {(record, name) for record, names in DOC.chinese().items() for name in names}
    assert {(r, n) for r, n in said if n != "_"} == {key for key, _ in KEYS}


@pytest.mark.parametrize(("key", "model"), KEYS)
def test_defaults_are_written_as_toml(key: tuple[str, str], model: type[BaseModel]) -> None:
    field = model.model_fields[key[1]]
    shown = DOC.default_of(field)
    if not field.is_required() and field.default is not None:
        default = field.default
        wanted = list(default) if isinstance(default, tuple) else default
        assert tomllib.loads(f"key = {shown.strip('`')}") == {"key": wanted}


def test_the_page_has_every_table() -> None:
    shown = DOC.page()
    tables = ("construction", "providers.NAME.attempts", "retrieval.NAME.reading", "measure")
    assert [t for t in tables if f"## [{t}]" not in shown] == []
