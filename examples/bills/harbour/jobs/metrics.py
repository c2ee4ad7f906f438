"""Before metrics are counted by a chart."""

from lightkube.resources.core_v1 import ConfigMap

from watchbill.jobs import Pre, Skip, SyncContext, job

LEFTOVER = "metrics-by-hand"


@job("metrics", Pre, until="2.0.0", requires=["list configmaps", "delete configmaps"])
def remove_leftover(ctx: SyncContext) -> None:
    """Removes what people made by hand before there was a chart: from 2.0.0 on nobody has that any more."""
    names = {
        found.metadata.name for found in ctx.kube.list(ConfigMap, namespace=ctx.namespace) if found.metadata
    }
    if LEFTOVER not in names:
        raise Skip(f"there is no {LEFTOVER}")
    ctx.kube.delete(ConfigMap, LEFTOVER, namespace=ctx.namespace)
