"""YAML that is no manifest, a config file: what it says, and in which line it says it."""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import EngineError, Field, Locate, Parse
from watchbill.errors import UserError
from watchbill.patterns import regex

Path = tuple[str | int, ...]

_SPEAKER = regex(r"^(error converting YAML to JSON: )?(yaml: )?(line \d+: )?")
# What people most often meant where the YAML reader only says what it stumbled over.
_HINTS = (
    (regex("unknown anchor '"), "put what begins with * into quotes"),
    (
        regex("character that cannot start any token"),
        "indent with spaces, and put what begins with @ or ` into quotes",
    ),
    (
        regex("mapping values are not allowed"),
        "look at the indentation, and quote texts with ': ' in them",
    ),
    (regex("did not find expected key"), "look at the indentation of this line and of those before it"),
    (regex("value contains itself"), "replace the alias by its content"),
    (regex("duplicate key"), "remove one of them"),
)


class PlainFile(Struct, frozen=True):
    name: str
    text: str
    content: Any = None  # of its one document; None where there is nothing but comments
    index: int = 0  # of that document: one of comments may stand before it
    line: int = 1  # where it begins


def read(engine: Engine, name: str, text: str) -> PlainFile:
    """A file of one document, in which each key stands once."""
    found = PlainFile(name, text)
    bodies = {}
    for answer in engine.ask(Parse(name=name, text=text, plain=True)):
        if answer.body is not None:
            bodies[answer.body.digest] = answer.body.object
        if answer.rendered is None:
            continue
        if answer.rendered.error is not None:
            raise _unreadable(found, answer.rendered.error)
        for document in answer.rendered.documents:
            content = bodies[document.digest]
            if content is None:
                continue
            if found.content is not None:
                raise UserError(
                    f"{name}:{document.line}: a second YAML document begins",
                    then="only one can be read: put it all into one, without '---' in between",
                )
            found = PlainFile(name, text, content, document.index, document.line)
    return found


def lines(engine: Engine, file: PlainFile, paths: Iterable[Path]) -> list[int]:
    """The line of each field: of its key, or of the item in a list."""
    fields = tuple(Field(path=path, index=file.index) for path in paths)
    if not fields:
        return []
    [answer] = engine.ask(Locate(fields=fields, text=file.text))
    return [place.steps[0].line if place.steps else file.line for place in answer.places]


def _unreadable(file: PlainFile, error: EngineError) -> UserError:
    words = _SPEAKER.sub("", error.message.strip())
    hint = next((then for pattern, then in _HINTS if pattern.search(words)), None)
    return UserError(f"{file.name}:{_alias_line(file, words) or error.line}: {words}", then=hint)


def _alias_line(file: PlainFile, words: str) -> int:
    """The YAML reader names no line where an alias is wrong; 0 where it is not one that is."""
    alias = re.search(r"anchor '([^']+)'", words)
    at = file.text.find(f"*{alias[1]}") if alias else -1
    return file.text.count("\n", 0, at) + 1 if at >= 0 else 0
