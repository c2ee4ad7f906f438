"""What a chart says of itself, read without loading it: also of charts that cannot be installed as they lie."""

import os
from typing import Any

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.charts.render import parse
from watchbill.errors import UserError

CHART_FILE = "Chart.yaml"
OLD_REQUIREMENTS = "requirements.yaml"  # where Helm 2 had dependencies
LOCK_FILES = ("Chart.lock", "requirements.lock")
_LARGEST = 1 << 20  # of a Chart.yaml
_FURTHEST = 100 << 20  # into an archive: what Helm reads of one
_LOCAL = "file://"


class Dependency(Struct, frozen=True):
    name: str
    version: str  # often a range; exact where it comes from a lock file
    repository: str

    def directory(self, of: str) -> str | None:
        """Where a `file://` dependency of the chart in that directory lies, as Helm finds it."""
        if not self.repository.startswith(_LOCAL):
            return None
        return os.path.normpath(os.path.join(of, self.repository.removeprefix(_LOCAL)))


class Metadata(Struct, frozen=True):
    name: str = ""
    version: str = ""
    type: str = ""
    dependencies: tuple[Dependency, ...] = ()
    locked: tuple[Dependency, ...] = ()


def is_chart(directory: str) -> bool:
    """A link that leads nowhere counts: it was meant as one, and is complained about when the chart is read."""
    return os.path.lexists(os.path.join(directory, CHART_FILE))


def read(engine: Engine, path: str) -> Metadata:
    """Of a directory or an archive. What cannot be read says nothing here: whoever loads the chart complains."""
    if not os.path.isdir(path):
        return _metadata(_yaml(engine, _packed(path)), {}, {})
    old, lock = (
        _yaml(engine, _file(path, "requirements.yaml")),
        next((text for name in LOCK_FILES if (text := _file(path, name))), ""),
    )
    return _metadata(_yaml(engine, _file(path, CHART_FILE)), old, _yaml(engine, lock))


def is_library(engine: Engine, path: str) -> bool:
    """Asks the engine only about charts that might be one: a comment about them stands in every chart that Helm makes."""
    text = _file(path, CHART_FILE) if os.path.isdir(path) else _packed(path)
    might_be = any("library" in line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return might_be and _yaml(engine, text).get("type") == "library"


def local_closure(engine: Engine, directory: str) -> tuple[str, ...]:
    """The chart's directory and those of its `file://` dependencies and theirs, each before what needs it."""
    found: dict[str, None] = {}

    def visit(at: str, inside: tuple[str, ...]) -> None:
        if at in found or at in inside or not is_chart(at):
            return
        for dependency in read(engine, at).dependencies:
            if local := dependency.directory(at):
                visit(local, (*inside, at))
        found[at] = None

    visit(os.path.normpath(directory), ())
    return tuple(found)


def _metadata(chart: dict[str, Any], requirements: dict[str, Any], lock: dict[str, Any]) -> Metadata:
    return Metadata(
        name=_word(chart, "name"),
        version=_word(chart, "version"),
        type=_word(chart, "type"),
        dependencies=_dependencies(chart) or _dependencies(requirements),
        locked=_dependencies(lock),
    )


def _dependencies(said: dict[str, Any]) -> tuple[Dependency, ...]:
    listed = said.get("dependencies")
    return tuple(
        Dependency(_word(one, "name"), _word(one, "version"), _word(one, "repository"))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict)
    )


def _word(said: dict[str, Any], key: str) -> str:
    value = said.get(key)
    return value if isinstance(value, str) else ""


def _yaml(engine: Engine, text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        [document] = parse(engine, CHART_FILE, text).documents
    except (UserError, ValueError):
        return {}
    return document.object if isinstance(document.object, dict) else {}


def _file(directory: str, name: str) -> str:
    path = os.path.join(directory, name)
    if not os.path.isfile(path):  # a pipe would keep us waiting
        return ""
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST).decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _packed(path: str) -> str:
    """The Chart.yaml of an archive's top folder."""
    import tarfile
    import zlib

    if not os.path.isfile(path):
        return ""
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                if member.offset_data + member.size > _FURTHEST:
                    return ""
                if member.isfile() and member.name.removeprefix("./").split("/")[1:] == [CHART_FILE]:
                    file = archive.extractfile(member)
                    return file.read(_LARGEST).decode() if file else ""
    except (OSError, EOFError, tarfile.TarError, zlib.error, UnicodeDecodeError):
        return ""
    return ""
