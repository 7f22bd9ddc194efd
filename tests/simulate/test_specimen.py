from dataclasses import replace

from draligned.schema.config import MeasureConfig
from draligned.simulate.asked import Wanted, question_of
from draligned.simulate.expected import expected_d
from draligned.simulate.power import USUAL
from draligned.simulate.specimen import PLANTED, Specimen, specimen_tables

WANTED = Wanted(
    tasks=30, models=2, replicates=1, readability={}, effects={"A": (0.3,), "F": (0.6,)}
)
CONFIG = MeasureConfig(draws=200)


def asked(**changes: object) -> Specimen:
    wanted = replace(WANTED, **changes)  # type: ignore[arg-type]
    return Specimen(question=question_of(wanted, None, beside_zero=False), evaluators=2)


def test_both_effects_are_planted_together() -> None:
    scenario = asked().scenario
    assert abs(expected_d(scenario, "A") - 0.3) < 1e-9
    assert abs(expected_d(scenario, "F") - 0.6) < 1e-9
    assert scenario.min_requests == scenario.max_requests == 8


def test_estimates_are_near_what_was_planted_and_seeds_decide() -> None:
    made = specimen_tables(asked(), CONFIG, only=("estimates",))
    assert made[PLANTED]["planted"].tolist() == [0.3, 0.6]
    rows = made["estimates"]
    whole = rows[(rows["model"] == "all") & (rows["population"] == "readable")]
    for estimand, truth in (("D_A", 0.3), ("D_F", 0.6)):
        own = whole[whole["estimand"] == estimand]
        assert len(own) == 2
        assert ((own["ci_union_lo"] < truth) & (truth < own["ci_union_hi"])).all()
    again = specimen_tables(asked(), CONFIG, only=("estimates",))
    assert all(made[name].equals(again[name]) for name in made)


def test_an_evaluators_faults_are_in_the_tables() -> None:
    biased = replace(USUAL, slot_bias=0.3)
    made = specimen_tables(asked(reader=biased), CONFIG, only=("order_effects",))["order_effects"]
    whole = made[(made["model"] == "all") & (made["kind"] == "request")]
    assert (whole["slot_lean"] > 0.2).all()
    plain = specimen_tables(asked(), CONFIG, only=("order_effects",))["order_effects"]
    assert (plain.loc[plain["model"] == "all", "slot_lean"] == 0).all()
