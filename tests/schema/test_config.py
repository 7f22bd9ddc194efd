"""Settings: shares are shares, and nothing is on or off by accident."""

import pytest
from pydantic import ValidationError

from draligned.schema.config import ControlsConfig, MeasureConfig, ReadingConfig, SourceConfig

SHARES = sorted(ControlsConfig.model_fields)


@pytest.mark.parametrize("name", SHARES)
def test_a_share_is_from_none_to_all(name: str) -> None:
    for share in (0, 0.5, 1):
        assert getattr(ControlsConfig.model_validate({name: share}), name) == share
    for share in (-0.01, 1.01, "half"):
        with pytest.raises(ValidationError):
            ControlsConfig.model_validate({name: share})


def test_what_is_safe_is_the_default() -> None:
    assert ReadingConfig().robots
    assert ReadingConfig().allow == ()
    assert not MeasureConfig().include_development
    assert SourceConfig(kind="embedded").mode == "record"
