"""Where tasks and personas come from: PDR-Bench, a folder of one's own, or the bundled set."""

from importlib.resources import files
from pathlib import Path

from draligned.constructors.pdr import parse_personas, parse_tasks
from draligned.schema.base import Record, sha256_text
from draligned.schema.design import Lang, Persona, TaskRecord
from draligned.schema.errors import InputError


class Source(Record):
    """Tasks and personas of one language."""

    lang: Lang
    label: str
    """What they are, with file hashes; never a path."""
    tasks: tuple[TaskRecord, ...]
    personas: tuple[Persona, ...]

    @property
    def bundled(self) -> bool:
        """Whether these are the tasks and personas that come with the package."""
        return self.label.startswith("bundled")

    def persona(self, user_id: str) -> Persona | None:
        """The profile of a user, or none."""
        return next((p for p in self.personas if p.user_id == user_id), None)

    def task(self, task_id: str) -> TaskRecord | None:
        """The task with this id, or none."""
        return next((t for t in self.tasks if t.task_id == task_id), None)


class _Text(Record):
    name: str
    text: str


def load_source(pdr_bench: Path | None, lang: Lang, own: Path | None = None) -> Source:
    """Tasks and personas of a PDR-Bench folder as published, of one's own, or the bundled ones.

    `own` holds tasks.jsonl and personas.jsonl, with the lines of PDR-Bench.
    Raises `InputError` naming the file that is missing or cannot be read.
    """
    if own is not None:
        if pdr_bench is not None:
            raise InputError("name a folder of PDR-Bench or one of your own, not both")
        name, queries, personas = "own", _own(own, "tasks"), _own(own, "personas")
    elif pdr_bench is None:
        name, queries, personas = "bundled", _bundled("tasks", lang), _bundled("personas", lang)
    else:
        name, queries = "PDR-Bench", _published(pdr_bench, "prompt_data/queries*", "queries", lang)
        personas = _published(pdr_bench, "persona_data/personas", "personas", lang)
    label = "; ".join(
        [f"{name} {lang}", *(f"{t.name} sha256 {sha256_text(t.text)}" for t in (queries, personas))]
    )
    return Source(
        lang=lang,
        label=label,
        tasks=parse_tasks(queries.text, lang=lang, name=queries.name),
        personas=parse_personas(personas.text, lang=lang, name=personas.name),
    )


def _own(folder: Path, stem: str) -> _Text:
    path = folder / f"{stem}.jsonl"
    if not path.is_file():
        raise InputError(
            f"there is no {path.name} in {folder}: a folder of your own holds tasks.jsonl and "
            "personas.jsonl; docs/guide.md shows their lines"
        )
    return _read(path)


def _bundled(stem: str, lang: Lang) -> _Text:
    name = f"{stem}_{lang}.jsonl"
    text = files("draligned.bench_data").joinpath(name).read_text("utf-8")
    return _Text(name=name, text=text)


def _published(folder: Path, stem: str, what: str, lang: Lang) -> _Text:
    pattern = f"data/{stem}_{lang}.jsonl"
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputError(_missing(folder, pattern, what, lang))
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise InputError(f"{folder} holds more than one {pattern}: {names}; leave one")
    return _read(found[0])


def _read(path: Path) -> _Text:
    try:
        return _Text(name=path.name, text=path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror}") from None


def _missing(folder: Path, pattern: str, what: str, lang: Lang) -> str:
    if not folder.is_dir():
        return f"{folder} is not a folder; name the folder that holds PDR-Bench's `data`"
    language = {"zh": "Chinese", "en": "English"}[lang]
    return (
        f"{pattern} is missing from {folder}: no {language} {what} there; leave out the PDR-Bench "
        f'folder to use the bundled {language} set (lang = "{lang}")'
    )
