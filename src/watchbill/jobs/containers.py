"""`container_job(...)`: a job that is a container. It runs in the cluster as a Kubernetes Job, under the same contract."""

from collections.abc import Mapping, Sequence
from typing import Any, overload

from msgspec import Struct

from watchbill.jobs.checks import MISSING, Checks
from watchbill.jobs.context import Context
from watchbill.jobs.declare import KEYWORDS, caller, declare
from watchbill.jobs.moments import Global, Moment

OWN_KEYWORDS = (
    "image", "command", "args", "env", "env_from_secret", "env_from", "service_account", "resources", "attempts",
)  # fmt: skip
# A container that nobody waits for any more must end some day.
TIMEOUT = "1h"
# What it takes to run one, beside what the job itself says it needs.
RIGHTS = (
    "create batch/jobs", "get batch/jobs", "list batch/jobs", "watch batch/jobs", "delete batch/jobs",
    "list pods", "watch pods", "get pods/log", "list events",
)  # fmt: skip


class Container(Struct, frozen=True):
    image: str  # {target} in it stands for the version that is deployed
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    env_from_secret: dict[str, str] = {}  # variable: SECRET/KEY
    env_from: tuple[str, ...] = ()  # secret/NAME or configmap/NAME, all of its keys
    service_account: str | None = None
    resources: dict[str, dict[str, str]] = {}  # requests and limits, as in a pod
    attempts: int = 1


@overload
def container_job(
    component: str | Global,
    moment: Moment,
    *,
    name: str,
    image: str,
    command: Sequence[str] = (),
    args: Sequence[str] = (),
    env: Mapping[str, str] = ...,
    env_from_secret: Mapping[str, str] = ...,
    env_from: Sequence[str] = (),
    service_account: str | None = None,
    resources: Mapping[str, Mapping[str, str]] = ...,
    attempts: int = 1,
    until: str,
    reason: str = "",
    timeout: str = TIMEOUT,
    requires: Sequence[str] = (),
    once: bool = False,
    grace: str | None = None,
) -> None: ...
@overload
def container_job(
    component: str | Global,
    moment: Moment,
    *,
    name: str,
    image: str,
    command: Sequence[str] = (),
    args: Sequence[str] = (),
    env: Mapping[str, str] = ...,
    env_from_secret: Mapping[str, str] = ...,
    env_from: Sequence[str] = (),
    service_account: str | None = None,
    resources: Mapping[str, Mapping[str, str]] = ...,
    attempts: int = 1,
    until: None,
    reason: str,
    timeout: str = TIMEOUT,
    requires: Sequence[str] = (),
    once: bool = False,
    grace: str | None = None,
) -> None: ...
def container_job(component: Any = MISSING, moment: Any = MISSING, *more: Any, **given: Any) -> None:
    """Declares a job that runs an image. It says how it ended by its exit code and, for what that cannot tell, by its
    termination message: "skip: ...", "abort: ...", or "manual: ..." with the steps in the lines below."""
    checks = Checks(caller(1), str(given.get("name", "container_job")))
    if more:
        checks.wrong("only component and moment are given without a name", "give the rest as: image=...")
    checks.nothing_else(given, (*KEYWORDS, *OWN_KEYWORDS))
    container = _container(checks, given)

    async def run(ctx: Context) -> None:
        from watchbill.jobs.container_run import (
            run_container,
        )  # what talks to the cluster is loaded when it does

        await run_container(ctx, made)

    requires = checks.texts("requires", given.get("requires", ()), "patch persistentvolumeclaims")
    made = declare(
        checks,
        component,
        moment,
        {"timeout": TIMEOUT}
        | {key: value for key, value in given.items() if key in KEYWORDS}
        | {"name": given.get("name", MISSING), "requires": [*requires, *RIGHTS]},
        summary=f"runs {container.image}",
        function=run,
        is_async=True,
        container=container,
    )


def _container(checks: Checks, given: dict[str, Any]) -> Container:
    image = checks.text("image", given.get("image", ""))
    if given.get("image", "") == "":
        checks.wrong("it has no image", 'say image="..."')
    attempts = given.get("attempts", 1)
    if not isinstance(attempts, int) or attempts < 1:
        checks.wrong(f"attempts must be a number from 1, and is {attempts!r}")
        attempts = 1
    account = given.get("service_account")
    from_secret = _mapping(checks, "env_from_secret", given.get("env_from_secret", {}))
    for variable, source in from_secret.items():
        if source.count("/") != 1 or not all(source.split("/")):
            checks.wrong(f"env_from_secret: {variable} cannot come from {source!r}", "write it as SECRET/KEY")
    env_from = checks.texts("env_from", given.get("env_from", ()), "secret/database")
    for source in env_from:
        kind, _, name = source.partition("/")
        if kind not in ("secret", "configmap") or not name:
            checks.wrong(f"env_from cannot be {source!r}", "write it as secret/NAME or configmap/NAME")
    return Container(
        image,
        checks.texts("command", given.get("command", ()), "sh"),
        checks.texts("args", given.get("args", ()), "migrate"),
        _mapping(checks, "env", given.get("env", {})),
        from_secret,
        env_from,
        None if account is None else checks.text("service_account", account),
        _resources(checks, given.get("resources", {})),
        attempts,
    )


def _mapping(checks: Checks, key: str, value: object) -> dict[str, str]:
    if isinstance(value, Mapping) and all(isinstance(one, str) for pair in value.items() for one in pair):
        return dict(value)
    checks.wrong(f"{key} must be a mapping of texts to texts", f'write it as: {key}={{"NAME": "value"}}')
    return {}


def _resources(checks: Checks, value: object) -> dict[str, dict[str, str]]:
    if not isinstance(value, Mapping) or value.keys() - {"requests", "limits"}:
        checks.wrong(
            "resources has requests and limits", 'write it as: resources={"limits": {"memory": "1Gi"}}'
        )
        return {}
    return {str(kind): _mapping(checks, f"resources: {kind}", amounts) for kind, amounts in value.items()}
