"""After the gateway is there."""

from lightkube.resources.apps_v1 import Deployment

from watchbill.jobs import Context, Post, job, retry


@job(
    "gateway",
    Post,
    until=None,
    reason="every version wants to be reached",
    timeout="2m",
    requires=["get deployments"],
)
async def gateway_is_open(ctx: Context) -> None:
    """Waits until the gateway is available, and not only rolled out."""

    async def available() -> int:
        found = await ctx.kube.get(Deployment, "gateway", namespace=ctx.namespace)
        pods = (found.status and found.status.availableReplicas) or 0
        if not pods:
            raise LookupError("the gateway has no pod that is available")
        return pods

    pods = await retry(ctx, available, attempts=10, on=LookupError)
    ctx.log.info("%d pod of the gateway is available", pods)
