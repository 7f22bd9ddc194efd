"""The relevance table: each row opens a decision whose order turns with the fact."""

import pytest

from draligned.bench_data.kinds import kind_named
from draligned.bench_data.relevance import RelevanceRow, row_for, rows
from draligned.schema.design import Lang

DOMAINS = {
    "Education", "Career", "Health", "Travel", "Finance",
    "Creative", "Shopping", "Real Estate", "Law", "Parenting",
}  # fmt: skip
ROWS: list[tuple[Lang, RelevanceRow]] = [
    *(("zh", r) for r in rows("zh")),
    *(("en", r) for r in rows("en")),
]  # type: ignore[list-item]


def _name(x: object) -> str:
    return f"{x.kind}-{x.domain}" if isinstance(x, RelevanceRow) else str(x)


@pytest.mark.parametrize(("lang", "row"), ROWS, ids=_name)
def test_the_order_turns_with_the_value_and_names_no_side(lang: Lang, row: RelevanceRow) -> None:
    kind = kind_named(row.kind, lang)
    assert kind is not None
    assert row.domain in DOMAINS
    for value in kind.values:
        under_p, under_q = row.order(value.name, value.pair), row.order(value.pair, value.name)
        assert under_p == tuple(reversed(under_q)) or under_p[0] == under_q[-1]
        assert under_p != under_q
        words = (*value.public, *kind.value(value.pair).public)
        assert not any(w in row.question for w in words)
    assert "{" not in row.axis.guidance


def test_zh_covers_all_ten_domains() -> None:
    assert {r.domain for r in rows("zh")} == DOMAINS


def test_name_age_and_sex_have_no_row() -> None:
    for path in ("基础属性/身份特征/姓名", "基础属性/身份特征/年龄", "基础属性/身份特征/性别"):
        assert not any((k := kind_named(r.kind, "zh")) and k.holds_path(path) for r in rows("zh"))


def test_needs_decides_whether_a_row_applies() -> None:
    row = row_for("residence", "Finance", "zh")
    assert row is not None
    assert row.applies("请推荐汽车保险方案")
    assert not row.applies("请做家庭理财规划")
    assert row_for("residence", "Nowhere", "zh") is None
