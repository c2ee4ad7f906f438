"""The overview of a chart for a person in a terminal."""

from collections.abc import Iterator
from typing import Any

import msgspec

from watchbill.charts.overview import DEFAULT_DELETE_POLICY, HOOK_EVENTS, Dropped, Item, Overview
from watchbill.report.counting import counted
from watchbill.report.styles import style
from watchbill.report.table import records
from watchbill.report.terminal import fit, printable

HEAD = ("OBJECT", "RUNS", "WEIGHT", "IS DELETED", "TEMPLATE")
_HELM_2_EVENTS = {"crd-install": "it was Helm 2's: put the CRD into crds/", "test-failure": "it was Helm 2's"}


def lines(seen: Overview, columns: int = 0) -> Iterator[str]:
    """`columns` is the terminal's width; 0 where there is none."""
    return fit(_lines(seen, columns), columns)


def _lines(seen: Overview, columns: int) -> Iterator[str]:
    seen = msgspec.convert(_printable(msgspec.to_builtins(seen)), Overview)
    yield f"{style(seen.chart, bold=True)} {seen.version}    {_summary(seen)}"
    if seen.items:
        yield ""
        yield from records(HEAD, list(map(_row, seen.items)), columns)
    for dropped in seen.dropped:
        yield ""
        yield from _dropped(dropped)
    remarks = [*_volatile(seen), *_lookups(seen)]
    if remarks:
        yield ""
        yield from remarks
    yield ""
    move = "an upgrade" if seen.upgrade else "a first install"
    yield style(f'rendered for {move} of release "{seen.release}" in namespace "{seen.namespace}"', dim=True)


def _printable(thing: Any) -> Any:
    if isinstance(thing, str):
        return printable(thing)
    if isinstance(thing, list | tuple):
        return [_printable(item) for item in thing]
    if isinstance(thing, dict):
        return {key: _printable(value) for key, value in thing.items()}
    return thing


def _summary(seen: Overview) -> str:
    counts = [
        (sum(item.kind == "Job" for item in seen.items), "Job"),
        (sum(item.kind == "CronJob" for item in seen.items), "CronJob"),
        (sum(item.hook for item in seen.items), "hook object"),
    ]
    parts = [counted(number, noun) for number, noun in counts if number]
    if seen.dropped:
        parts.append(style(f"{len(seen.dropped)} dropped by Helm", fg="red"))
    return ", ".join(parts) or f"no Jobs, CronJobs or hooks among {counted(seen.objects, 'object')}"


def _row(item: Item) -> tuple[str, ...]:
    return (
        f"{item.kind}/{item.name}",
        _runs(item),
        str(item.weight) if item.hook else "",
        _deleted(item),
        _spot(item),
    )


def _runs(item: Item) -> str:
    if item.hook:
        return ", ".join(item.events)
    when = "with the release" if item.schedule is None else f"by schedule {item.schedule}"
    return f"{when}, suspended" if item.suspended else when


def _deleted(item: Item) -> str:
    parts = list(item.delete_policies) or [f"{DEFAULT_DELETE_POLICY} (default)"]
    if not item.hook:
        parts = ["never (resource-policy: keep)" if item.kept else "with the release"]
    if (ttl := item.ttl_seconds_after_finished) is not None:
        parts.append(f"{'its Jobs ' if item.kind == 'CronJob' else ''}{_duration(ttl)} after finishing")
    return ", ".join(parts)


def _duration(seconds: int) -> str:
    for unit, size in (("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _spot(item: Item | Dropped) -> str:
    return f"{item.file}:{item.line}" if item.line else item.file


def _dropped(dropped: Dropped) -> Iterator[str]:
    label = style("dropped", fg="red", bold=True)
    yield f"{label}  {dropped.kind}/{dropped.name}   {_spot(dropped)}"
    yield f'         Helm drops it silently: "{dropped.unknown_event}" is not a hook event{_meant(dropped)}'


def _meant(dropped: Dropped) -> str:
    from difflib import get_close_matches

    event = dropped.unknown_event.lower()
    if event in _HELM_2_EVENTS:
        return f"; {_HELM_2_EVENTS[event]}"
    close = get_close_matches(event, HOOK_EVENTS, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _volatile(seen: Overview) -> Iterator[str]:
    by_file: dict[str, list[str]] = {}
    for use in seen.volatile:
        by_file.setdefault(use.template or "a template", []).append(use.function)
    for file, functions in by_file.items():
        cause = f"uses {', '.join(functions)}: it " if any(functions) else ""
        yield f"{file} {cause}renders differently every time"


def _lookups(seen: Overview) -> Iterator[str]:
    for lookup in seen.lookups:
        name = "/".join(part for part in (lookup.namespace, lookup.name) if part) or "(all)"
        yield f"{lookup.template} looks up {lookup.kind} {name} in the cluster; rendered here as if it did not exist"
