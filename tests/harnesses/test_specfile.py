"""A user's harness as a TOML file: what is read, and the line for everything that is wrong."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draligned.harnesses.registry import HARNESSES
from draligned.harnesses.specfile import MAX_BYTES, load_spec, parse_spec, template
from draligned.harnesses.texts import SEARCH
from draligned.harnesses.toolbox import TOOLS
from draligned.schema.errors import ConfigError
from draligned.schema.harness import HarnessSpec

BASE = """
name = "mine"
acquisition = ["search", "read"]
workspace = ["write_report"]
finalization = ["submit_report"]
tool_order = ["search", "read", "submit_report", "write_report"]
"""
ACCESS = """
[access]
acquisition = ["user_message", "results", "drafts"]
"""


def spec_of(text: str) -> HarnessSpec:
    spec, faults = parse_spec(text.encode())
    assert faults == ()
    assert spec is not None
    return spec


def as_toml(spec: HarnessSpec) -> str:
    """A spec as a user would write it."""
    told = spec.model_dump(mode="json", exclude={"texts", "instrumentation"})
    tables = {key: told.pop(key) for key in ("access", "budget")}
    lines = [f"{key} = {_value(value)}" for key, value in told.items()]
    for key, table in tables.items():
        lines += [f"[{key}]", *(f"{k} = {_value(v)}" for k, v in table.items())]
    return "\n".join(lines)


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def test_the_template_is_sound_and_coupled_by_another_name() -> None:
    spec = spec_of(template())
    coupled = HARNESSES["coupled"]
    assert spec == coupled.model_copy(update={"name": "my-harness"})


def test_the_template_names_every_key_and_every_gate() -> None:
    text = template()
    keys = set(HarnessSpec.model_fields) - {"texts", "instrumentation"}
    assert [key for key in keys if f"{key} =" not in text and f"[{key}]" not in text] == []
    assert all(name in text for name in ("runtime_owned", "submit_saved_report", "python"))


@pytest.mark.parametrize("name", HARNESSES)
def test_a_built_in_harness_written_as_a_file_is_that_harness(name: str) -> None:
    spec = spec_of(as_toml(HARNESSES[name]))
    assert spec.key == HARNESSES[name].key


def test_what_the_program_adds_to_a_harness_is_part_of_its_identity() -> None:
    plain, gated = spec_of(BASE), spec_of(f'gate = "marker"\n{BASE}')
    assert len({plain.texts, gated.texts, ""}) == 3


def test_another_wording_of_a_tool_makes_another_harness(monkeypatch: pytest.MonkeyPatch) -> None:
    before = spec_of(BASE).key
    said = {**SEARCH, "zh": SEARCH["zh"]._replace(tool="搜一搜。")}
    monkeypatch.setitem(TOOLS, "search", dataclasses.replace(TOOLS["search"], text=said))
    assert spec_of(BASE).key != before


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["`name` is missing", "`acquisition` is missing", "`workspace` is missing",
              "`finalization` is missing", "`tool_order` is missing"]),
        (f"gat = 'x'\n{BASE}", ["unknown key `gat`; did you mean `gate`?"]),
        (f"{BASE}\n[budget]\ntool = 3", ["unknown key `budget.tool`; did you mean `tools`?"]),
        (f"zzz = 1\n{BASE}", ["unknown key `zzz`; known keys: name, acquisition"]),
        (f"gate = 'x'\n{BASE}", ["`gate` must be 'no_tool_call', 'marker'"]),
        (f"scripted_turns = true\n{BASE}", ["`scripted_turns` must be a whole number, not True"]),
        (f"scripted_turns = 1.5\n{BASE}", ["`scripted_turns` must be a whole number, not 1.5"]),
        (f"development_only = 'yes'\n{BASE}", ["`development_only` must be true or false"]),
        (f"access = 3\n{BASE}", ["`access` must be a table, not 3"]),
        (f"budget = 3\n{BASE}", ["`budget` must be a table, not 3"]),
        (f"{BASE}\n[access]\nworkspace = ['all']", ["`access.workspace.0` must be"]),
        (BASE.replace('["search", "read"]\nw', '"search"\nw'), ["`acquisition` must be a list"]),
        (f"texts = ''\n{BASE}", ["`texts` is set by the program; leave it out"]),
        (f"instrumentation = 'events-1'\n{BASE}", ["`instrumentation` is set by the program"]),
        (f"topology = 2020-01-01\n{BASE}", ["use texts, whole numbers"]),
        (f"scripted_turns = nan\n{BASE}", ["use texts, whole numbers"]),
        (BASE.replace("mine", "coupled"), ["the name 'coupled' is that of a built-in harness"]),
        ("name = ", ["this is no TOML: "]),
        (f"name = 'x'\n{BASE}", ["this is no TOML: "]),
        ("x" * (MAX_BYTES + 1), ["the file is too long"]),
    ],
)  # fmt: skip
def test_one_line_for_every_fault(text: str, lines: list[str]) -> None:
    spec, faults = parse_spec(text.encode())
    assert spec is None
    assert len(faults) == len(lines)
    for fault, line in zip(faults, lines, strict=True):
        assert fault.startswith(line)
        assert "\n" not in fault


def test_bytes_that_are_not_utf8_are_said_to_be_so() -> None:
    assert parse_spec(b"name = '\xff'").faults == ("the file is not UTF-8 (byte 8); save it so",)
    assert parse_spec(b"\xef\xbb\xbf" + BASE.encode()).spec is not None


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace")))
def test_any_bytes_give_a_spec_or_faults(data: bytes) -> None:
    spec, faults = parse_spec(data)
    assert (spec is None) == bool(faults)
    assert all(fault.isprintable() for fault in faults)


def test_load_spec_takes_names_and_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BASE + ACCESS, encoding="utf-8")
    assert load_spec(str(path)) == spec_of(BASE + ACCESS)
    assert load_spec("H-W") is HARNESSES["H-W"]


def test_load_spec_says_in_one_line_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(ConfigError, match=r"mine.toml cannot be read: No such file"):
        load_spec(str(path))
    with pytest.raises(ConfigError, match=r"mine\\x00.toml cannot be read: embedded null"):
        load_spec("mine\0.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_spec(f"{tmp_path}/")
    with pytest.raises(ConfigError, match="did you mean 'coupled'"):
        load_spec("copled")
    path.write_text("name = 'x'\n")
    with pytest.raises(ConfigError, match=r"`acquisition` is missing \(and 3 more\)"):
        load_spec(str(path))
    path.write_text(BASE)
    with pytest.raises(ConfigError, match="'mine', rule usable: search needs access to results"):
        load_spec(str(path))
