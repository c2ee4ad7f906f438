"""Finds `.watchbill.yaml`, the nearest one above what is checked, and reads it once."""

import errno
import os
from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec

from watchbill.charts import plain
from watchbill.charts.engine import Engine
from watchbill.checking.settings import written as as_written
from watchbill.checking.settings.config import Config
from watchbill.checking.settings.meaning import Meaning
from watchbill.checking.settings.rule_names import RuleNames
from watchbill.checking.settings.shape import Mistake, mistakes
from watchbill.errors import UserError

NAME = ".watchbill.yaml"
MISSPELLED = ".watchbill.yml"
LARGEST = 1 << 20
GIT = ".git"
MOST_MISTAKES = 100  # more of them are no settings
MOST_TOLD = 10
LONGEST = 300


class Configs:
    """One file for all charts below it. `named` is one that the user wants for all of them."""

    def __init__(self, engine: Engine, rules: RuleNames, named: str = "") -> None:
        self._engine = engine
        self._rules = rules
        self._named = named
        self._known: dict[str, Config | UserError] = {"": Config()}

    def of(self, path: str) -> Config:
        """For the chart, archive or manifests at this path; empty: for the current folder."""
        file = self._named or find(path)
        if file not in self._known:
            try:
                self._known[file] = read(self._engine, file, self._rules)
            except UserError as error:
                self._known[file] = error
        known = self._known[file]
        if isinstance(known, UserError):
            raise known
        return known


def find(path: str) -> str:
    """The nearest one, as a path from here; empty if there is none. A git repository is not left."""
    at = os.path.abspath(path or ".")
    if not os.path.isdir(at):
        at = os.path.dirname(at)
    while True:
        file = os.path.join(at, NAME)
        if os.path.lexists(file):
            return os.path.relpath(file)
        if os.path.lexists(wrong := os.path.join(at, MISSPELLED)):
            raise UserError(
                f"{os.path.relpath(wrong)} is not read", then=f"settings stand in {NAME}: rename it"
            )
        above = os.path.dirname(at)
        if above == at or os.path.lexists(os.path.join(at, GIT)):
            return ""
        at = above


def read(engine: Engine, file: str, rules: RuleNames) -> Config:
    """Whatever is wrong with it, the user hears all of it at once."""
    found = plain.read(engine, file, _text(file))
    content = _tidy(found.content if found.content is not None else {})
    wrong = list(islice(mistakes(content, as_written.Config), MOST_MISTAKES))
    if wrong:
        raise _bad(engine, found, wrong)
    written = msgspec.convert(content, as_written.Config)
    lines = plain.lines(engine, found, (("ignores", place) for place in range(len(written.ignores))))
    meaning = Meaning(written, file, rules)
    config = meaning.config(lines)
    if meaning.mistakes:
        raise _bad(engine, found, meaning.mistakes)
    return config


def _tidy(content: Any) -> Any:
    """A key without a value is not there; and to YAML, `off` is a no."""
    if not isinstance(content, dict):
        return content
    tidy = {key: _tidy_entries(value) for key, value in content.items() if value is not None}
    if isinstance(severities := tidy.get("severities"), dict):
        tidy["severities"] = {rule: "off" if level is False else level for rule, level in severities.items()}
    return tidy


def _tidy_entries(value: Any) -> Any:
    return [_tidy(entry) for entry in value] if isinstance(value, list) else _tidy(value)


def _bad(engine: Engine, file: plain.PlainFile, wrong: Sequence[Mistake]) -> UserError:
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


def _text(file: str) -> str:
    try:
        with open(file, "rb") as opened:
            read = opened.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from None
    if len(read) > LARGEST:
        raise UserError(f"{file} is larger than {LARGEST >> 20} MiB", then="settings are a few lines of YAML")
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        line = read.count(b"\n", 0, error.start) + 1
        raise UserError(f"{file}:{line}: this is not UTF-8", then="save it as UTF-8") from None


def _unreadable(file: str, error: OSError | ValueError) -> UserError:
    if isinstance(error, ValueError):
        return UserError(f"{file!r} is no path: {error}")
    if error.errno == errno.ENOENT and os.path.islink(file):
        return UserError(f"{file}: the link leads nowhere", where=f"it points to {os.readlink(file)}")
    if error.errno == errno.ENOENT:
        return UserError(f"there is no {file}", then="name the file with your settings")
    return UserError(f"{file} cannot be read: {error.strerror}")
