"""What the engine found wrong, in words for the chart's author: what, where, what next."""

from watchbill.charts.protocol import EngineError
from watchbill.errors import UserError

_NEXT = {
    "chart": "name a directory with a Chart.yaml, or a packaged chart (.tgz)",
    "fail": "correct the values given with -f or --set",
    "template": "correct the template, or give the values it needs with -f or --set",
    "symlink": "copy the file into the chart, or allow it with --follow-symlinks",
    "kube-version": "name the cluster's version with --kube-version",
    "required": "give the value with -f or --set",
    "schema": "correct the values, or values.schema.json",
    "values": "correct the values given with -f or --set",
    "yaml": "look at what the template gives: helm template --debug",
}
# Where the words say nothing of the chart: that its path is among them is chance.
_NAMELESS = ("schema", "symlink", "required", "fail")
_POINTS_OUT = "points out of the chart"
_LONGEST_LINE = 400
_MOST_LINES = 12


class MissingDependency(UserError):  # noqa: N818
    """A chart that is not in `charts/`: commands that can fetch it say so."""


def explain(error: EngineError, path: str) -> UserError:
    """`path` is the chart or file the user named."""
    what, where = _what_and_where(error)
    then = _NEXT.get(error.kind)
    if error.kind == "symlink" and not error.message.endswith(_POINTS_OUT):  # to follow it does not help
        then = "remove the link, or copy into the chart what it should point to"
    kind = UserError
    if error.kind == "dependency" and error.missing:
        kind = MissingDependency
        said, *more = error.message.splitlines()
        if said.startswith("found in Chart.yaml"):
            said = ", ".join(f'the dependency "{name}" is not in charts/' for name in error.missing)
        what, where = said, [_place(error), *more]
        then = f"run: helm dependency build {path}"
    is_named = path in what and error.kind not in _NAMELESS
    return kind(what if is_named else f"{path}: {what}", where="\n".join(where) or None, then=then)


def _what_and_where(error: EngineError) -> tuple[str, list[str]]:
    """Helm's words: their cause as the headline, the way to it below, neither longer than a screen."""
    lines = [_shortened(line) for line in error.message.strip().splitlines()]
    place = _place(error)
    if error.violations:
        fields = [f"{violation.path or '(root)'}: {violation.message}" for violation in error.violations]
        return "the values do not fit the chart's schema", _cut(fields)
    if error.kind in ("required", "fail"):
        _, _, first = lines[0].partition("): ")  # behind "execution error at (file:line:column)"
        return first or lines[0], _cut([*lines[1:], place])
    if len(lines) > 1:
        return lines[-1].strip(), _cut(lines[:-1])
    [headline] = lines or [""]
    return headline, [place] if place and place not in headline else []


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
