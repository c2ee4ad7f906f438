"""A container job at work: its Kubernetes Job made or found again, followed to its end, removed if it must stop."""

import asyncio
import contextlib
import hashlib
import secrets
from collections import deque

import msgspec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job as KubernetesJob
from lightkube.resources.core_v1 import Event, Namespace, Pod
from lightkube.types import CascadeType

from watchbill.errors import UserError
from watchbill.jobs.context import Context
from watchbill.jobs.declare import Job
from watchbill.jobs.outcomes import Abort, Manual, Skip
from watchbill.kube import jobspec, pods
from watchbill.kube.errors import KubeError

PRODUCT = "watchbill.dev/product"
JOB = "watchbill.dev/job"
DIGEST = "watchbill.dev/digest"
VERSION = "watchbill.dev/version"
# The server ends it too, for who is not there any more to do so; but not before us, who can say why.
MARGIN = 60
# Variables that say what the deploy found, and not what is declared.
_FOUND = frozenset({"WATCHBILL_INSTALLED", "WATCHBILL_IS_NEW"})
# How many lines of its log a pod's end may be told by.
LAST_WORDS = 80


async def run_container(ctx: Context, job: Job) -> None:
    wanted = _wanted(ctx, job)
    if ctx.dry_run:
        await _dry(ctx, wanted)
        return
    name = await _found_again(ctx, wanted)
    if name is None:
        assert wanted.metadata is not None
        name = wanted.metadata.name or ""
        await _created(ctx, wanted)
        ctx.log.info("Job %s in namespace %s", name, ctx.namespace)
    await _followed(ctx, name)


def _wanted(ctx: Context, job: Job) -> KubernetesJob:
    container = job.container
    assert container is not None
    env: dict[str, str | jobspec.SecretKey] = {**_surroundings(ctx), **container.env}
    for variable, source in container.env_from_secret.items():
        secret, _, key = source.partition("/")
        env[variable] = jobspec.SecretKey(secret, key)
    named: dict[str, list[str]] = {kind: [] for kind in ("secret", "configmap")}
    for source in container.env_from:
        kind, _, name = source.partition("/")
        named[kind].append(name)
    built = jobspec.build(
        [ctx.bill.product, ctx.component or "global", job.name, secrets.token_hex(3)],
        namespace=ctx.namespace,
        image=container.image.replace("{target}", ctx.target),
        command=container.command,
        args=container.args,
        env=env,
        env_from_secrets=named["secret"],
        env_from_config_maps=named["configmap"],
        labels={
            PRODUCT: jobspec.name(ctx.bill.product),
            JOB: jobspec.name(ctx.component or "global", job.name),
        },
        annotations={VERSION: ctx.target},
        deadline=(job.timeout or 0) + MARGIN,
        backoff_limit=container.attempts - 1,
        service_account=container.service_account,
        resources=container.resources,
        # Half of the time is for the container, half for the cluster: its pod must be gone when the grace is over.
        grace=max(1, ctx.grace / 2),
    )
    assert built.metadata is not None
    assert built.metadata.annotations is not None
    built.metadata.annotations[DIGEST] = _digest(built)
    return built


def _digest(built: KubernetesJob) -> str:
    """Of what is declared. Not of what the deploy found in the cluster: after a kill, the next one may find more there."""
    spec = msgspec.to_builtins(built.spec)
    for container in spec["template"]["spec"]["containers"]:
        container["env"] = [one for one in container.get("env") or () if one["name"] not in _FOUND]
    return hashlib.sha256(msgspec.json.encode(spec)).hexdigest()[:16]


async def _dry(ctx: Context, wanted: KubernetesJob) -> None:
    try:
        await ctx.kube.create(wanted)
        ctx.log.info("the server would take the Job")
    except KubeError as error:
        if not error.is_missing:
            raise
        ctx.log.info("namespace %s is not there yet: the server cannot be asked about the Job", ctx.namespace)


async def _created(ctx: Context, wanted: KubernetesJob) -> None:
    """Before the chart of a new component its namespace need not be there: helm would make it, and comes later."""
    try:
        await ctx.kube.create(wanted)
    except KubeError as error:
        if not error.is_missing:
            raise
        await ctx.kube.create(Namespace(metadata=ObjectMeta(name=ctx.namespace)))
        ctx.log.info("made namespace %s", ctx.namespace)
        await ctx.kube.create(wanted)


def _surroundings(ctx: Context) -> dict[str, str]:
    """What a function reads from its context."""
    return {
        "WATCHBILL_PRODUCT": ctx.bill.product,
        "WATCHBILL_COMPONENT": ctx.component or "",
        "WATCHBILL_NAMESPACE": ctx.namespace,
        "WATCHBILL_INSTALLED": ctx.installed or "",
        "WATCHBILL_TARGET": ctx.target,
        "WATCHBILL_IS_NEW": "true" if ctx.is_new else "false",
    }


