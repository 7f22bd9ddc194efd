import pytest

from draligned.schema.config import StudyConfig
from draligned.schema.errors import ConfigError
from draligned.store.local import LocalStore
from draligned.study.config import KEY, parse_config, read_config, write_default

MODEL = "[models.a]\nprovider = 'rehearsal'\nmodel = 'x'\n"


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
        ('[run]\nmodels = "a"', '`run.models`: must be a list, e.g. ["a", "b"], not'),
        ("run = 3", "`run`: must be a table, not 3"),
        ("[construction]\ntasks = 'two'", "must be a whole number, not 'two'"),
        ("[models.a]\nmodel = 'x'", "`models.a.provider`: is missing"),
        (f"{MODEL}params = {{ temperature = nan }}", "`models.a.params.temperature` cannot"),
        (f"{MODEL}params = {{ at = 2026-01-01 }}", "`models.a.params.at` cannot be sent as JSON"),
    ],
)
def test_a_wrong_file_gets_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"study\.toml") as caught:
        parse_config(text.encode())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="not UTF-8"):
        parse_config(b"\xff\xfe\x00")


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parse_config("\ufeffname = '研究'".encode()).name == "研究"


def test_a_key_in_place_of_its_name_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="name of an environment variable") as caught:
        parse_config(b"[providers.mine]\napi_key_env = 'sk-secret'")
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("127.0.0.1:8099/v1", "`providers.mine.base_url` must begin with http:// or https://"),
        ("http://h:port/v1", "must begin with http:// or https:// and name a host"),
        ("https://", "must begin with http:// or https:// and name a host"),
        ("http://h/v1/chat/completions", "must end before /chat/completions"),
        ("http://h/v1/responses/", "must end before /responses"),
        ("https://me:sk-hidden@h/v1", "a name, password or key must not stand in it"),
        ("https://h/v1?key=sk-hidden", "a name, password or key must not stand in it"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(address: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(f"[providers.mine]\nbase_url = '{address}'".encode())
    assert line in str(caught.value)
    assert "sk-hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"{MODEL}params = {{ api_key = 'sk-hidden' }}",
        f"{MODEL}params = {{ extra_headers = {{ Authorization = 'Bearer sk-hidden' }} }}",
        f"{MODEL}params = {{ tools = [{{ headers = {{ X-API-Key = 'sk-hidden' }} }}] }}",
        f"{MODEL}[models.a.thinking.on]\ntoken = 'sk-hidden'",
        "[retrieval.web]\nkind = 'exa'\nparams = { key = 'sk-hidden' }",
    ],
)
def test_a_key_among_what_is_sent_is_refused_and_not_repeated(line: str) -> None:
    with pytest.raises(ConfigError, match="keys come from api_key_env alone") as caught:
        parse_config(line.encode())
    assert "sk-hidden" not in str(caught.value)


def test_settings_that_only_sound_like_keys_are_sent() -> None:
    params = "max_tokens = 9, prompt_cache_key = 'x', token = 3, schema = {key = {type = 'string'}}"
    sent = parse_config(f"{MODEL}params = {{ {params} }}".encode()).models["a"].params
    assert set(sent) == {"max_tokens", "prompt_cache_key", "token", "schema"}


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    with pytest.raises(ConfigError, match=r"must be a whole number, not 'x{58}…$"):
        parse_config(f"[run]\nreplicates = '{'x' * 4000}'".encode())
