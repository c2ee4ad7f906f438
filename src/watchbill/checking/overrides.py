"""Values that avoid a finding which lies in a dependency: its templates are somebody else's, its values are not.

Nothing is guessed: each candidate is rendered, those that touch the object are checked again, and only one that
silences the finding and adds none is offered.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.leaves import Path
from watchbill.charts.protocol import Context
from watchbill.charts.render import Failure, Rendering, Resource, render, render_one

MOST_TRIED = 60  # renders
MOST_CHECKED = 6
# What annotations of a dependency's Job could be set to, where it lets one set them.
ANNOTATIONS: tuple[dict[str, str], ...] = (
    {"helm.sh/hook-delete-policy": "before-hook-creation"},
    {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"},
    {"helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"},
)

Setting = tuple[Path, Any]


def override(
    engine: Engine, chart: Chart, context: Context, subject: Resource, is_silent: Callable[[Context], bool]
) -> str:
    """The values that help, as `--set` has them; empty if none was found."""
    base = render_one(engine, chart, replace(context, want_values=True))
    settings = list(_settings(chart, base.values or {}, subject.origin.subchart))[:MOST_TRIED]
    contexts = [_with(context, path, value) for path, value in settings]
    results = render(engine, chart, contexts)
    touching = [place for place, result in enumerate(results) if _touches(result, subject)]
    for place in touching[:MOST_CHECKED]:
        if is_silent(contexts[place]):
            return _written(*settings[place])
    return ""


def _settings(chart: Chart, values: dict[str, Any], subchart: str) -> Iterator[Setting]:
    """The gentlest first: annotations, then switches inside the dependency, then the dependency itself."""
    steps = tuple(subchart.split("/"))
    own = _at(values, steps)
    for path, leaf in _leaves(own, steps):
        if isinstance(leaf, dict) and str(path[-1]).lower().endswith("annotations"):
            yield from ((path, {**leaf, **added}) for added in ANNOTATIONS)
    switches = (path for path, leaf in _leaves(own, steps) if leaf is True)
    yield from ((path, False) for path in sorted(switches, key=lambda path: -len(path)))
    for dependency in chart.dependencies:
        if steps[0] in (dependency.alias, dependency.name) and dependency.condition:
            yield tuple(dependency.condition.partition(",")[0].split(".")), False


def _leaves(thing: Any, path: Path) -> Iterator[Setting]:
    """Switches, and maps of annotations as a whole."""
    if not isinstance(thing, dict):
        return
    for key in sorted(thing):
        inner = thing[key]
        if isinstance(inner, dict) and inner and not key.lower().endswith("annotations"):
            yield from _leaves(inner, (*path, key))
        else:
            yield (*path, key), inner


def _at(values: Any, path: Sequence[str]) -> Any:
    for step in path:
        values = values.get(step) if isinstance(values, dict) else None
    return values


def _with(context: Context, path: Path, value: Any) -> Context:
    overlay: Any = value
    for step in reversed(path):
        overlay = {step: overlay}
    return replace(context, values=replace(context.values, overlay=overlay))


def _touches(result: Rendering | Failure, subject: Resource) -> bool:
    if isinstance(result, Failure):
        return False
    same = [one for one in result.resources if (one.kind, one.name) == (subject.kind, subject.name)]
    return not same or any(one.object != subject.object for one in same)


def _written(path: Path, value: Any) -> str:
    where = ".".join(str(step) for step in path)
    if isinstance(value, dict):
        inside = ", ".join(f'{key}: "{word}"' for key, word in value.items())
        return f"{where}: {{{inside}}}"
    return f"{where}: {str(value).lower()}"
