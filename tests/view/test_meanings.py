"""What tables and columns mean, in Chinese as well."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html
from starlette.testclient import TestClient

from draligned.measure.dictionary import dictionary
from draligned.schema.tabular import ColumnMeta
from draligned.view.app import make_app
from draligned.view.guard import Guard
from draligned.view.meanings import Meanings, translated, untranslated

ClientOf = Callable[[Guard], TestClient]


def test_everything_in_the_dictionary_is_said_in_chinese_too() -> None:
    """A new table, column or unit goes into draligned/view/dictionary_zh.toml as well."""
    assert sorted(untranslated()) == []


def column(name: str) -> ColumnMeta:
    return ColumnMeta(name=name, kind="string", meaning="english")


def test_a_column_is_looked_up_as_in_english() -> None:
    own, means = translated(), Meanings("zh")
    assert means.column("pairs", column("m_q")) == (own.columns["m"] + "（Q）", "zh")
    assert means.column("estimates", column("ci_lo")) == (own.columns["ci"], "zh")
    special = own.columns_of["simultaneous"]["ci_lo"]
    assert means.column("simultaneous", column("ci_lo")) == (special, "zh")
    assert special != own.columns["ci"]


def test_what_is_not_translated_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never by the words of another table's column of that name."""
    less = translated().model_copy(update={"tables": {}, "columns_of": {}})
    monkeypatch.setattr("draligned.view.meanings.translated", lambda: less)
    means = Meanings("zh")
    assert means.table("pairs", "a row") == ("a row", "en")
    assert "unit" in dictionary().columns_of["long"]
    assert means.column("long", column("unit")) == ("english", "en")
    assert means.column("pairs", column("nobody_knows")) == ("english", "en")
    assert means.unit("furlong") == ("", "en")
    assert Meanings("en").column("pairs", column("d_a")) == ("english", "en")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_pages_say_what_stands_in_a_table(finished: Path, client_of: ClientOf, lang: str) -> None:
    client = client_of(make_app(finished, lang=lang))  # type: ignore[arg-type]
    known, own = dictionary(), translated()
    said = (own if lang == "zh" else known).tables["pairs"]
    assert said in client.get("/tables").text
    page = html.fromstring(client.get("/tables/pairs").text)
    assert said in page.text_content()
    rows = {d.find("dt").text_content(): d.find("dd") for d in page.xpath("//details//dl/div")}
    assert list(rows) == page.xpath("//table//th/text()")
    expected = own.columns["d_f"] if lang == "zh" else known.columns["d_f"][1]
    assert rows["d_f"].find("span").text == expected
    assert rows["d_f"].find("span").get("lang") == lang
    assert page.xpath("//th[text()='d_f']/@title")[0].startswith(expected)
