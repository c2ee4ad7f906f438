"""Errors that were recognised, for a person and for scripts."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from watchbill.report.options import Described
from watchbill.report.styles import style
from watchbill.report.terminal import wrapped
from watchbill.rules.errors.telling import Explanation, WayOut

_INDENT = "  "
# What stands in commands where the text does not say it, and where to find it.
_UNSAID = {
    "RELEASE": "the release's name, from helm list --all-namespaces (or pass --release)",
    "NAMESPACE": "the release's namespace, from helm list --all-namespaces (or pass -n)",
    "NAME": "the object's name, from kubectl get jobs,pods",
    "KIND": "the object's kind",
    "CHART": "the chart, with the values and flags of your own command",
    "REVISION": "from helm history: the deployed revision, or else the last superseded one",
    "FILE": "the file that you apply",
    "APP": "the name of the Application",
    "KUSTOMIZATION": "the name of the Kustomization",
    "DEFINITION": "the CustomResourceDefinition of the kind, from its chart or project",
    "SHORTER": "a shorter name for the release",
}


class RuleSaid(Struct, frozen=True):
    id: str
    name: str
    summary: str


class Recognised(Struct, frozen=True):
    """An explanation with its rules in words, as scripts get it."""

    error: str
    rule: RuleSaid | None
    sure: bool
    see: tuple[RuleSaid, ...]
    words: str
    tool: str
    operation: str
    event: str
    kind: str
    objects: tuple[str, ...]
    release: str
    namespace: str
    happened: str
    state: str
    ways: tuple[WayOut, ...]
    lasting: str


class Report(Struct, frozen=True):
    schema: int
    recognised: tuple[Recognised, ...]


def report(explanations: Sequence[Explanation], rules: Sequence[Described]) -> Report:
    return Report(1, tuple(_recognised(one, rules) for one in explanations))


def _recognised(told: Explanation, rules: Sequence[Described]) -> Recognised:
    known = {rule.id: RuleSaid(rule.id, rule.name, rule.summary) for rule in rules}
    return Recognised(
        error=told.error,
        rule=known.get(told.rule),
        sure=told.sure,
        see=tuple(known[rule] for rule in told.see if rule in known),
        words=told.words,
        tool=told.tool,
        operation=told.operation,
        event=told.event,
        kind=told.kind,
        objects=told.objects,
        release=told.release,
        namespace=told.namespace,
        happened=told.happened,
        state=told.state,
        ways=told.ways,
        lasting=told.lasting,
    )


def in_terminal(given: Report, columns: int) -> Iterator[str]:
    for number, told in enumerate(given.recognised):
        if number:
            yield from ("", "")
        yield from _told(told, columns)


def _told(told: Recognised, columns: int) -> Iterator[str]:
    if told.rule:
        likely = "" if told.sure else ", most likely"
        head = f"{style(f'{told.rule.id} {told.rule.name}', bold=True)}{likely}  {told.rule.summary}"
        yield from wrapped(head, columns, then=_INDENT)
        yield from wrapped(f"recognised: {told.words}", columns, first=_INDENT, then=_INDENT * 2)
    else:
        yield style(told.words, bold=True)
    yield from _paragraph("What happened", told.happened, columns)
    yield from _paragraph("Now", told.state, columns)
    if told.ways:
        yield from ("", style("The way out today", bold=True))
        for number, way in enumerate(told.ways, 1):
            yield from _way(number if len(told.ways) > 1 else 0, way, columns)
        yield from _unsaid(told.ways, columns)
    yield from _lasting(told, columns)


def _paragraph(title: str, text: str, columns: int) -> Iterator[str]:
    if text:
        yield from ("", style(title, bold=True))
        yield from wrapped(text, columns, first=_INDENT, then=_INDENT)


def _way(number: int, way: WayOut, columns: int) -> Iterator[str]:
    indent = f"{_INDENT}{number}  " if number else _INDENT
    below = " " * len(indent)
    does = f"if {way.when}: {way.does}" if way.when else way.does
    yield from wrapped(does, columns, first=indent, then=below)
    for command in way.commands:
        yield f"{below}  {style(command, fg='cyan')}"
    yield from wrapped(f"costs: {way.costs}", columns, first=below, then=f"{below}  ")


def _unsaid(ways: Sequence[WayOut], columns: int) -> Iterator[str]:
    words = {
        word.strip("'")
        for way in ways
        for command in way.commands
        for word in command.replace("=", " ").replace(",", " ").split()
    }
    for placeholder, meaning in _UNSAID.items():
        if placeholder in words:
            lines = wrapped(f"{placeholder}: {meaning}", columns, first=_INDENT, then=_INDENT * 2)
            yield from (style(line, dim=True) for line in lines)


def _lasting(told: Recognised, columns: int) -> Iterator[str]:
    if not (told.lasting or told.rule or told.see):
        return
    yield from ("", style("For good", bold=True))
    if told.lasting:
        yield from wrapped(told.lasting, columns, first=_INDENT, then=_INDENT)
    if told.rule:
        yield f"{_INDENT}watchbill explain {told.rule.id}"
    for rule in told.see:
        yield from wrapped(
            f"see also {rule.id} {rule.name}: {rule.summary}", columns, first=_INDENT, then=_INDENT * 2
        )
