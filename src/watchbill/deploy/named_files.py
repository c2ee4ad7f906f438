"""Files, charts and modules that a bill names: where they are, and what is wrong where they are not."""

import glob
import os
import stat
from importlib.util import find_spec
from typing import NamedTuple

from watchbill.checking.inputs.fetching import without_login
from watchbill.checking.settings.shape import quoted
from watchbill.lifecycle.moves import closest

CHART_FILE = "Chart.yaml"
ARCHIVES = (".tgz", ".tar.gz")
GZIP = b"\x1f\x8b"
FROM_HERE = "paths are from the folder of this file"


class Wrong(NamedTuple):
    what: str
    then: str = ""


class FoundChart(NamedTuple):
    at: str  # an absolute path, or what helm resolves
    is_local: bool


def chart(folder: str, text: str, version: str) -> FoundChart | Wrong:
    """Nothing is guessed: what could be a folder and a chart of a repository is what is there."""
    if "://" in text:
        return _from_afar(text, version)
    path = _absolute(folder, text)
    if os.path.lexists(path):
        wrong = _not_a_chart(text, path)
        if not wrong and version:
            wrong = Wrong(
                f"version is for charts of a repository, and {quoted(text)} lies here",
                "leave version out: the chart has its own",
            )
        return wrong or FoundChart(path, is_local=True)
    if not _can_be_of_a_repository(text):
        return Wrong(f"no chart at {quoted(text)}", _neighbour(folder, text) or FROM_HERE)
    if not version:
        return Wrong(
            f"no chart at {quoted(text)}",
            _neighbour(folder, text) or "if it is REPOSITORY/CHART, say which version of it",
        )
    return FoundChart(text, is_local=False)


def _from_afar(text: str, version: str) -> FoundChart | Wrong:
    scheme, _, rest = text.partition("://")
    said = quoted(without_login(text))
    if scheme == "file":
        return Wrong(f"charts have no {scheme}:// here", "write the path alone")
    if scheme != "oci":
        return FoundChart(text, is_local=False)
    last = rest.rpartition("/")[2]
    if not rest.strip("/") or not last:
        return Wrong(f"{said} names no chart", "write it as oci://REGISTRY/PATH/CHART")
    if not version and ":" not in last and "@" not in last:
        return Wrong(f"nothing says which version of {said}", "say version, like 1.4.0")
    return FoundChart(text, is_local=False)


def _can_be_of_a_repository(text: str) -> bool:
    repository, slash, name = text.partition("/")
    is_path = text.startswith((".", "~")) or name.endswith(ARCHIVES)
    return bool(repository and slash and name) and "/" not in name and not is_path


def _not_a_chart(text: str, path: str) -> Wrong | None:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return _without_chart_file(text, path)
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:
                if file.read(len(GZIP)) == GZIP:
                    return None
    except OSError as error:
        return Wrong(f"the chart {quoted(text)} cannot be read: {error.strerror}")
    then = (
        "name its folder"
        if os.path.basename(path) == CHART_FILE
        else "name a folder, or an archive of helm package"
    )
    return Wrong(f"{quoted(text)} is not a chart", then)


def _without_chart_file(text: str, path: str) -> Wrong | None:
    if os.path.isfile(os.path.join(path, CHART_FILE)):
        return None
    inside = sorted(name for name in os.listdir(path) if os.path.isfile(os.path.join(path, name, CHART_FILE)))
    then = f"did you mean {os.path.join(text, inside[0])!r}?" if inside else ""
    return Wrong(f"{quoted(text)} is not a chart: it has no {CHART_FILE}", then)


def values_file(folder: str, text: str) -> str | Wrong:
    if "://" in text:
        return text
    if text == "-":
        return Wrong("values cannot come from stdin", "name a file")
    return _file(folder, text, "values file")


def definitions(folder: str, text: str) -> str | Wrong:
    """A file or a folder of CustomResourceDefinitions."""
    if "://" in text:
        return Wrong(f"{quoted(without_login(text))} is not fetched", "download it, and name the file")
    path = _absolute(folder, text)
    return path if os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK) else _file(folder, text, "file")


def _file(folder: str, text: str, what: str) -> str | Wrong:
    path = _absolute(folder, text)
    if not os.path.exists(path):
        return Wrong(f"{what} {quoted(text)}: no such file", _neighbour(folder, text) or FROM_HERE)
    if not os.path.isfile(path):
        return Wrong(
            f"{quoted(text)} is not a file", "name the files that are in it" if os.path.isdir(path) else ""
        )
    return path if os.access(path, os.R_OK) else Wrong(f"{quoted(text)} cannot be read: Permission denied")


def modules(folder: str, text: str) -> Wrong | None:
    """What is wrong with what names modules of jobs. Nothing of them is run here."""
    path = _absolute(folder, text)
    if glob.has_magic(text):
        return (
            None
            if glob.glob(path, recursive=True)
            else Wrong(f"nothing matches {quoted(text)}", _neighbour(folder, text))
        )
    if os.path.isdir(path) or (os.path.isfile(path) and text.endswith(".py")):
        return None
    if os.path.isfile(path):
        return Wrong(f"{quoted(text)} is not a Python module", "name a .py file")
    if "/" in text or text.endswith(".py") or not all(part.isidentifier() for part in text.split(".")):
        return Wrong(f"{quoted(text)}: no such file", _neighbour(folder, text) or FROM_HERE)
    if not _is_importable(text):
        return Wrong(
            f"no module {quoted(text)}",
            _neighbour(folder, text) or "install it beside watchbill, or name a .py file",
        )
    return None


def _is_importable(text: str) -> bool:
    first = text.partition(".")[0]
    try:
        return find_spec(first) is not None
    except (ImportError, ValueError):  # one that is loaded and does not know where it comes from
        return True


def _neighbour(folder: str, text: str) -> str:
    """Something beside it that is called alike, whatever it ends with."""
    around, name = os.path.split(os.path.normpath(text))
    try:
        by_stem = {os.path.splitext(one)[0]: one for one in sorted(os.listdir(os.path.join(folder, around)))}
    except OSError:
        return ""
    close = closest(os.path.splitext(name)[0], by_stem)
    return f"did you mean {os.path.join(around, by_stem[close])!r}?" if close else ""


def _absolute(folder: str, text: str) -> str:
    return os.path.normpath(os.path.join(folder, text))
