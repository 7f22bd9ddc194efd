"""labels sample and labels import: a person's labels from the blinded sheet to the tables."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

import draligned
from draligned.api.labelled import samples
from draligned.schema.human import LabelSample
from tests.cli.conftest import Copy
from tests.cli.console import Said, call

Row = dict[str, str]


@pytest.fixture
def root(study: Copy) -> Path:
    """A study of two pairs that was read and measured."""
    made = study("read")
    assert call("measure", str(made)).code == 0
    return made


def draw(root: Path, name: str, *more: str) -> Said:
    return call("labels", "sample", str(root / name), str(root), *more)


def take(root: Path, name: str, who: str = "rater 1") -> Said:
    return call("labels", "import", str(root / name), str(root), "--who", who)


def rows_of(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[Row]) -> None:
    """As a program that knows no byte order mark and ends lines its own way."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def sample_of(root: Path) -> LabelSample:
    ((sample, _),) = samples(draligned.open(root).folder.store)
    return sample


def fill(root: Path, name: str, sample: LabelSample, own: bool) -> None:
    """Each final shows its own endpoint only, or only the other's."""
    rows = rows_of(root / name)
    for row in rows:
        text = next(t for t in sample.texts if str(t.item) == row["item"])
        row["label"] = "ALPHA_ONLY" if (text.alpha is text.arm) is own else "BETA_ONLY"
    write(root / name, rows)


def label_first(root: Path, name: str) -> None:
    first, *rest = rows_of(root / name)
    write(root / name, [{**first, "label": "UNKNOWN"}, *rest])


def test_labels_of_all_pairs_say_what_the_person_said(root: Path) -> None:
    said = draw(root, "sheet.csv", "--pairs", "2")
    assert said.code == 0, said
    assert "4 finals of 2 pairs, drawn from the 2 that have both" in said.out
    sample = sample_of(root)
    for own, who in ((True, "rater 1"), (False, "rater 2")):
        fill(root, "sheet.csv", sample, own)
        taken = take(root, "sheet.csv", who)
        assert taken.code == 0, taken
        assert f"4 items by {who}, 0 of them blank" in taken.out
    assert "changed since the tables were made: labels by people;" in call("tables", str(root)).err
    assert call("measure", str(root)).code == 0
    opened = draligned.open(root)
    values = opened.table("human_corrected").query("model == 'all'").set_index("labeller")
    assert values["value"].to_dict() == {"rater 1": 1.0, "rater 2": -1.0}
    agreement = opened.table("human_agreement").query("model == 'all'").set_index("labeller")
    assert agreement["n_human"].to_dict() == {"rater 1": 4, "rater 2": 4}
    finals = opened.table("matrix")["final_state"]
    for who, state in (("rater 1", "OWN_ONLY"), ("rater 2", "OTHER_ONLY")):
        assert agreement.loc[who, "n_same"] == (finals == state).sum()


def test_a_sheet_says_nothing_of_arm_model_or_run(root: Path) -> None:
    draw(root, "sheet.csv", "--pairs", "2")
    rows = rows_of(root / "sheet.csv")
    assert list(rows[0]) == ["item", "question", "guidance", "alpha", "beta", "text", "label"]
    assert [row["item"] for row in rows] == ["1", "2", "3", "4"]
    assert {row["label"] for row in rows} == {""}
    said = " ".join(row[name] for row in rows for name in row if name != "text")
    pairs = draligned.open(root).table("pairs")
    for name in ("model", "run_id_p", "run_id_q", "pair_id", "factor_id"):
        assert [word for word in pairs[name] if word in said] == []


def test_blank_items_stay_undecided(root: Path) -> None:
    draw(root, "sheet.csv", "--pairs", "2")
    unfilled = take(root, "sheet.csv")
    assert (unfilled.code, "no label in" in unfilled.err) == (2, True)
    label_first(root, "sheet.csv")
    assert "4 items by rater 1, 3 of them blank" in take(root, "sheet.csv").out
    call("measure", str(root))
    found = draligned.open(root).table("human_corrected").query("model == 'all'").iloc[0]
    assert (found["status"], found["reason"], found["n_decided"]) == (
        "bounded", "undecided_pairs", 0,
    )  # fmt: skip
    assert found.isna()["value"]


