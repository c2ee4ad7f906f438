"""Jobs around a deploy, written in Python: what a module of jobs imports."""

from watchbill.jobs.containers import container_job
from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.declare import job
from watchbill.jobs.moments import GLOBAL, Post, Pre
from watchbill.jobs.outcomes import Abort, Manual, Skip
from watchbill.jobs.retrying import retry

__all__ = [
    "GLOBAL",
    "Abort",
    "Context",
    "Manual",
    "Post",
    "Pre",
    "Skip",
    "SyncContext",
    "container_job",
    "job",
    "retry",
]
