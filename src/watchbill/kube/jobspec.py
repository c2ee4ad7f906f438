"""A Kubernetes Job that behaves: a name within limits, restricted pod security, an end in any case, no secret in its spec."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from lightkube.models.batch_v1 import JobSpec
from lightkube.models.core_v1 import (
    Capabilities,
    ConfigMapEnvSource,
    Container,
    EnvFromSource,
    EnvVar,
    EnvVarSource,
    LocalObjectReference,
    PodSecurityContext,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    SeccompProfile,
    SecretEnvSource,
    SecretKeySelector,
    SecurityContext,
    Volume,
    VolumeMount,
)
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job
from msgspec import Struct

LONGEST = 63
CONTAINER = "job"
MANAGED_BY = {"app.kubernetes.io/managed-by": "watchbill"}


class SecretKey(Struct, frozen=True):
    """A value that stays where it is: a key of a Secret in the Job's namespace."""

    secret: str
    key: str
    optional: bool = False


def name(*parts: str) -> str:
    """A DNS label of at most 63 characters out of parts; a hash is added unless the parts can be told from it, so that
    different parts never share a name."""
    whole = "-".join(parts)
    words = "".join(c if c in _ALLOWED else "-" for c in whole.lower()).split("-")
    plain = "-".join(word for word in words if word)
    is_clear = len(parts) == 1 or not any("-" in part for part in parts)
    if plain == whole and is_clear and 0 < len(plain) <= LONGEST:
        return plain
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[: LONGEST - 9].rstrip('-')}-{digest}".lstrip("-")


_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def build(
    name_parts: Sequence[str],
    *,
    namespace: str,
    image: str,
    command: Sequence[str] = (),
    args: Sequence[str] = (),
    env: Mapping[str, str | SecretKey] | None = None,
    env_from_secrets: Sequence[str] = (),
    env_from_config_maps: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    deadline: float,
    backoff_limit: int = 0,
    ttl: float = 86_400,
    service_account: str | None = None,
    resources: Mapping[str, Mapping[str, str]] | None = None,
    volumes: Sequence[Volume] = (),
    mounts: Sequence[VolumeMount] = (),
    image_pull_policy: str | None = None,
    image_pull_secrets: Sequence[str] = (),
    run_as_user: int | None = None,
    grace: float = 30,
) -> Job:
    """`deadline`, `ttl` and `grace` in seconds. `backoff_limit` 0: one attempt, what the deploy engine wants.

    Without `service_account` the pod gets no token. `run_as_user` is for images that run as root otherwise."""
    security = SecurityContext(
        allowPrivilegeEscalation=False, capabilities=Capabilities(drop=["ALL"]), privileged=False
    )
    container = Container(
        name=CONTAINER,
        image=image,
        command=list(command) or None,
        args=list(args) or None,
        env=[_variable(key, value) for key, value in (env or {}).items()] or None,
        envFrom=[
            *(EnvFromSource(configMapRef=ConfigMapEnvSource(name=named)) for named in env_from_config_maps),
            *(EnvFromSource(secretRef=SecretEnvSource(name=named)) for named in env_from_secrets),
        ]
        or None,
        imagePullPolicy=image_pull_policy,
        resources=_resources(resources),
        securityContext=security,
        # Its end is told by its last words if it writes none: so a failure has a reason.
        terminationMessagePolicy="FallbackToLogsOnError",
        volumeMounts=list(mounts) or None,
    )
    pod = PodSpec(
        containers=[container],
        restartPolicy="Never",
        automountServiceAccountToken=service_account is not None,
        serviceAccountName=service_account,
        securityContext=PodSecurityContext(
            runAsNonRoot=True, runAsUser=run_as_user, seccompProfile=SeccompProfile(type="RuntimeDefault")
        ),
        terminationGracePeriodSeconds=_whole(grace),
        imagePullSecrets=[LocalObjectReference(name=named) for named in image_pull_secrets] or None,
        volumes=list(volumes) or None,
        enableServiceLinks=False,
    )
    all_labels = {**MANAGED_BY, **(labels or {})}
    notes = dict(annotations or {}) or None
    return Job(
        apiVersion="batch/v1",
        kind="Job",
        metadata=ObjectMeta(
            name=name(*name_parts), namespace=namespace, labels=all_labels, annotations=notes
        ),
        spec=JobSpec(
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels=dict(all_labels), annotations=notes), spec=pod
            ),
            activeDeadlineSeconds=max(1, _whole(deadline)),
            backoffLimit=backoff_limit,
            ttlSecondsAfterFinished=_whole(ttl),
            # The next attempt waits for the end of the one before: two never run at once.
            podReplacementPolicy="Failed",
        ),
    )


def _variable(key: str, value: str | SecretKey) -> EnvVar:
    if isinstance(value, SecretKey):
        selector = SecretKeySelector(name=value.secret, key=value.key, optional=value.optional or None)
        return EnvVar(name=key, valueFrom=EnvVarSource(secretKeyRef=selector))
    return EnvVar(name=key, value=value)


def _resources(given: Mapping[str, Mapping[str, str]] | None) -> ResourceRequirements | None:
    if not given:
        return None
    parts: dict[str, Any] = {key: dict(given[key]) for key in ("requests", "limits") if given.get(key)}
    return ResourceRequirements(**parts)


def _whole(seconds: float) -> int:
    """Rounded up: half a second is not none."""
    return int(-(-seconds // 1))
