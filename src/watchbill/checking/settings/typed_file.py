"""A YAML file that people write, as a type; and all that is wrong with it, told at once, each with its line."""

import errno
import os
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from watchbill.charts import plain
from watchbill.charts.engine import Engine
from watchbill.checking.settings.shape import Mistake, mistakes
from watchbill.errors import UserError

LARGEST = 1 << 20
MOST_MISTAKES = 100  # more of them are no file of this kind
MOST_TOLD = 10
LONGEST = 300

Wanted = TypeVar("Wanted")


def read(
    engine: Engine, file: str, wanted: type[Wanted], what: str, tidy: Callable[[Any], Any] | None = None
) -> tuple[Wanted, plain.PlainFile]:
    """`what` such a file holds, for who names another one; `tidy` comes before everything else."""
    try:
        found = plain.read(engine, file, _text(file, what))
        content = found.content if found.content is not None else {}
        content = without_nothing(tidy(content) if tidy else content)
    except RecursionError:
        raise UserError(f"{file} is nested too deeply", then=f"name the file with {what}") from None
    if wrong := list(islice(mistakes(content, wanted), MOST_MISTAKES)):
        raise bad(engine, found, wrong)
    return msgspec.convert(content, wanted), found


def without_nothing(value: Any) -> Any:
    """A key without a value is not there."""
    if isinstance(value, list):
        return [without_nothing(entry) for entry in value]
    if isinstance(value, dict):
        return {key: without_nothing(inner) for key, inner in value.items() if inner is not None}
    return value


def bad(engine: Engine, file: plain.PlainFile, wrong: Sequence[Mistake]) -> UserError:
    lines = plain.lines(engine, file, (mistake.path for mistake in wrong))
    ordered = sorted(zip(lines, wrong, strict=True), key=lambda pair: pair[0])
    if len(ordered) == 1:
        [(line, mistake)] = ordered
        return UserError(f"{file.name}:{line}: {_short(mistake.what)}", then=mistake.then or None)
    told, hint = [], ""
    for line, mistake in ordered[:MOST_TOLD]:
        told.append(f"{file.name}:{line}: {_short(mistake.what)}")
        if mistake.then != hint:
            told += (f"  {words}" for words in mistake.then.splitlines())
        hint = mistake.then
    if len(ordered) > MOST_TOLD:
        told.append(f"… and {len(ordered) - MOST_TOLD} more")
    many = f"{MOST_MISTAKES} and more" if len(ordered) == MOST_MISTAKES else str(len(ordered))
    return UserError(f"{file.name} has {many} mistakes", where="\n".join(told))


def _short(words: str) -> str:
    """Others quote in full what the user wrote."""
    return words if len(words) <= LONGEST else f"{words[: LONGEST // 2]} … {words[-LONGEST // 2 :]}"


def _text(file: str, what: str) -> str:
    try:
        with open(file, "rb") as opened:
            read = opened.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(file, what, error) from None
    if len(read) > LARGEST:
        raise UserError(
            f"{file} is larger than {LARGEST >> 20} MiB", then=f"{what} should be a few lines of YAML"
        )
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        line = read.count(b"\n", 0, error.start) + 1
        raise UserError(f"{file}:{line}: not UTF-8", then="save it as UTF-8") from None


def _unreadable(file: str, what: str, error: OSError | ValueError) -> UserError:
    if isinstance(error, ValueError):
        return UserError(f"{file!r} is not a valid path: {error}")
    if error.errno == errno.ENOENT and os.path.islink(file):
        return UserError(f"{file}: broken link", where=f"it points to {os.readlink(file)}")
    if error.errno == errno.ENOENT:
        return UserError(f"{file}: no such file", then=f"name the file with {what}")
    return UserError(f"{file}: {error.strerror}")
