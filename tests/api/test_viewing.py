"""The pages of a study, served from a notebook."""

from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from draligned import api
from draligned.schema.errors import ConfigError, DesignError


def test_a_study_is_served_until_it_is_stopped(tmp_path: Path) -> None:
    study = api.open(tmp_path / "study")
    with pytest.raises(DesignError, match="draligned construct"):
        study.view()
    study.construct(tasks=1)
    with study.view(lang="en") as viewer:
        assert viewer.is_running
        assert urlopen(viewer.address).status == 200
        port = int(viewer.address.split(":")[2].split("/")[0])
        with pytest.raises(ConfigError, match=f"port {port} cannot be used"):
            study.view(port=port)
        with study.view() as other:
            assert other.address != viewer.address
    assert not viewer.is_running
    viewer.stop()
    assert viewer.address not in repr(viewer)
    with pytest.raises(URLError):
        urlopen(viewer.address, timeout=5)


def test_pages_are_in_a_language_that_there_is(tmp_path: Path) -> None:
    study = api.open(tmp_path / "study")
    study.construct(tasks=1)
    with pytest.raises(ConfigError, match="zh or en"):
        study.view(lang="fr")
