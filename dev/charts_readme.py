"""The table of values in a chart's README, made of the comments in its values.yaml.

A comment that begins with `# --` stands above the value it explains; more comment lines go on with it. The table stands
between two marks; everything else in the README is written by hand.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from msgspec import Struct

from dev import charts_tree
from dev.charts_tree import ChartsError

BEGIN = "<!-- values: made of values.yaml by `python -m dev.charts readme` -->\n"
END = "<!-- end of values -->\n"


class Value(Struct, frozen=True):
    key: str
    type: str
    default: str
    explained: str


def complaints(root: Path = charts_tree.ROOT) -> list[str]:
    return [f"{charts_tree.named(file, root)} is not made of values.yaml" for file, _ in _outdated(root)]


def renew(root: Path = charts_tree.ROOT) -> list[str]:
    """Writes those that are not current; gives their paths."""
    return charts_tree.written(_outdated(root), root)


def _outdated(root: Path) -> Iterator[tuple[Path, str]]:
    for chart in charts_tree.related(root):
        file = chart.folder / "README.md"
        text = file.read_text() if file.exists() else ""
        if BEGIN in text:
            before, _, rest = text.partition(BEGIN)
            _, mark, after = rest.partition(END)
            if not mark:
                raise ChartsError(f"{charts_tree.named(file, root)}: the mark {END.strip()} is missing")
            new = before + BEGIN + table((chart.folder / "values.yaml").read_text()) + END + after
            if new != text:
                yield file, new


def table(text: str) -> str:
    rows = [f"| `{one.key}` | {one.type} | `{one.default}` | {one.explained} |\n" for one in values(text)]
    return "| value | type | default | |\n|---|---|---|---|\n" + "".join(rows)


def values(text: str) -> list[Value]:
    """Every value that is no block of others, in the order of the file."""
    return list(_values(yaml.compose(text), text.splitlines(), ()))


def _values(mapping: Any, lines: list[str], above: tuple[str, ...]) -> Iterator[Value]:
    for name, node in mapping.value:
        path = (*above, name.value)
        key = ".".join(path)
        if isinstance(node, yaml.MappingNode) and node.value:
            yield from _values(node, lines, path)
            continue
        explained = _explained(lines, name.start_mark.line)
        if not explained:
            raise ChartsError(f"values.yaml: {key} has no comment that begins with `# --` above it")
        default = yaml.safe_load(yaml.serialize(node))
        yield Value(
            key, _type(default), json.dumps(default, ensure_ascii=False), explained.replace("|", "\\|")
        )


def _explained(lines: list[str], line: int) -> str:
    """The comment that ends right above a line."""
    words: list[str] = []
    for text in reversed(lines[:line]):
        match = re.fullmatch(r"\s*#\s?(-- )?(.*)", text)
        if not match:
            return ""
        words.insert(0, match[2].strip())
        if match[1]:
            return " ".join(words)
    return ""


def _type(value: object) -> str:
    names = {bool: "true or false", int: "number", float: "number", str: "text", list: "list", dict: "object"}
    return names.get(type(value), "any")
