"""Before anything begins."""

from lightkube.resources.core_v1 import ResourceQuota

from watchbill.jobs import GLOBAL, Abort, Context, Pre, job


@job(
    GLOBAL,
    Pre,
    until=None,
    reason="a quota can be used up before any version",
    requires=["list resourcequotas"],
)
async def quota_is_left(ctx: Context) -> None:
    """Stops the deploy where its pods would not fit in."""
    async for quota in ctx.kube.list(ResourceQuota, namespace=ctx.namespace):
        assert quota.status
        hard, used = quota.status.hard or {}, quota.status.used or {}
        if "pods" in hard and int(used.get("pods", 0)) >= int(hard["pods"]):
            raise Abort(f"all {hard['pods']} pods of the quota are used up")
    ctx.log.info("there is room for pods")
