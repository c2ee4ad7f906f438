"""Finds `.watchbill.yaml`, the nearest one above what is checked, and reads it once."""

import os
from typing import Any

from watchbill.charts.engine import Engine
from watchbill.checking.settings.config import Config
from watchbill.checking.settings.rule_names import RuleNames
from watchbill.errors import UserError

NAME = ".watchbill.yaml"
MISSPELLED = ".watchbill.yml"
GIT = ".git"


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
    from watchbill.charts import plain  # few charts have settings
    from watchbill.checking.settings import typed_file
    from watchbill.checking.settings import written as as_written
    from watchbill.checking.settings.meaning import Meaning

    written, found = typed_file.read(engine, file, as_written.Config, "your settings", _tidy)
    lines = plain.lines(engine, found, (("ignores", place) for place in range(len(written.ignores))))
    meaning = Meaning(written, file, rules)
    config = meaning.config(lines)
    if meaning.mistakes:
        raise typed_file.bad(engine, found, meaning.mistakes)
    return config


def _tidy(content: Any) -> Any:
    """To YAML, `off` is a no."""
    if isinstance(content, dict) and isinstance(severities := content.get("severities"), dict):
        content["severities"] = {
            rule: "off" if level is False else level for rule, level in severities.items()
        }
    return content
