"""Labs for the explorer: versions given as manifests, played by a tool."""

from collections.abc import Sequence

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import parse
from watchbill.lifecycle.lab import Lab, ReleaseName, Tool
from watchbill.rehearsal.versions import Fixed, Versions, context_for


def lab_of(engine: Engine, tool: str, manifests: Sequence[str], release: str = "r") -> Lab:
    name, _, version = tool.partition("@")
    chosen = Tool(name, version)
    context = context_for(Context(release=release, namespace="ns"), chosen)
    sources = [Fixed(parse(engine, f"v{n}.yaml", text, context)) for n, text in enumerate(manifests, 1)]
    versions = Versions(sources, ReleaseName(release, "ns"))
    return Lab(chosen, versions, versions.cluster, release, "ns")
