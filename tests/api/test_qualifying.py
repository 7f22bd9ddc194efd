"""Qualification through the real path, offline: who passes, who fails, what it leaves behind."""

from pathlib import Path

import pytest

import draligned
from draligned.api import Study
from draligned.api.candidates import Qualification
from draligned.evaluators.protocol import load_protocol
from draligned.schema.errors import ConfigError
from draligned.study.reads import ReadsOf, iter_reads

READERS = """\
[models.exact]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.0, flip = 0.0, order_bias = 0.0 } }

[models.biased]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.0, flip = 0.0, order_bias = 0.4 } }

[models.noisy]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.0, flip = 0.25, order_bias = 0.0 } }

[models.silent]
provider = "rehearsal"
model = "rehearsal-reader"
params = { rehearsal = { abstain = 0.4, flip = 0.0, order_bias = 0.0 } }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A folder with readers and no design: an evaluator can be qualified before anything else."""
    root = tmp_path_factory.mktemp("readers")
    (root / "study.toml").write_text(READERS, encoding="utf-8")
    return draligned.open(root)


def qualified(study: Study, name: str, lang: str = "en") -> Qualification:
    return study.qualify(name, lang=lang).verdicts[0]


def unmet(one: Qualification) -> set[str]:
    return {c.count.name.partition(":")[0] for c in one.findings.criteria if not c.met}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_shipped_reader_is_qualified_in_both_languages(study: Study, lang: str) -> None:
    one = qualified(study, "rehearsal-reader", lang)
    assert one.findings.verdict == "qualified"
    assert one.rehearsal
    assert one.findings.word_matcher
    assert one.n_reads == one.n_planned


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_an_exact_word_matcher_gets_all_but_what_takes_sense(study: Study, lang: str) -> None:
    """So every other label of the gold set follows from the public words and the cue words."""
    found = qualified(study, "exact", lang).findings
    assert found.verdict == "qualified"
    shares = {c.count.name.partition(":")[0]: c.count.share for c in found.criteria}
    assert shares["requests right"] == shares["documents right"] == 1.0
    assert shares["item fields right"] == shares["conflicts, worst order"] == 1.0
    assert (found.flips.n, found.by_sense.n) == (0, 0)


def test_planted_errors_are_seen_for_what_they_are(study: Study) -> None:
    biased, noisy, silent = (qualified(study, n) for n in ("biased", "noisy", "silent"))
    assert {b.findings.verdict for b in (biased, noisy, silent)} == {"not qualified"}
    assert "order flips" in unmet(biased)
    flips = biased.findings.flips
    assert flips.both_to_first > 5 * flips.both_to_second
    assert "opposite labels" not in unmet(biased)
    assert {"opposite labels", "order flips"} <= unmet(noisy)
    assert noisy.findings.flips.both_to_second > 0
    assert {"requests right", "documents right"} <= unmet(silent)
    assert {"opposite labels", "order flips"} & unmet(silent) == set()


def test_a_stopped_qualification_goes_on_and_ends_the_same(tmp_path: Path, study: Study) -> None:
    (tmp_path / "study.toml").write_text(READERS, encoding="utf-8")
    again = draligned.open(tmp_path)
    part = again.qualify("noisy", lang="en", limit=30)
    assert part.summary.left_open == 80
    assert part.verdicts[0].findings.verdict == "incomplete"
    assert [row[1] for row in again.forecast_qualification("noisy", lang="en").rows] == [80]
    rest = again.qualify("noisy", lang="en")
    assert (rest.summary.done, rest.summary.left_open) == (80, 0)
    assert rest.verdicts[0] == qualified(study, "noisy")
    assert again.qualify("noisy", lang="en").summary.done == 0


def test_reads_of_the_gold_set_are_no_reads_of_the_study(study: Study) -> None:
    one = qualified(study, "exact")
    store = study.folder.store
    assert list(iter_reads(store, one.evaluator_id)) == []
    reads = list(iter_reads(store, one.evaluator_id, ReadsOf.GOLD))
    assert len(reads) >= one.n_planned
    for read in reads:
        assert read.reply_sha256 is not None
        assert study.folder.blobs.get(read.packet_sha256)
        assert study.folder.blobs.get(read.reply_sha256)


def test_verdicts_are_kept_with_all_that_they_rest_on(study: Study) -> None:
    made = qualified(study, "exact")
    kept = {(q.evaluator, q.lang): q for q in study.qualifications()}
    assert kept["exact", "en"] == made
    assert made.protocol_sha256 == load_protocol("en").sha256()
    assert made.findings.bar.version == 1


def test_a_study_qualifies_for_the_protocol_that_it_is_locked_to(tmp_path: Path) -> None:
    text = "[construction]\ntasks = 1\n[run]\nmodels = ['rehearsal-a']\n"
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    made = draligned.open(tmp_path)
    made.construct()
    made.run()
    made.evaluate(limit=1)
    evaluator = made.plan().evaluators[0].evaluator_id
    key = f"reads/{evaluator}/protocol.lock"
    locked = load_protocol("zh")
    prompts = locked.requests.model_copy(update={"system": locked.requests.system + "\n"})
    older = locked.model_copy(update={"requests": prompts})
    made.folder.store.replace(key, older.to_json().encode())
    one = made.qualify("rehearsal-reader", lang="zh", limit=1).verdicts[0]
    assert one.protocol_sha256 == older.sha256() != locked.sha256()
    other = made.qualify("rehearsal-reader", lang="en", limit=1).verdicts[0]
    assert other.protocol_sha256 == load_protocol("en").sha256()


def test_names_and_languages_that_nobody_knows_are_refused(study: Study) -> None:
    with pytest.raises(ConfigError, match="did you mean 'exact'"):
        study.qualify("exakt")
    with pytest.raises(ConfigError, match="zh and en"):
        study.qualify("exact", lang="fr")
