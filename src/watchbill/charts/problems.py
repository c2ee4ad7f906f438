"""What the engine found wrong, in words for the chart's author: what, where, what next."""

import os
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watchbill.charts.protocol import EngineError
from watchbill.errors import UserError
from watchbill.patterns import regex

if TYPE_CHECKING:
    from watchbill.charts.chart import Chart

# Kinds of errors that other values may avoid.
OF_VALUES = ("required", "fail", "schema", "template")
_NEXT = {
    "chart": "name a directory with a Chart.yaml, or a packaged chart (.tgz)",
    "fail": "correct the values, or the chart",
    "template": "correct the template, or set the values it needs with -f or --set",
    "size": "Helm 3.17.3 to 4.2 refuse such a chart: exclude the file in .helmignore, or use Helm 4.3",
    "kube-version": "set the cluster's version with --kube-version",
    "required": "set the value with -f or --set",
    "schema": "correct the values, or values.schema.json",
    "values": "correct the values passed with -f or --set",
    "yaml": "correct the template",
}
_OUTSIDE = "points out of the chart"  # of a link: all that --follow-symlinks allows
_NOT_INSTALLABLE = "library charts are not installable"
_NO_FILE = "no such file or directory"
_SYNTAX = "parse error at ("  # of a template, which no value corrects
# Where the words say nothing of the chart: that its path is among them is chance.
_NAMELESS = ("schema", "symlink", "required", "fail")
# Where `_next` names the place.
_CORRECTED = ("chart", "values")
_YAML_LINE = regex(r"yaml: line \d+: ")
_LONGEST_LINE = 400
_MOST_LINES = 12


class MissingDependency(UserError):  # noqa: N818
    """A chart that is not in `charts/`: commands that can fetch it say so."""


class CannotRender(UserError):  # noqa: N818
    """A chart that does not render with these values, and maybe with others."""


def explain(error: EngineError, path: str, chart: "Chart | None" = None) -> UserError:
    """Return the error for the user. `path` is the chart or file that the user named; with the loaded `chart`, names of
    templates become paths of files."""
    if chart is not None:
        error = _with_paths(error, chart)
    error, path = _on_one_line(error, path)
    what, where = _what_and_where(error)
    then = _next(error, path)
    kind = CannotRender if error.kind in OF_VALUES else UserError
    if error.kind == "dependency" and error.missing:
        kind = MissingDependency
        said, *more = error.message.splitlines()
        if said.startswith("found in Chart.yaml"):
            said = ", ".join(f'the dependency "{name}" is not in charts/' for name in error.missing)
        what, where = said, [os.path.join(path, _place(error)) if error.file else "", *more]
        then = f"run: helm dependency build {path}"
    is_named = path in what and error.kind not in _NAMELESS
    what = what if is_named else f"{path}: {what}"
    return kind(what, where="\n".join(filter(None, where)) or None, then=then)


def _next(error: EngineError, path: str) -> str | None:
    """What the user can do about it."""
    if error.kind == "symlink":
        if error.message.endswith(_OUTSIDE):
            return "copy the file into the chart, or allow it with --follow-symlinks"
        return "remove the link, or copy into the chart what it should point to"
    if error.kind == "chart" and error.message.endswith(_NOT_INSTALLABLE):
        return "name a chart that uses the library"
    if error.kind == "values" and error.file and _NO_FILE in error.message:
        return "name a file that exists"
    if error.kind == "chart" and error.file:
        return f"correct {os.path.join(path, _place(error))}"
    if error.kind == "values" and error.file:
        return f"correct {_place(error)}"
    if error.kind == "schema" and any(violation.bad_schema for violation in error.violations):
        return "correct values.schema.json"
    if error.kind == "template" and error.message.startswith(_SYNTAX):
        return "correct the template"
    return _NEXT.get(error.kind)


def _with_paths(error: EngineError, chart: "Chart") -> EngineError:
    """Helm names templates as CHART/templates/FILE, which need not be a path: the directory may have another name."""

    def path_of(template: str) -> str:
        return os.path.join(chart.path, chart.file(template))

    named = re.compile(rf"(?<![\w./-])({re.escape(chart.name)}/(?:templates|charts|crds)/[^\s:\"'()<>]+)")
    message = named.sub(lambda found: path_of(found[1]), error.message)
    is_template = error.file.startswith(f"{chart.name}/")
    return replace(error, message=message, file=path_of(error.file) if is_template else error.file)


def _on_one_line(error: EngineError, path: str) -> tuple[EngineError, str]:
    """A path may contain line breaks; those of Helm's messages mean something."""
    shown = path.replace("\n", "\\n")
    return replace(error, message=error.message.replace(path, shown)) if shown != path else error, shown


def _what_and_where(error: EngineError) -> tuple[str, list[str]]:
    """Helm's words: their cause as the headline, the way to it below, neither longer than a screen."""
    lines = [_shortened(line) for line in error.message.strip().splitlines()]
    place = _place(error)
    if bad := [violation for violation in error.violations if violation.bad_schema]:
        said = [line for violation in bad for line in violation.message.splitlines()]
        return f"values.schema.json of chart {bad[0].chart} is not a JSON schema", _cut(said)
    if error.violations:
        fields = [f"{violation.path or '(root)'}: {violation.message}" for violation in error.violations]
        return "the values do not match the chart's schema", _cut(fields)
    if error.kind in ("required", "fail"):
        _, _, first = lines[0].partition("): ")  # behind "execution error at (file:line:column)"
        return first or lines[0], _cut([*lines[1:], place])
    if len(lines) > 1:
        return lines[-1].strip(), _cut(lines[:-1])
    [headline] = lines or [""]
    if (
        error.kind in _CORRECTED and error.line
    ):  # YAML's parser counts from zero: `_next` names the right line
        headline = _YAML_LINE.sub("yaml: ", headline)
    rendered = [f"rendered: {_shortened(error.rendered.strip())}"] if error.rendered.strip() else []
    is_below = place and place not in headline and error.kind not in _CORRECTED
    return headline, [*([place] if is_below else []), *rendered]


def _place(error: EngineError) -> str:
    return ":".join(str(part) for part in (error.file, error.line, error.column) if part)


def _cut(lines: list[str]) -> list[str]:
    """The beginning and the end; what Helm repeats a thousand times is in the middle."""
    if len(lines) <= _MOST_LINES:
        return lines
    half = _MOST_LINES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} lines …", *lines[-half:]]


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    half = _LONGEST_LINE // 2
    return f"{line[:half]} … {line[-half:]}"
