"""Which values can reach a chart's Jobs, or what else is watched, at all: the others need not be tried. Told by the texts
of its templates."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from watchbill.charts.chart import Chart
from watchbill.charts.leaves import Leaf
from watchbill.charts.render import Rendering
from watchbill.patterns import regex

_WORD = regex(r"\w+")
_IN_SUBCHART = regex(r"/charts/([^/]+)")
_COMMENT = regex(r"(?s)\{\{-?\s*/\*.*?\*/\s*-?\}\}")
_TELLING = regex(r"\bJob|CronJob|helm\.sh/hook")
_DEFINES = regex(r"\{\{-?\s*(?:define|block)\b")
_INCLUDES = regex(r"\b(?:include|template|tpl)\b")
# All of them at once, or text that stands elsewhere: nobody can say which ones are meant.
_ALL_OF_THEM = regex(r"\bValues\b(?!\.\w)|\bFiles\b")


class Watched(NamedTuple):
    """Something of a rendering, beside its Jobs, whose changes matter."""

    template: str  # that makes it
    content: Any


Watch = Callable[
    [Rendering], Mapping[Hashable, Watched]
]  # by whatever tells that it is the same in two renderings


def reaching(leaves: Sequence[Leaf], chart: Chart, base: Rendering, watched: Iterable[Watched]) -> list[Leaf]:
    """A template that looks at a value names it, or something it is in. What stands in a define may be included."""
    making = {one.origin.template for one in base.resources if one.kind in ("Job", "CronJob")}
    making |= {one.template for one in watched}
    texts = [
        one.text
        for one in chart.templates
        if one.path in making or "Job" in one.text or "define" in one.text or "block" in one.text
    ]
    text = _COMMENT.sub("", "\n".join([*texts, *_templates_in(base.values)]))
    if _ALL_OF_THEM.search(text):
        return list(leaves)
    words = frozenset(_WORD.findall(text))
    subcharts = {name for one in chart.templates for name in _IN_SUBCHART.findall(one.path)}
    return [leaf for leaf in leaves if _is_named(leaf, words, subcharts)]


def telling_templates(chart: Chart, base: Rendering, watched: Iterable[Watched]) -> tuple[str, ...]:
    """Return the templates that print Jobs, hooks or something watched, or may do so with other values: they name such
    a thing, or include what a define names."""
    making = {one.origin.template for one in base.resources if one.kind in ("Job", "CronJob") or one.hook}
    making |= {one.template for one in watched}
    defined = any(_TELLING.search(one.text) for one in chart.templates if _DEFINES.search(one.text))
    telling = regex(f"{_TELLING.pattern}|{_INCLUDES.pattern}") if defined else _TELLING
    return tuple(
        one.path
        for one in chart.templates
        if one.path in making or telling.search(_COMMENT.sub("", one.text))
    )


def _is_named(leaf: Leaf, words: frozenset[str], subcharts: set[str]) -> bool:
    """By its first key; a subchart does not say its own name, so there it is any of the keys."""
    keys = [part for part in leaf.path if isinstance(part, str)]
    telling = keys if keys[0] in subcharts else keys[:1]
    return any(words.issuperset(_WORD.findall(key)) for key in telling)


def _templates_in(values: Any) -> Iterator[str]:
    """Values that are templates themselves."""
    if isinstance(values, dict):
        for value in values.values():
            yield from _templates_in(value)
    elif isinstance(values, list):
        for value in values:
            yield from _templates_in(value)
    elif isinstance(values, str) and "{{" in values:
        yield values