async def _found_again(ctx: Context, wanted: KubernetesJob) -> str | None:
    """A Job that an earlier deploy left unfinished when it was killed: two at once must not be. What runs runs to its
    end; what could not even begin makes room for what is wanted now."""
    assert wanted.metadata is not None
    labels = {key: (wanted.metadata.labels or {})[key] for key in (PRODUCT, JOB)}
    same = None
    async for other in ctx.kube.list(KubernetesJob, namespace=ctx.namespace, labels=dict(labels)):
        if other.metadata is None or _has_ended(other):
            continue
        name = other.metadata.name or ""
        if other.metadata.deletionTimestamp is not None:
            await _gone(ctx, name)
        elif (other.metadata.annotations or {}).get(DIGEST) == (wanted.metadata.annotations or {})[DIGEST]:
            ctx.log.info("Job %s of an earlier deploy has not ended: it is followed", name)
            same = name
        elif await _has_begun(ctx, name):
            ctx.log.warning(
                "Job %s of an earlier deploy, which was made otherwise, still runs: waiting for its end", name
            )
            await pods.follow(ctx.kube, ctx.namespace, name, lambda line: ctx.log.info("%s", line.text))
        else:
            ctx.log.warning(
                "Job %s of an earlier deploy, which was made otherwise, has not begun: it is removed", name
            )
            await _removed(ctx, name)
    return same


def _has_ended(job: KubernetesJob) -> bool:
    conditions = (job.status.conditions if job.status else None) or []
    return any(one.type in ("Complete", "Failed") and one.status == "True" for one in conditions)


async def _has_begun(ctx: Context, name: str) -> bool:
    """Its pods know that seconds before the Job does."""
    async for pod in ctx.kube.list(
        Pod, namespace=ctx.namespace, labels={"batch.kubernetes.io/job-name": name}
    ):
        for container in (pod.status.containerStatuses if pod.status else None) or []:
            if container.state and (container.state.running or container.state.terminated):
                return True
    return False


async def _followed(ctx: Context, name: str) -> None:
    spoken: deque[str] = deque(maxlen=LAST_WORDS)
    attempts = 1

    def hear(line: pods.Line) -> None:
        nonlocal attempts
        if not line.container:
            ctx.log.warning("%s", line.text)
            ctx.held_up(line.text)
            return
        ctx.held_up("")
        if line.attempt > attempts:
            attempts = line.attempt
            ctx.log.info("attempt %d, in pod %s", attempts, line.pod)
        spoken.append(line.text)
        ctx.log.info("%s", line.text)

    refusals = asyncio.create_task(_refusals(ctx, name))
    try:
        ending = await pods.follow(ctx.kube, ctx.namespace, name, hear)
    except asyncio.CancelledError:
        await _stopped(ctx, name)
        raise
    finally:
        refusals.cancel()
        await asyncio.gather(refusals, return_exceptions=True)
    judge(name, ending, "\n".join(spoken), ctx.obstacle)


async def _refusals(ctx: Context, name: str) -> None:
    """A Job whose pods are refused (a quota, a service account that is not there) has none that could be followed."""
    fields = {"involvedObject.kind": "Job", "involvedObject.name": name, "type": "Warning"}
    told, pause = "", 2.0
    while True:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 30)
        try:
            events = [one async for one in ctx.kube.list(Event, namespace=ctx.namespace, fields=dict(fields))]
        except KubeError:
            continue  # whoever follows the Job tells of it
        refused = [one.message or "" for one in events if one.reason == "FailedCreate"]
        if refused and refused[-1] != told:
            told = refused[-1]
            ctx.log.warning("%s", told)
            ctx.held_up(told)


async def _stopped(ctx: Context, name: str) -> None:
    ctx.log.info("removing Job %s", name)
    with contextlib.suppress(KubeError):
        if await _has_begun(ctx, name):
            ctx.held_up("")  # whatever it was, it is over
    await _removed(ctx, name)


def judge(name: str, ending: pods.Ending, spoken: str, obstacle: str) -> None:
    """Raises what the container could not."""
    if ending.is_deleted:
        raise UserError(f"somebody deleted Job {name} before it had ended")
    last = ending.last
    message = last.message.strip() if last else ""
    # A pod that fails without a message is given the end of its log for one. That may hold anything.
    is_message = bool(message) and not spoken.rstrip().endswith(message)
    if is_message:
        _answer(message, ending.succeeded)
    if ending.succeeded:
        return
    if ending.reason == "DeadlineExceeded" or last is None:
        why = f"{ending.reason}: {obstacle or ending.message}".rstrip(": ")
    else:
        code = "" if last.exit_code is None else f"exit code {last.exit_code}"
        why = ", ".join(filter(None, [code, "" if last.reason == "Error" else last.reason])) or ending.reason
        why = f"{why}: {message}" if is_message else why
    raise UserError(f"Job {name} failed: {why}")


def _answer(message: str, succeeded: bool) -> None:
    word, _, rest = message.partition(":")
    reason, _, guide = rest.strip().partition("\n")
    match word.strip().lower():
        case "skip" if succeeded:
            raise Skip(reason)
        case "abort":
            raise Abort(reason)
        case "manual":
            raise Manual(reason, guide.strip())


async def _removed(ctx: Context, name: str) -> None:
    """And its pods, before it."""
    try:
        await ctx.kube.delete(KubernetesJob, name, namespace=ctx.namespace, cascade=CascadeType.FOREGROUND)
        await _gone(ctx, name)
    except KubeError as error:
        if not error.is_missing:
            ctx.log.warning(
                "Job %s could not be removed: %s; remove it with: kubectl delete job --namespace %s %s",
                *(name, error.what, ctx.namespace, name),
            )


async def _gone(ctx: Context, name: str) -> None:
    while True:
        try:
            await ctx.kube.get(KubernetesJob, name, namespace=ctx.namespace)
        except KubeError as error:
            if error.is_missing:
                return
            raise
        await asyncio.sleep(0.3)
