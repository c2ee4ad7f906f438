"""One job run alone, told as a deploy tells it."""

import asyncio
import signal
from typing import Any

from watchbill.cli.connecting import reached
from watchbill.cli.deploy_lines import Lines, read_or_not, styled
from watchbill.cli.deploying import FAILED, INTERRUPTED
from watchbill.cli.session import Session
from watchbill.deploy.bill import Bill
from watchbill.deploy.cancelling import cancelling_signals
from watchbill.deploy.run import Asked, Deploy
from watchbill.helm.driver import Helm
from watchbill.jobs import output
from watchbill.jobs.declare import Job
from watchbill.jobs.registry import Registry
from watchbill.kube.access import Access
from watchbill.kube.client import connect


async def run_alone(session: Session, bill: Bill, job: Job, access: Access, options: dict[str, Any]) -> int:
    helm = Helm("helm")  # never run: no chart is deployed
    asked = Asked(rerun=(job.identity,) if options["rerun"] else (), dry_run=options["dry_run"])
    lines = Lines(read_or_not(session.say))
    async with connect(access, dry_run=asked.dry_run) as kube, helm:
        await reached(kube)
        deploy = Deploy(bill, Registry([job]), asked, access=access, kube=kube, helm=helm)
        signals = _cancelled_by_signals(deploy)
        with output.capturing(lines.say):
            outcome = await deploy.run_alone(job, lines.tell, lines.say)
    session.say(f"{job.identity}: {styled(outcome.status)}{f': {outcome.reason}' if outcome.reason else ''}")
    for line in outcome.guide.splitlines():
        session.say(f"  {line}")
    return INTERRUPTED if signal.SIGINT in signals else 0 if outcome.is_good else FAILED


def _cancelled_by_signals(deploy: Deploy) -> list[signal.Signals]:
    """Those that came. A second one ends it at once."""
    came: list[signal.Signals] = []

    def heard(number: signal.Signals) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        deploy.cancellation.cancel(f"cancelled by {number.name}")

    for number in cancelling_signals():
        asyncio.get_running_loop().add_signal_handler(number, heard, number)
    return came
