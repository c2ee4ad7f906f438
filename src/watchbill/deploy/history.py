"""The last deploys of a product, stored in the cluster: what was deployed, what ran, how it ended, and the logs.

One Secret a deploy: logs of jobs are nobody's business who may not read Secrets. It is written when the deploy begins and again when
it ends: one that still says `running` while nobody holds the Lease was killed.
"""

import base64
import bisect
import gzip
import zlib
from collections.abc import Sequence

import msgspec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Secret
from msgspec import Struct
from msgspec.structs import replace

from watchbill.deploy import listing
from watchbill.deploy.patience import patiently
from watchbill.deploy.record import MANAGED, PRODUCT_LABEL, object_name
from watchbill.errors import UserError
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

KEPT = 10
MOST_BYTES = 256 * 1024  # of what is stored of one deploy
LOG_LINES = 200  # a job

_TYPE = "watchbill.dev/deploy"
_NUMBER = "watchbill.dev/deploy"
_SUMMARY = "watchbill.dev/summary"
_KEY = "deploy"
_LONGEST_LINE = 2000
_LIMITS = (
    LOG_LINES,
    *(LOG_LINES >> halvings for halvings in range(1, LOG_LINES.bit_length() + 1)),
)  # 200, 100, ... 0


class JobEntry(Struct, frozen=True, omit_defaults=True):
    """How a job ended. `component` is empty for global ones."""

    identity: str
    component: str
    moment: str
    status: str
    reason: str = ""
    guide: str = ""
    seconds: float = 0.0
    log: tuple[str, ...] = ()


class ComponentEntry(Struct, frozen=True, omit_defaults=True):
    name: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    revision: int = 0  # of its release; 0: helm was not run
    log: tuple[str, ...] = ()  # what helm said, then what Jobs, pods and events say of a failure


class StageEntry(Struct, frozen=True, omit_defaults=True):
    name: str
    status: str
    seconds: float = 0.0


