"""What was planned under each arm, fixed by the first that asks for it (SI-67, SI-94)."""

from collections.abc import Iterable

from draligned.progress.lanes import ROOT
from draligned.progress.rollout.arms import ARMS
from draligned.progress.rollout.shelf import ROLLOUT
from draligned.progress.rollout.world import World
from draligned.schema.design import Lang
from draligned.schema.errors import ConfigError
from draligned.schema.rollout import RolloutArm, RolloutPart
from draligned.store.protocol import Store
from draligned.study.stored import stored


def plan(store: Store, arm: RolloutArm, lang: Lang, repetitions: int) -> RolloutPart:
    """The part of the plan as it stands, by this call if it did not. Raises `ConfigError` where
    another number of repetitions was fixed."""
    key = _key(arm.name, lang)
    asked = RolloutPart(arm=arm, lang=lang, repetitions=repetitions)
    store.put_if_absent(key, asked.to_json().encode() + b"\n")
    found = stored(RolloutPart, store.get(key) or b"", key)
    if found.repetitions != repetitions:
        raise ConfigError(
            f"gate {arm.name} was begun here with {found.repetitions} repetitions; "
            f"go on with `--repetitions {found.repetitions}`"
        )
    return found


def parts(store: Store) -> tuple[RolloutPart, ...]:
    """All that was planned in this study, in the order of arms, then by language."""
    keys = store.list(f"{ROOT}/{ROLLOUT}/plan")
    found = (stored(RolloutPart, store.get(key) or b"", key) for key in keys)
    return tuple(sorted(found, key=lambda p: (list(ARMS).index(p.arm.name), p.lang)))


def keep_worlds(store: Store, worlds: Iterable[World]) -> None:
    """Store the texts behind every hash that a cell may name."""
    for world in worlds:
        store.put_if_absent(
            f"{ROOT}/{ROLLOUT}/worlds/{world.key}.json", world.to_json().encode() + b"\n"
        )


def _key(arm: str, lang: Lang) -> str:
    return f"{ROOT}/{ROLLOUT}/plan/{arm}-{lang}.json"
