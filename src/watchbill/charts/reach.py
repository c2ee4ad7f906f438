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
_LITERAL = r"(?:\"([^\"\n]+)\"|`([^`\n]+)`)"
_DEFINE = regex(rf"\{{\{{-?\s*(?:define|block)\s+{_LITERAL}")
_INCLUDE = regex(rf"\b(?:include|template|block)\s+{_LITERAL}?")  # without a name where one is put together
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
    a thing, or include a define that does."""
    making = {one.origin.template for one in base.resources if one.kind in ("Job", "CronJob") or one.hook}
    making |= {one.template for one in watched}
    texts = {one.path: _COMMENT.sub("", one.text) for one in chart.templates}
    telling = _telling_defines(texts.values())
    return tuple(path for path, text in texts.items() if path in making or _tells(text, telling))


def _telling_defines(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of defines that name Jobs or hooks, or include one that does. One ends where the next begins, at
    the latest."""
    defines: dict[str, str] = {}
    for text in texts:
        begins = list(_DEFINE.finditer(text))
        ends = [*(one.start() for one in begins[1:]), len(text)]
        for begin, end in zip(begins, ends, strict=False):
            name = begin[1] or begin[2]
            defines[name] = defines.get(name, "") + text[begin.end() : end]
    telling = frozenset[str]()
    while (more := frozenset(name for name, text in defines.items() if _tells(text, telling))) != telling:
        telling = more
    return telling


def _tells(text: str, telling: frozenset[str]) -> bool:
    if _TELLING.search(text):
        return True
    if not telling:
        return False
    included = {one[1] or one[2] for one in _INCLUDE.finditer(text)}
    return None in included or not telling.isdisjoint(included)


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
