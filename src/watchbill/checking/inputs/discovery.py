"""Charts in the folders a user names, and the values that come with them."""

import errno
import os
from collections.abc import Iterator

from watchbill.checking.inputs.metadata import CHART_FILE, is_chart
from watchbill.errors import UserError

# The charts in it are a chart's dependencies.
DEPENDENCIES = "charts"
ARCHIVES = (".tgz", ".tar.gz")
_NEVER_CHARTS = frozenset({"node_modules"})
_DEEPEST = 64


def charts_at(path: str) -> list[str | UserError]:
    """The chart at this path, the one that a file is part of, or all charts below a directory.

    An error stands for what is there and cannot be read: the others are good all the same.
    """
    try:
        os.stat(path)
    except (OSError, ValueError) as error:
        return [_unreachable(path, error)]
    if not os.path.isdir(path):
        return [path if path.endswith(ARCHIVES) else _chart_around(path)]
    if is_chart(path):
        return [path]
    directories, archives = list[str | UserError](), list[str | UserError]()
    for found in _walk(path, set(), 0):
        (archives if isinstance(found, str) and found.endswith(ARCHIVES) else directories).append(found)
    # A repository of charts may also keep packages of all their former versions.
    if any(isinstance(found, str) for found in directories):
        return directories
    return [*directories, *archives] or [_no_chart(path)]


def is_of_a_chart(path: str) -> bool:
    """False for a file that is neither a packaged chart nor part of one."""
    return not os.path.isfile(path) or path.endswith(ARCHIVES) or isinstance(_chart_around(path), str)


def profiles(directory: str) -> tuple[str, ...]:
    """Values a chart is tried with: `ci/*-values.yaml`, as chart-testing has it."""
    folder = os.path.join(directory, "ci")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith("-values.yaml"))
    except OSError:
        return ()
    return tuple(os.path.join(folder, name) for name in names)


def _walk(directory: str, seen: set[str], depth: int) -> Iterator[str | UserError]:
    real = os.path.realpath(directory)
    if real in seen or depth > _DEEPEST:  # links may lead in circles
        return
    seen.add(real)
    try:
        names = sorted(os.listdir(directory))
    except OSError as error:
        yield _unreachable(directory, error)
        return
    if CHART_FILE in names:
        yield directory
        return
    for name in names:
        path = name if directory == os.curdir else os.path.join(directory, name)
        if name.startswith(".") or name in _NEVER_CHARTS:
            continue
        if os.path.isdir(path):
            yield from _walk(path, seen, depth + 1)
        elif name.endswith(".tgz") and os.path.isfile(path):
            yield path


def _chart_around(file: str) -> str | UserError:
    """pre-commit names files: each stands for the chart it is part of."""
    at = os.path.dirname(file) or "."
    while not is_chart(at):
        above = os.path.normpath(os.path.join(at, ".."))
        if os.path.samefile(above, at):
            return _no_chart_around(file)
        at = above
    return _whose_dependency(at)


def _whose_dependency(chart: str) -> str:
    """The outermost chart: one in `charts/` belongs to another."""
    folder = os.path.normpath(os.path.join(chart, ".."))
    outer = os.path.normpath(os.path.join(folder, ".."))
    if os.path.basename(os.path.abspath(folder)) == DEPENDENCIES and is_chart(outer):
        return _whose_dependency(outer)
    return chart


def _unreachable(path: str, error: OSError | ValueError) -> UserError:
    if not path:
        return UserError(
            "the path of a chart is empty", then="name a chart, or '.' for the current directory"
        )
    if isinstance(error, ValueError):
        return UserError(f"{path!r} is not a valid path: {error}")
    if error.errno == errno.ENOENT and os.path.islink(path):
        return UserError(f"{_in_one_line(path)}: broken link", where=f"it points to {os.readlink(path)}")
    if error.errno == errno.ENOENT:
        return UserError(f"{_in_one_line(path)}: no such file or directory")
    if error.errno in (errno.EACCES, errno.EPERM):
        return UserError(
            f"{_in_one_line(path)}: permission denied", then="make it readable with chmod, or leave it out"
        )
    return UserError(f"{_in_one_line(path)}: {error.strerror}")


def _no_chart(path: str) -> UserError:
    if not os.listdir(path):
        return UserError(
            f"{_in_one_line(path)}: the directory is empty",
            then="name a chart, or a directory that contains charts",
        )
    return UserError(
        f"{_in_one_line(path)}: no chart found",
        where=f"no {CHART_FILE} at any depth, and no .tgz",
        then="name a chart, or a directory that contains charts; pass rendered manifests with -m",
    )


def _no_chart_around(file: str) -> UserError:
    if file.endswith((".yaml", ".yml", ".json")):
        return UserError(
            f"{file} is neither a chart nor part of one",
            then=f"pass rendered manifests with -m {file}, values of a chart with -f {file}",
        )
    return UserError(
        f"{file} is not a chart", then="name a directory with a Chart.yaml, or a packaged chart (.tgz)"
    )


def _in_one_line(path: str) -> str:
    """Return a path as reports print it: a line break in a name would break the message."""
    return path.replace("\n", "\\n")
