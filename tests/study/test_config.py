import pytest

from draligned.schema.config import StudyConfig
from draligned.schema.errors import ConfigError
from draligned.store.local import LocalStore
from draligned.study.config import KEY, parse_config, read_config, write_default


def test_the_default_file_says_the_defaults(tmp_path) -> None:  # type: ignore[no-untyped-def]
    store = LocalStore(tmp_path)
    assert read_config(store) == StudyConfig()
    assert write_default(store)
    assert not write_default(store)
    assert read_config(store) == StudyConfig()
    assert b"api_key_env" in (store.get(KEY) or b"")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\nreplicate = 2", "unknown key `run.replicate`; did you mean `replicates`?"),
        ("[providers.x]\nbase_ur = 'y'", "`providers.x.base_ur`; did you mean `base_url`?"),
        ("zzz = 1", "unknown key `zzz`; known keys: name, seed"),
        ("[run]\nreplicates = 0", "`run.replicates`: Input should be greater than"),
        ("[run]\nreplicates = nan", "`run.replicates`"),
        ("a = ", "study.toml cannot be read"),
    ],
)
def test_a_wrong_file_gets_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"study\.toml") as caught:
        parse_config(text.encode())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="not UTF-8|cannot be read"):
        parse_config(b"\xff\xfe\x00")


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parse_config("\ufeffname = '研究'".encode()).name == "研究"
