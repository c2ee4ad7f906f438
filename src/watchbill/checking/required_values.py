"""Values that a chart cannot render without, found by trying: the error names a place or a value, a placeholder is set
there, and the chart is rendered again, until it renders or no placeholder helps."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.problems import OF_VALUES
from watchbill.charts.protocol import Context, EngineError, ValuesFile
from watchbill.charts.render import Failure, render
from watchbill.errors import UserError
from watchbill.patterns import regex

Path = tuple[str, ...]

MOST_RENDERINGS = 80
FILE = "placeholders of --fill"
_VALUE = regex(r"\.Values\.([A-Za-z_][\w.-]*[\w-]|[A-Za-z_])")
_DOTTED = regex(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+")
_MISSING = regex(r"missing propert(?:y|ies):? (.*)")
_QUOTED = regex(r"'([^']+)'")
_CONDITION = regex(r"\{\{-?\s*(?:else )?if\b")
_CONDITION_ABOVE = 8  # lines between a condition and its `fail`
_TYPES: dict[str, Any] = {
    "string": "placeholder",
    "number": 1,
    "integer": 1,
    "boolean": True,
    "array": [],
    "object": {},
}
_PLACEHOLDERS = (
    "placeholder",
    "https://example.org",
    1,
    True,
    ["placeholder"],
    {"placeholder": "placeholder"},
)


_BY_NAME = (
    (("port", "replica", "count", "size"), 1),
    (("enabled",), True),
    (("email",), "admin@example.org"),
    (("url", "uri", "endpoint"), "https://example.org"),
    (("host", "domain"), "example.org"),
)


class Required(Struct, frozen=True):
    """Placeholders for the values that are required, and what still fails with them."""

    placeholders: dict[Path, Any]
    error: EngineError | None

    @property
    def names(self) -> str:
        return ", ".join(map(".".join, self.placeholders))


def find_required(engine: Engine, chart: Chart, context: Context) -> Required:
    search = _Search(engine, chart, context)
    search.run()
    return Required(search.filled, search.error)


def fill(engine: Engine, chart: Chart, context: Context) -> Context:
    """Return the context with placeholders for what is required; the user's own values win over them."""
    return _with(context, find_required(engine, chart, context).placeholders)


def tell_placeholders(context: Context) -> Iterator[str]:
    """The assumption, if there are placeholders."""
    for file in context.values.files:
        if file.path == FILE:
            yield f"placeholders for required values: {file.text}"


def name_required(engine: Engine, chart: Chart, context: Context, error: UserError) -> UserError:
    """Return the error with all values that are required, if there are any: Helm names one at a time."""
    required = find_required(engine, chart, context)
    if not required.placeholders:
        return error
    if required.error is None:
        then = f"set with -f or --set: {required.names}\nor check with placeholders: --fill"
    else:
        then = (
            f"set with -f or --set: {required.names}\nmore is needed after that: {_last_line(required.error)}"
        )
    return type(error)(error.what, where=error.where, then=then)


def _last_line(error: EngineError) -> str:
    return error.message.strip().splitlines()[-1].strip() if error.message.strip() else error.kind


class _Search:
    def __init__(self, engine: Engine, chart: Chart, context: Context) -> None:
        self._engine, self._chart, self._context = engine, chart, context
        self._left = MOST_RENDERINGS
        self.filled: dict[Path, Any] = {}
        self.error = self._render(self.filled)

    def run(self) -> None:
        while self.error is not None and self.error.kind in OF_VALUES and self._left > 0:
            if not self._advance(self.error):
                return

    def _advance(self, error: EngineError) -> bool:
        """Set one more value; whether another error, or none, comes of it."""
        for path in dict.fromkeys(_paths(error, self._chart)):
            if path in self.filled:
                continue
            for value in _placeholders(path, error):
                if self._left <= 0:
                    return False
                filled = {**self.filled, path: value}
                now = self._render(filled)
                if now is None or _key(now) != _key(error):
                    self.filled, self.error = filled, now
                    return True
        return False

    def _render(self, filled: dict[Path, Any]) -> EngineError | None:
        self._left -= 1
        [look] = render(self._engine, self._chart, [_with(self._context, filled)])
        return look.error if isinstance(look, Failure) else None


def _key(error: EngineError) -> tuple[object, ...]:
    return error.kind, error.file, error.line, error.column, error.message, error.violations


def _paths(error: EngineError, chart: Chart) -> Iterator[Path]:
    """Values that the error may be about, the likeliest first."""
    for violation in error.violations:
        if violation.bad_schema:
            return
        yield from _violated(violation.path, violation.message)
    inside = _subchart(error.file, chart)
    for found in _VALUE.finditer(error.message):
        yield _placed(found[1], inside)
    for line in _lines(error, chart):
        for found in _VALUE.finditer(line):
            yield _placed(found[1], inside)
    for found in _DOTTED.finditer(error.message):
        path = tuple(found[0].split("."))
        if _is_known(chart.values, path):
            yield path


def _violated(where: str, message: str) -> Iterator[Path]:
    at = tuple(filter(None, where.strip("/").replace("/", ".").split(".")))
    missing = _MISSING.search(message)
    if missing is None:
        if at:
            yield at
        return
    for name in _QUOTED.findall(missing[1]):
        yield (*at, name)


def _lines(error: EngineError, chart: Chart) -> Iterator[str]:
    """The line of the error, then the conditions above it, of which a `fail` is a branch."""
    text = next((template.text for template in chart.templates if template.path == error.file), "")
    lines = text.splitlines()
    if not 0 < error.line <= len(lines):
        return
    yield lines[error.line - 1]
    for line in reversed(lines[max(0, error.line - 1 - _CONDITION_ABOVE) : error.line - 1]):
        if _CONDITION.search(line):
            yield line


def _subchart(file: str, chart: Chart) -> Path:
    """Where the values of the chart stand that a template belongs to."""
    parts = file.removeprefix(f"{chart.name}/").split("/")
    found: list[str] = []
    while len(parts) > 2 and parts[0] == "charts":
        found.append(parts[1])
        parts = parts[2:]
    return tuple(found)


def _placed(dotted: str, inside: Path) -> Path:
    path = tuple(dotted.split("."))
    return path if path[0] == "global" else (*inside, *path)


def _is_known(values: dict[str, Any], path: Path) -> bool:
    at: Any = values
    for step in path:
        if not isinstance(at, dict) or step not in at:
            return False
        at = at[step]
    return True


def _placeholders(path: Path, error: EngineError) -> Iterator[Any]:
    """Of the type that the schema wants, then of the kind that the name suggests, then of any."""
    said = " ".join(violation.message for violation in error.violations)
    yield from (value for name, value in _TYPES.items() if f"want {name}" in said)
    name = ".".join(path[-2:]).lower()
    yield from (value for words, value in _BY_NAME if any(word in name for word in words))
    yield from _PLACEHOLDERS


def _with(context: Context, filled: dict[Path, Any]) -> Context:
    """Return the context with these values below the user's own."""
    if not filled:
        return context
    tree: dict[str, Any] = {}
    for path, value in filled.items():
        at = tree
        for step in path[:-1]:
            inner = at.get(step)
            at[step] = at = inner if isinstance(inner, dict) else {}
        at[path[-1]] = value
    file = ValuesFile(FILE, msgspec.json.encode(tree).decode())
    return replace(context, values=replace(context.values, files=(file, *context.values.files)))
