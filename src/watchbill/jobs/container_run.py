"""A container job at work: its Kubernetes Job made or found again, followed to its end, removed if it must stop."""

from watchbill.jobs.context import Context
from watchbill.jobs.declare import Job


async def run_container(ctx: Context, job: Job) -> None:
    raise NotImplementedError
