"""What helm is going to do with each chart, as the lifecycle model tells it: from what is installed to what is deployed."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values, ValuesFile
from watchbill.checking.foretelling import Operation, foretell
from watchbill.checking.result import Checked, Finding
from watchbill.checking.settings import rule_names
from watchbill.deploy import releases
from watchbill.deploy.bill import Component
from watchbill.deploy.releases import Release
from watchbill.deploy.rendering import find_unrenderable
from watchbill.errors import UserError
from watchbill.helm.version import Version
from watchbill.kube.client import Kube
from watchbill.rehearsal.script import nearest_tool

READ_AT_ONCE = 8


class Prediction(Struct, frozen=True):
    """Of each component, in the order of the bill."""

    charts: Mapping[str, Checked]
    accepted: frozenset[str] = frozenset()  # rules
    unrenderable: Mapping[str, UserError] = {}  # charts with which helm will fail
    installed: Mapping[str, str] = {}  # manifests and hooks that the cluster has

    @property
    def errors(self) -> dict[str, list[Finding]]:
        """What must not be begun, unless somebody says so."""
        found = {
            name: [one for one in checked.findings if one.level == "error" and one.rule not in self.accepted]
            for name, checked in self.charts.items()
        }
        return {name: findings for name, findings in found.items() if findings}

    @property
    def untold(self) -> dict[str, str]:
        """Charts of which nothing can be told, and why."""
        return {
            name: checked.problem.what
            for name, checked in self.charts.items()
            if checked.problem and name not in self.unrenderable
        }


async def predict(
    engine: Engine,
    kube: Kube,
    components: Sequence[Component],
    present: Mapping[str, Release],
    helm: Version,
    *,
    kube_version: str = "",
    accept: Sequence[str] = (),
) -> Prediction:
    accepted = frozenset(map(rule_id, accept))
    installed = await _installed(kube, present)
    tool = nearest_tool("helm", str(helm))

    def all_of_them() -> Prediction:
        asked = {
            one.name: _operation(one, installed.get(one.name, ""), helm, kube_version) for one in components
        }
        charts = {name: foretell(engine, operation, tool) for name, operation in asked.items()}
        failed = (name for name, checked in charts.items() if checked.problem)
        found = ((name, find_unrenderable(engine, asked[name].chart, asked[name].context)) for name in failed)
        unrenderable = {name: error for name, error in found if error is not None}
        return Prediction(charts, accepted, unrenderable, installed)

    return await asyncio.to_thread(all_of_them)


async def _installed(kube: Kube, present: Mapping[str, Release]) -> dict[str, str]:
    """Manifests and hooks of what is deployed now."""
    turns = asyncio.Semaphore(READ_AT_ONCE)

    async def read(release: Release) -> str:
        revision = release.deployed
        if revision is None:
            return ""
        async with turns:
            content = await releases.content(kube, release, revision)
        return "\n---\n".join((content.manifest, *content.hooks))

    texts = await asyncio.gather(*map(read, present.values()))
    return dict(zip(present, texts, strict=True))


def _operation(component: Component, installed: str, helm: Version, kube_version: str) -> Operation:
    asked = (
        (component.wait, "--wait"),
        (component.wait_for_jobs, "--wait-for-jobs"),
        (component.atomic, helm.atomic),
    )
    context = context_of(component, kube_version)
    return Operation(component.chart, context, installed, tuple(flag for given, flag in asked if given))


def context_of(component: Component, kube_version: str = "", revision: int = 0) -> Context:
    """What helm renders the chart with, after this revision of its release; 0 if there is none."""
    return Context(
        release=component.release,
        namespace=component.namespace,
        values=Values(
            files=tuple(map(ValuesFile, component.values)),
            set=component.set,
            set_string=component.set_string,
        ),
        kube_version=kube_version,
        upgrade=revision > 0,
        revision=revision + 1,
    )


def rule_id(text: str) -> str:
    found = rule_names.ALL.id_of(text)
    if found is None:
        what, then = rule_names.ALL.unknown(text)
        raise UserError(what, then=then)
    return found
