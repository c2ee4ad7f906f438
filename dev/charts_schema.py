"""values.schema.json of the library's consumers: the library's fragment merged with the part a chart wrote itself.

Helm never shows a dependency's schema the values of the chart above it, so the library's part must be in the consumer's
own file. A chart's part is `schema.json` beside its Chart.yaml. Objects are merged key by key, the chart's part wins;
this is what `jq -s '.[0] * .[1]'` does, the recipe for charts elsewhere.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev import charts_tree
from dev.charts_tree import ChartsError

LIBRARY = "watchbill-lib"
FRAGMENT = f"charts/{LIBRARY}/schema/values.schema.json"


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for key, value in other.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def complaints(root: Path = charts_tree.ROOT) -> list[str]:
    return [
        f"{charts_tree.named(file, root)} is not made of {FRAGMENT} and schema.json"
        for file, _ in _outdated(root)
    ]


def renew(root: Path = charts_tree.ROOT) -> list[str]:
    """Writes those that are not current; gives their paths."""
    return charts_tree.written(_outdated(root), root)


def _outdated(root: Path) -> Iterator[tuple[Path, str]]:
    fragment = _read(root / FRAGMENT)
    for chart in charts_tree.built_on(charts_tree.related(root), LIBRARY):
        part = chart.folder / "schema.json"
        if part.exists():
            file = chart.folder / "values.schema.json"
            text = json.dumps(merged(fragment, _read(part)), indent=2, ensure_ascii=False) + "\n"
            if not file.exists() or file.read_text() != text:
                yield file, text


def _read(file: Path) -> dict[str, Any]:
    try:
        read = json.loads(file.read_text())
    except ValueError as error:
        raise ChartsError(f"{file.parent.name}/{file.name} is no JSON: {error}") from error
    if not isinstance(read, dict):
        raise ChartsError(f"{file.parent.name}/{file.name} is no JSON object")
    return read
