"""What one operation is going to do: an install, or the upgrade from what is installed, with its flags. Nothing else is
played, and nothing made up: for whoever is about to do it."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking import findings
from watchbill.checking.grounds import Ground, of_installed
from watchbill.checking.result import Checked, Fact, Problem
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.moves import parse
from watchbill.lifecycle.scenarios import retrace, stage_for
from watchbill.rules.sighting import Sighting


class Operation(Struct, frozen=True):
    chart: str  # its folder or archive
    context: Context
    installed: str = ""  # manifests, those of hooks too; empty: nothing is
    flags: tuple[str, ...] = ()


def foretell(engine: Engine, operation: Operation, tool: Tool) -> Checked:
    """Whatever keeps it from being told is part of the answer."""
    try:
        return _foretold(engine, operation, tool)
    except UserError as error:
        return Checked(operation.chart, tools=(str(tool),), problem=Problem.of(error))


def _foretold(engine: Engine, operation: Operation, tool: Tool) -> Checked:
    chart = load(engine, operation.chart, follow_symlinks=True)  # as helm does
    ground = of_installed(engine, chart, operation.installed, operation.context, tool)
    said = [findings.hear(ground, one, frozenset(operation.flags)) for one in _sightings(ground, operation)]
    # Nothing is a circumstance here: it is these flags and this tool.
    heard = [replace(one, severity=one.claim.severity) for one in said if not isinstance(one, Fact)]
    groups, _ = findings.settle(heard)
    found = findings.write(engine, groups, operation.chart, "", profiles=frozenset({""}), avoid=lambda *_: "")
    return Checked(
        operation.chart,
        name=chart.name,
        version=chart.version,
        tools=(str(tool),),
        findings=tuple(found),
    )


def _sightings(ground: Ground, operation: Operation) -> Iterator[Sighting]:
    flags = "".join(f" {flag}" for flag in operation.flags)
    verb, before = ("upgrade", [parse("install", ground.tool.name)]) if ground.checked else ("install", [])
    asked = replace(parse(f"{verb}{flags}", ground.tool.name), version=ground.checked)
    plays, violations = retrace(stage_for(ground.life), (*before, asked))
    for violation in violations:
        if violation.trace[-1] is asked:
            yield Sighting(violation, ground.life, walked=plays)
