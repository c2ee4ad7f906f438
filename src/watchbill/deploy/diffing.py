"""Compares what is installed with what a chart renders to, object by object, in the format of `helm diff`.

Values of Secrets are masked: a line shows that a key changed and how long its value is, never the value.
"""

import base64
import binascii
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any, Literal

import yaml  # type: ignore[import-untyped]
from msgspec import Struct

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import Rendering, Resource, parse, render_one
from watchbill.errors import UserError

CONTEXT_LINES = 3
Change = Literal["added", "changed", "removed"]
Object = dict[str, Any]


class ObjectDiff(Struct, frozen=True):
    """How one object changes. `lines` begin with +, - or a space; `@@` separates distant places."""

    title: str
    change: Change
    lines: tuple[str, ...]


class Diff(Struct, frozen=True):
    """How the objects of one component change. `doubts` say why the rendering may differ from helm's own."""

    objects: tuple[ObjectDiff, ...] = ()
    doubts: tuple[str, ...] = ()
    problem: str = ""  # why nothing can be compared

    def count(self, change: Change) -> int:
        return sum(one.change == change for one in self.objects)


def diff(engine: Engine, chart: str, context: Context, installed: str) -> Diff:
    """Compare the chart at this path with the installed manifests, which are empty if there are none."""
    try:
        after = render_one(engine, load(engine, chart, follow_symlinks=True), context)  # as helm does
        before = parse(engine, f"what is installed as {context.release}", installed, context)
    except UserError as error:
        return Diff(problem=error.what)
    return Diff(tuple(_compare(before, after)), tuple(_doubts(after)))


def _doubts(after: Rendering) -> Iterator[str]:
    if after.lookups:
        yield "the chart reads the cluster (lookup), and this comparison does not: values that it keeps look changed"
    if after.volatile:
        functions = ", ".join(sorted({one.function for one in after.volatile}))
        yield f"the chart uses the clock or random values ({functions}): these values differ in each run"


def _compare(before: Rendering, after: Rendering) -> Iterator[ObjectDiff]:
    old, new = _by_identity(before.resources), _by_identity(after.resources)
    for key in sorted(old.keys() | new.keys()):
        was, becomes = old.get(key), new.get(key)
        one = becomes or was
        assert one is not None
        lines = _lines(was.object if was else None, becomes.object if becomes else None)
        if was is None:
            yield ObjectDiff(_title(one), "added", lines)
        elif becomes is None:
            yield ObjectDiff(_title(one), "removed", lines)
        elif lines:
            yield ObjectDiff(_title(one), "changed", lines)


def _by_identity(resources: Sequence[Resource]) -> dict[tuple[str, str, str, str], Resource]:
    """By namespace, kind, API group and name. Definitions in crds/ are not part of a release."""
    return {
        (one.namespace, one.kind, _group(one.object), one.name): one
        for one in resources
        if one.origin.role in ("manifest", "hook")
    }


def _group(given: Object) -> str:
    """As `helm diff` shows it: `apps` of apps/v1, `v1` of the core."""
    return str(given.get("apiVersion", "")).partition("/")[0]


def _title(one: Resource) -> str:
    return f"{one.namespace}, {one.name}, {one.kind} ({_group(one.object)})"


def _lines(was: Object | None, becomes: Object | None) -> tuple[str, ...]:
    was, becomes = _mask(was, becomes)
    old, new = ([] if one is None else _write(one).splitlines() for one in (was, becomes))
    # Two lines name files, and the first place needs no separator.
    compared = list(unified_diff(old, new, n=CONTEXT_LINES, lineterm=""))[3:]
    return tuple("@@" if line.startswith("@@") else line for line in compared)


def _mask(was: Object | None, becomes: Object | None) -> tuple[Object | None, Object | None]:
    """Hide the values of Secrets, with the marks that `helm diff` uses."""
    hidden = []
    for one, other, mark in ((was, becomes, "--------"), (becomes, was, "++++++++")):
        if one is None or one.get("kind") != "Secret":
            hidden.append(one)
            continue
        values, others = _values(one), _values(other or {})
        masked = {
            key: f"{'REDACTED' if others.get(key) == value else mark} # ({len(value)} bytes)"
            for key, value in values.items()
        }
        rest = {key: value for key, value in one.items() if key not in ("data", "stringData")}
        hidden.append({**rest, "data": masked} if masked else rest)
    return hidden[0], hidden[1]


def _values(secret: Object) -> dict[str, bytes]:
    """The values of a Secret as the API server stores them: stringData on top of data."""
    found = {}
    for field, is_encoded in (("data", True), ("stringData", False)):
        given = secret.get(field)
        for key, value in given.items() if isinstance(given, dict) else ():
            found[str(key)] = _bytes(str(value), is_encoded=is_encoded)
    return found


def _bytes(text: str, *, is_encoded: bool) -> bytes:
    if is_encoded:
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            pass
    return text.encode("utf-8", "surrogatepass")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes texts of several lines as blocks, so that a diff shows the line that changed."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent_text)


def _write(given: Object) -> str:
    text: str = yaml.dump(given, Dumper=_Dumper, allow_unicode=True, width=1 << 20)
    return text
