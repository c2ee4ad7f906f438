"""WB110: an API version that newer versions of Kubernetes no longer serve."""

from collections.abc import Iterator

from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.kube.removed import SINCE
from watchbill.lifecycle.world import Manifest
from watchbill.rules.look import Look
from watchbill.rules.mends import all_of, changed, without
from watchbill.rules.rule import Claim, Pointer, Rule, Severity

PATH = ("apiVersion",)


def _inspect(look: Look) -> Iterator[Claim]:
    """One claim an API version and kind: whoever replaces one replaces all."""
    found: dict[tuple[str, str], list[Manifest]] = {}
    for manifest, _ in look.manifests():
        which = (manifest.body.api_version, manifest.body.kind)
        if which in SINCE:
            found.setdefault(which, []).append(manifest)
    for which, manifests in found.items():
        yield _claim(which, manifests, look.kubernetes)


def _claim(which: tuple[str, str], manifests: list[Manifest], cluster: str) -> Claim:
    """An error where the user's own cluster is known not to serve it."""
    api_version, kind = which
    since, version = ".".join(map(str, SINCE[which])), api_version.rpartition("/")[2]
    now = catalog.named(kind)
    keys = [manifest.key for manifest in manifests]
    fix = f"write apiVersion: {now.api_version}" if now else f"remove it: Kubernetes no longer has {kind}"
    if now and api_version.startswith("extensions/"):
        fix += ", and what else that version wants"
    replaced = (
        [changed(key, lambda thing: {**thing, "apiVersion": now.api_version}) for key in keys] if now else []
    )
    certain = _minor(cluster) >= SINCE[which]
    where = f"Kubernetes {cluster.removeprefix('v')}" if certain else f"Kubernetes {since} and newer"
    return Claim(
        subject=keys[0],
        title=f"the install fails on {where}: {kind} has no {version} there",
        because=f"Kubernetes {since} and newer versions do not serve {api_version} {kind}",
        fix=fix,
        mends=(*([all_of(*replaced)] if replaced else []), without(*keys)),
        cause=f"{api_version} {kind}",
        path=PATH,
        related=tuple(Pointer(key, PATH, "here too") for key in keys[1:]),
        severity=Severity.ERROR if certain else Severity.WARNING,
    )


def _minor(version: str) -> tuple[int, ...]:
    """Nothing, which is older than all, for no version."""
    parts = version.removeprefix("v").split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


RULE = Rule(
    "WB110",
    "removed-api",
    "an API version that newer versions of Kubernetes no longer serve",
    inspect=_inspect,
)
