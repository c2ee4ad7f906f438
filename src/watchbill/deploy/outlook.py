"""What is to be deployed, and what the cluster has of it already: read, never written. A plan and a deploy begin with it."""

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct

from watchbill.deploy import needs, releases
from watchbill.deploy import record as records
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.record import Record
from watchbill.deploy.releases import Release
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Post, Pre
from watchbill.jobs.registry import Registry
from watchbill.kube import rights
from watchbill.kube.client import Kube
from watchbill.kube.rights import Right


class Selection(Struct, frozen=True):
    """What of the bill is deployed in this run, and the jobs that run with it, in their order."""

    prerequisites: tuple[Component, ...]
    components: tuple[Component, ...]
    jobs: tuple[Job, ...]

    @classmethod
    def of(cls, bill: Bill, registry: Registry, only: Sequence[str] = ()) -> "Selection":
        from difflib import get_close_matches

        for name in only:
            if name not in bill.names:
                close = get_close_matches(name, bill.names, n=1)
                then = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(bill.names)}"
                raise UserError(f"{bill.file} has no component {name!r}", then=then)
        kept = needs.keep(bill.everything, only or bill.names)
        prerequisites = tuple(one for one in kept if one.is_prerequisite)
        components = tuple(one for one in kept if not one.is_prerequisite)
        around = [*registry.of(None, Pre)]
        for component in (*prerequisites, *components):
            around += (*registry.of(component.name, Pre), *registry.of(component.name, Post))
        return cls(prerequisites, components, (*around, *registry.of(None, Post)))

    @property
    def everything(self) -> tuple[Component, ...]:
        return (*self.prerequisites, *self.components)


class Lack(Struct, frozen=True):
    """A right that a job requires, and the person who deploys does not have."""

    job: Job
    right: Right
    namespace: str

    def __str__(self) -> str:
        where = (
            "cluster-wide"
            if self.right.namespace is None
            else f"in namespace {self.right.namespace or self.namespace}"
        )
        return f"{self.job.place}: job {self.job.identity} must {self.right}, {where}"


class Outlook(Struct, frozen=True):
    record: Record
    releases: Mapping[str, Release]  # by component; those that have one
    lacks: tuple[Lack, ...] = ()
    dropped: tuple[Release, ...] = ()  # of this product, and of no component of the bill
    elsewhere: tuple[str, ...] = ()  # other namespaces with a record of the product, if this one has none

    @property
    def revisions(self) -> dict[str, int]:
        return {name: release.last.number for name, release in self.releases.items()}

    @property
    def present(self) -> frozenset[str]:
        """Components that are not new: they were complete once, jobs included. A release that this product did not make
        counts as complete: it was there before."""
        known = self.record
        # Earlier versions of Watchbill did not write down what was complete.
        is_silent = bool(known.installed) and not known.complete
        return frozenset(
            name
            for name, release in self.releases.items()
            if release.good is not None
            and (is_silent or name in known.complete or release.is_adopted(known.product))
        )

    def maybe_ran(self, jobs: Sequence[Job]) -> list[Job]:
        """Jobs that run once, began to, and of which nobody knows the end."""
        known = self.record.once
        return [
            job
            for job in jobs
            if job.once and job.identity in known and known[job.identity].status == "started"
        ]


async def look(kube: Kube, bill: Bill, selection: Selection, environment: Mapping[str, str]) -> Outlook:
    """`environment` is helm's: it says where releases are stored."""
    record, known, lacks = await asyncio.gather(
        records.load(kube, bill.default_namespace, bill.product),
        _releases(kube, selection.everything, environment),
        _lacks(kube, bill, selection),
    )
    elsewhere = await records.namespaces(kube, bill.product) if record.is_new else ()
    return Outlook(record, _chosen(known, selection.everything), lacks, _dropped(known, bill), elsewhere)


async def releases_of(
    kube: Kube, components: Sequence[Component], environment: Mapping[str, str]
) -> dict[str, Release]:
    """Return the releases of these components, by component."""
    return _chosen(await _releases(kube, components, environment), components)


async def _releases(
    kube: Kube, components: Sequence[Component], environment: Mapping[str, str]
) -> dict[str, dict[str, Release]]:
    """Return all releases in the namespaces of these components. One request a namespace."""
    namespaces = list(dict.fromkeys(component.namespace for component in components))
    lists = await asyncio.gather(*(releases.releases(kube, one, environment) for one in namespaces))
    return dict(zip(namespaces, lists, strict=True))


def _chosen(
    known: Mapping[str, Mapping[str, Release]], components: Sequence[Component]
) -> dict[str, Release]:
    return {
        component.name: known[component.namespace][component.release]
        for component in components
        if component.release in known[component.namespace]
    }


def _dropped(known: Mapping[str, Mapping[str, Release]], bill: Bill) -> tuple[Release, ...]:
    """Return releases of the product that left the bill: nothing deletes them."""
    kept = {(component.namespace, component.release) for component in bill.everything}
    return tuple(
        release
        for namespace, found in known.items()
        for name, release in found.items()
        if (namespace, name) not in kept
        and release.last.labels.get(releases.PRODUCT) == releases.label(bill.product)
    )


async def _lacks(kube: Kube, bill: Bill, selection: Selection) -> tuple[Lack, ...]:
    places = {component.name: component.namespace for component in selection.everything}

    async def of(job: Job) -> list[Lack]:
        namespace = places.get(job.component or "", bill.default_namespace)
        missing = await rights.missing(kube, job.requires, namespace)
        return [Lack(job, right, namespace) for right in missing]

    asked = [job for job in selection.jobs if job.requires]
    return tuple(lack for lacks in await asyncio.gather(*map(of, asked)) for lack in lacks)
