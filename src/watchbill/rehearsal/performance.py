"""From a script to what was played: versions are loaded, moves follow one another in one world."""

from collections.abc import Sequence

from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Context
from watchbill.charts.render import Failure, parse
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Lab, ReleaseName
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.world import World
from watchbill.rehearsal.script import Script
from watchbill.rehearsal.versions import (
    FIRST_REVISIONS,
    Fixed,
    FromChart,
    Look,
    Source,
    Versions,
    context_for,
    look_ahead,
)


def set_up(
    engine: Engine,
    script: Script,
    manifests: Sequence[tuple[str, str]],
    context: Context,
    *,
    follow_symlinks: bool = False,
    bare: bool = False,
) -> Lab:
    """`manifests` are names and texts of versions that are rendered already, where there are no charts."""
    context = context_for(context, script.tool)
    sources: list[Source] = [
        _from_chart(engine, load(engine, path, follow_symlinks=follow_symlinks), context)
        for path in script.charts
    ]
    sources += [_from_manifests(engine, name, text, context) for name, text in manifests]
    versions = Versions(sources, ReleaseName(context.release, context.namespace), bare=bare)
    return Lab(script.tool, versions, versions.cluster, context.release, context.namespace)


def perform(script: Script, lab: Lab) -> list[Played]:
    played: list[Played] = []
    world = World()
    for move in script.moves:
        played.append(play(world, move, lab))
        world = played[-1].world
    return played


def _from_chart(engine: Engine, chart: Chart, context: Context) -> FromChart:
    """One that renders for nobody is bad input; one that fails for upgrades only is worth a rehearsal."""
    version = FromChart(engine, chart, context)
    look_ahead(engine, chart, [Look(version, revision) for revision in FIRST_REVISIONS])
    looks = [version.look(revision) for revision in FIRST_REVISIONS]
    failures = [look for look in looks if isinstance(look, Failure)]
    if len(failures) == len(looks):
        raise explain(failures[0].error, chart.path, chart)
    return version


def _from_manifests(engine: Engine, name: str, text: str, context: Context) -> Fixed:
    try:
        return Fixed(parse(engine, name, text, context))
    except UserError as error:
        raise UserError(
            error.what, where=error.where, then="-m takes the output of `helm template`"
        ) from None