class Summary(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A line of `watchbill history`."""

    number: int
    operation: str
    product: str
    version: str
    from_version: str = ""
    profile: str = ""
    environment: str = ""
    started: str  # UTC
    seconds: float = 0.0
    status: str  # running, done, failed, cancelled, ...
    reason: str = ""
    who: str = ""


class Deploy(Summary, frozen=True, omit_defaults=True, kw_only=True):
    """All of it, as `watchbill history show` tells it."""

    stages: tuple[StageEntry, ...] = ()
    components: tuple[ComponentEntry, ...] = ()
    jobs: tuple[JobEntry, ...] = ()
    cut: int = 0  # lines of logs that were left out


async def save(kube: Kube, namespace: str, deploy: Deploy) -> None:
    """Made or overwritten. Called when it begins, and when it ends."""
    secret = Secret(
        metadata=ObjectMeta(
            name=_name(deploy.product, deploy.number),
            namespace=namespace,
            labels={**MANAGED, PRODUCT_LABEL: deploy.product, _NUMBER: str(deploy.number)},
            annotations={_SUMMARY: msgspec.json.encode(_summary(deploy)).decode()},
        ),
        type=_TYPE,
        data={_KEY: packed(deploy)},
    )
    try:
        await patiently(lambda: kube.create(secret))
    except KubeError as error:
        if not error.is_existing:
            raise
        await patiently(lambda: kube.replace(secret))


async def prune(kube: Kube, namespace: str, product: str) -> None:
    """All but the last are deleted."""
    for summary in (await entries(kube, namespace, product))[KEPT:]:
        await _delete(kube, namespace, _name(product, summary.number))


async def entries(kube: Kube, namespace: str, product: str) -> list[Summary]:
    """The newest first."""
    selector = {PRODUCT_LABEL: product, **MANAGED, _NUMBER: None}
    found = await listing.metadata(kube, Secret, namespace, selector)
    summaries = [read for about in found if (read := _read_summary(about.annotations.get(_SUMMARY, "")))]
    return sorted(summaries, key=lambda summary: -summary.number)


async def show(kube: Kube, namespace: str, product: str, number: int) -> Deploy:
    """A UserError that says which there are, if it is none of them."""
    try:
        found = await patiently(lambda: kube.get(Secret, _name(product, number), namespace=namespace))
    except KubeError as error:
        if not error.is_missing:
            raise
        known = [str(summary.number) for summary in await entries(kube, namespace, product)]
        raise UserError(
            f"no deploy {number} of {product} in namespace {namespace}",
            where=f"there are: {', '.join(known)}" if known else "there has been none yet",
            then="watchbill history lists them" if known else None,
        ) from None
    try:
        return unpacked((found.data or {}).get(_KEY, ""))
    except (ValueError, OSError, zlib.error, EOFError, msgspec.DecodeError):
        raise UserError(
            f"Secret {namespace}/{_name(product, number)} does not hold a deploy: somebody has changed it",
            then="delete it; nothing but this report is lost",
        ) from None


async def close_killed(kube: Kube, namespace: str, product: str, but: int) -> None:
    """Earlier deploys that still say `running` were killed: we hold the Lease now. `but` is our own number."""
    for summary in await entries(kube, namespace, product):
        if summary.status == "running" and summary.number != but:
            deploy = await show(kube, namespace, product, summary.number)
            await save(
                kube, namespace, replace(deploy, status="killed", reason="it was killed: it left no end")
            )


async def _delete(kube: Kube, namespace: str, name: str) -> None:
    try:
        await patiently(lambda: kube.delete(Secret, name, namespace=namespace))
    except KubeError as error:
        if not error.is_missing:
            raise


def packed(deploy: Deploy) -> str:
    """As it is stored, within the limits: half of each log goes, those of the jobs that ended first before the others,
    then half of the rest, until it fits."""
    steps = (len(_LIMITS) - 1) * max(1, len(deploy.jobs))
    at_once = _pack(_cut(deploy, 0))
    if len(at_once) <= MOST_BYTES:
        return at_once
    # Looked for by halves: to pack a large one takes a while.
    step = bisect.bisect_left(
        range(steps), True, key=lambda step: len(_pack(_cut(deploy, step))) <= MOST_BYTES
    )
    text = _pack(_cut(deploy, step))
    return text if len(text) <= MOST_BYTES else _pack(_bare(_cut(deploy, steps)))


def unpacked(text: str) -> Deploy:
    return msgspec.json.decode(gzip.decompress(base64.b64decode(text, validate=True)), type=Deploy)


def _pack(deploy: Deploy) -> str:
    return base64.b64encode(gzip.compress(msgspec.json.encode(deploy), 6, mtime=0)).decode()


def _cut(deploy: Deploy, step: int) -> Deploy:
    """In each round the jobs are cut one after the other; what helm said, when all of them have been."""
    rounds, cut_further = divmod(step, max(1, len(deploy.jobs)))
    limit, next_limit = _LIMITS[rounds], _LIMITS[min(rounds + 1, len(_LIMITS) - 1)]
    jobs = tuple(
        replace(job, log=_last(job.log, next_limit if index < cut_further else limit))
        for index, job in enumerate(deploy.jobs)
    )
    components = tuple(replace(each, log=_last(each.log, limit)) for each in deploy.components)
    after = replace(deploy, jobs=jobs, components=components)
    return replace(after, cut=deploy.cut + _lines(deploy) - _lines(after))


def _last(log: Sequence[str], lines: int) -> tuple[str, ...]:
    return tuple(line[:_LONGEST_LINE] for line in log[max(0, len(log) - lines) :])


def _lines(deploy: Deploy) -> int:
    return sum(len(job.log) for job in deploy.jobs) + sum(len(each.log) for each in deploy.components)


def _bare(deploy: Deploy) -> Deploy:
    """Without logs it is only the reasons that can be long."""
    jobs = tuple(replace(job, reason=job.reason[:300], guide=job.guide[:300]) for job in deploy.jobs)
    components = tuple(replace(component, reason=component.reason[:300]) for component in deploy.components)
    return replace(deploy, jobs=jobs, components=components, reason=deploy.reason[:2000])


def _summary(deploy: Deploy) -> Summary:
    known = {field: getattr(deploy, field) for field in Summary.__struct_fields__}
    return Summary(**{**known, "reason": deploy.reason[:500]})


def _read_summary(text: str) -> Summary | None:
    """None if somebody has changed it: that is told when it is to be shown."""
    try:
        return msgspec.json.decode(text, type=Summary)
    except msgspec.DecodeError:
        return None


def _name(product: str, number: int) -> str:
    return f"{object_name(product)}-deploy-{number}"