def test_samples_of_the_same_texts_with_swapped_endpoints_are_told_apart(root: Path) -> None:
    """By texts alone, labels of one would be taken for the other's, each reversed."""
    seen: dict[tuple[str, ...], LabelSample] = {}
    opened = draligned.open(root)
    for seed in range(40):
        sample = opened.sample_labels(root / f"{seed}.csv", n=1, seed=seed).sample
        texts = tuple(t.text_sha256 for t in sample.texts)
        first = seen.setdefault(texts, sample)
        if [t.alpha for t in first.texts] != [t.alpha for t in sample.texts]:
            break
    else:
        pytest.fail("no seed swapped the endpoints of the same texts")
    for one in (first, sample):
        fill(root, f"{one.seed}.csv", one, own=True)
        taken = opened.import_labels(root / f"{one.seed}.csv", who="rater 1")
        assert taken.sample_id == one.sample_id


def without_a_row(rows: list[Row]) -> list[Row]:
    return rows[1:]


def twice(rows: list[Row]) -> list[Row]:
    return [*rows, rows[0]]


def with_weights(rows: list[Row]) -> list[Row]:
    return [{**row, "weight": "2"} for row in rows]


def rewritten(rows: list[Row]) -> list[Row]:
    return [{**rows[0], "text": "another text"}, *rows[1:]]


def swapped(rows: list[Row]) -> list[Row]:
    return [{**row, "alpha": row["beta"], "beta": row["alpha"]} for row in rows]


def strange(rows: list[Row]) -> list[Row]:
    return [{**rows[0], "label": "P_ONLY"}, *rows[1:]]


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (without_a_row, "not those of a sample drawn in this study"),
        (twice, "not those of a sample drawn in this study"),
        (rewritten, "not those of a sample drawn in this study"),
        (swapped, "not those of a sample drawn in this study"),
        (with_weights, "the sheet must have the columns item, question"),
        (strange, "'P_ONLY' is no label; use ALPHA_ONLY, BETA_ONLY"),
    ],
)
def test_sheets_that_are_not_as_they_were_are_refused_whole(
    root: Path, change: Callable[[list[Row]], list[Row]], hint: str
) -> None:
    draw(root, "sheet.csv", "--pairs", "2")
    write(root / "sheet.csv", change(rows_of(root / "sheet.csv")))
    said = take(root, "sheet.csv")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert hint in said.err
    assert [by for _, by in samples(draligned.open(root).folder.store)] == [[]]


def test_what_is_there_stays(root: Path) -> None:
    assert draw(root, "sheet.csv", "--pairs", "2").code == 0
    again = draw(root, "sheet.csv", "--pairs", "2")
    assert (again.code, "exists; give another file" in again.err) == (2, True)
    label_first(root, "sheet.csv")
    assert take(root, "sheet.csv").code == 0
    again = take(root, "sheet.csv")
    assert (again.code, "are there already and stay; another person" in again.err) == (2, True)


def test_what_cannot_be_drawn_or_taken_is_said_in_a_line(root: Path, study: Copy) -> None:
    (root / "latin.csv").write_bytes("é".encode("latin-1"))
    (root / "empty.csv").write_bytes(b"")
    wrong = [
        (draw(root, "sheet.csv", "--pairs", "3"), "2 pairs have both finals"),
        (draw(root, "sheet.csv", "--pairs", "0"), "--pairs"),
        (take(root, "latin.csv"), "save it as CSV UTF-8"),
        (take(root, "empty.csv"), "the sheet must have the columns"),
        (take(root, "nowhere.csv"), "nowhere.csv"),
        (take(root, "latin.csv", " "), "--who is empty"),
        (draw(study("ran"), "sheet.csv"), "measure"),
    ]
    for said, hint in wrong:
        assert said.code == 2, said
        assert said.err.count("\n") == 1
        assert hint in said.err
    assert not (root / "sheet.csv").exists()
