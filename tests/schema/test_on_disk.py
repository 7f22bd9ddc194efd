"""What older studies hold can still be read: fields stay, and new ones have a default.

`golden/fields.json` has the fields of every record in `draligned.schema` with their defaults.
`python tests/schema/test_on_disk.py` writes it anew, when a record was added or changed on purpose.
"""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_core import to_jsonable_python

import draligned.schema
from draligned.schema.base import Record

GOLDEN = Path(__file__).parent / "golden" / "fields.json"
NEEDED = "must be there"
Fields = dict[str, dict[str, object]]


def records() -> Iterator[type[Record]]:
    """Every record of the schema."""
    for found in pkgutil.iter_modules(draligned.schema.__path__):
        module = importlib.import_module(f"draligned.schema.{found.name}")
        for thing in vars(module).values():
            own = isinstance(thing, type) and thing.__module__ == module.__name__
            if own and issubclass(thing, Record) and thing is not Record:
                yield thing


def fields() -> Fields:
    """Module and name of each record -> its fields, each with its default."""
    return {
        f"{record.__module__.removeprefix('draligned.schema.')}.{record.__name__}": {
            name: NEEDED
            if field.is_required()
            else to_jsonable_python(field.get_default(call_default_factory=True))
            for name, field in record.model_fields.items()
        }
        for record in records()
    }


def golden() -> Fields:
    """The fields that studies on disk may have."""
    found: Fields = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


WRITING = __name__ == "__main__"


@pytest.mark.parametrize("record", [] if WRITING else sorted(golden()))
def test_a_record_written_before_can_be_read(record: str) -> None:
    before, now = golden()[record], fields().get(record, {})
    assert before.keys() <= now.keys()
    assert {n for n in now.keys() - before.keys() if now[n] == NEEDED} == set()
    assert {n for n in before if before[n] not in (now[n], NEEDED)} == set()


if WRITING:
    GOLDEN.parent.mkdir(exist_ok=True)
    text = json.dumps(fields(), indent=1, sort_keys=True, ensure_ascii=False)
    GOLDEN.write_text(f"{text}\n", encoding="utf-8")
