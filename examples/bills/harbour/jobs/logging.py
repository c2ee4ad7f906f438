"""Before the logs are kept for longer."""

from lightkube.resources.core_v1 import PersistentVolumeClaim
from lightkube.resources.storage_v1 import StorageClass

from watchbill.jobs import Context, Manual, Pre, Skip, job

CLAIM = "storage-logging-0"
NEEDED = "2Gi"


@job(
    "logging",
    Pre,
    until="3.0.0",
    timeout="1m",
    requires=["get persistentvolumeclaims", "patch persistentvolumeclaims", "get storageclasses"],
)
async def grow_volume(ctx: Context) -> None:
    """Makes room for the logs of two weeks, which version 2 keeps."""
    if ctx.is_new:
        raise Skip("there is nothing to grow yet")
    claim = await ctx.kube.get(PersistentVolumeClaim, CLAIM, namespace=ctx.namespace)
    requested = claim.spec and claim.spec.resources and claim.spec.resources.requests
    size = str((requested or {}).get("storage"))
    if size == NEEDED:
        raise Skip(f"{CLAIM} has {size} already")
    storage = (claim.spec and claim.spec.storageClassName) or ""
    if not (await ctx.kube.get(StorageClass, storage)).allowVolumeExpansion:
        raise Manual(
            f"{CLAIM} has {size} and needs {NEEDED}, and volumes of class {storage} cannot grow",
            guide=f"1. save what is in {CLAIM}\n"
            f"2. kubectl --namespace {ctx.namespace} delete statefulset/logging pvc/{CLAIM}\n"
            f"3. create {CLAIM} with {NEEDED}, and bring back what was in it\n"
            "4. deploy again",
        )
    ctx.log.info("%s grows from %s to %s", CLAIM, size, NEEDED)
    grown = {"spec": {"resources": {"requests": {"storage": NEEDED}}}}
    await ctx.kube.patch(PersistentVolumeClaim, CLAIM, grown, namespace=ctx.namespace)
