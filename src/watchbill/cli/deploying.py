"""A deploy as a person runs it: bills are read, refusals said, events shown, signals heard, and the end is told."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

import click
from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.checking.inputs.workspace import Workspace
from watchbill.cli import deploy_text
from watchbill.cli.connecting import reached
from watchbill.cli.deploy_lines import JsonLines, Lines, read_or_not
from watchbill.cli.deploy_plan import Plan
from watchbill.cli.session import Session
from watchbill.deploy import crds_found, reading, record, rendering, siblings
from watchbill.deploy.bill import Bill
from watchbill.deploy.cancelling import cancelling_signals
from watchbill.deploy.crds import Definitions
from watchbill.deploy.diffing import Diff, diff
from watchbill.deploy.events import WORKING, Event, event
from watchbill.deploy.fetched import with_local_charts
from watchbill.deploy.outlook import Outlook, Selection
from watchbill.deploy.prediction import Prediction, context_of, predict, rule_id
from watchbill.deploy.run import Asked, Deploy
from watchbill.deploy.way import through
from watchbill.errors import UserError
from watchbill.helm import variables
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Target
from watchbill.jobs import output
from watchbill.jobs.lint import outdated
from watchbill.jobs.load import load
from watchbill.jobs.plain import lines_of
from watchbill.kube import snapshot
from watchbill.kube.access import Access
from watchbill.kube.client import Kube, connect

FAILED = 1
PATIENCE = 30.0  # seconds that an API server may be away: it is restarted, and comes back
INTERRUPTED = 130


class Display(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def tell(self, event: Event) -> None: ...

    def say(self, text: str) -> None: ...


class Deploying:
    """`run` gives the exit code."""

    def __init__(self, session: Session, engine: Engine, options: dict[str, Any], access: Access) -> None:
        self._session = session
        self._engine = engine
        self._options = options
        self._access = access
        self._deploy: Deploy | None = None
        self._shown: Display | None = None
        self._interrupted = False
        self._server = ""  # its version
        self._planned = ""  # the version that an earlier step of the plan leads to

    async def run(self) -> int:
        variables.refuse_others(os.environ, self._access.context)
        with self._signals(), Workspace() as workspace:
            # Whatever the current context becomes while we work: helm stays where we have looked.
            kubeconfig = os.path.join(workspace.folder(), "kubeconfig")
            target = Target(kubeconfig, snapshot.write(self._access, kubeconfig), is_ours=True)
            helm = Helm.find(self._options["helm_path"], target)
            async with (
                connect(self._access, dry_run=self._options["dry_run"], patience=PATIENCE) as kube,
                helm,
            ):
                await helm.version()
                self._server = await reached(kube)
                bills = await self._bills(kube)
                # All of them now: jobs of the first version may change the environment of this process.
                local = [
                    await asyncio.to_thread(with_local_charts, bill, helm.binary, workspace) for bill in bills
                ]
                deploys = [self._prepare(bill, kube, helm) for bill in local]
                if not self._options["plan"]:
                    for later in deploys[1:]:
                        await self._refuse_early(later)
                for deploy in deploys:
                    code = await self._one(deploy, kube, helm)
                    if code:
                        return code
        return 0

    def _prepare(self, bill: Bill, kube: Kube, helm: Helm) -> Deploy:
        registry = load(bill.jobs, bill.folder, bill.names)
        known = siblings.beside(self._engine, bill)
        return Deploy(bill, registry, self._asked(), access=self._access, kube=kube, helm=helm, known=known)

    async def _refuse_early(self, deploy: Deploy) -> None:
        """Raise what will keep a later step of --through from beginning, whatever the steps before it do."""
        found = deploy.lasting_refusals(await deploy.look())
        unrenderable = _unrenderable(self._engine, deploy.bill, deploy.selection, self._server)
        for refusal in (*found, *([unrenderable] if unrenderable else [])):
            raise refusal

    async def _bills(self, kube: Kube) -> list[Bill]:
        """One, or those that lead to it one after the other."""
        file, folder = self._options["file"], self._options["through"]
        wanted = self._read(file) if file else None
        if not folder:
            assert wanted is not None
            return [wanted]
        known = siblings.in_folder(self._engine, folder, wanted.product if wanted else "")
        newest = self._read(known[-1].file)
        installed = await record.load(kube, newest.default_namespace, newest.product)
        target = wanted.version if wanted else None
        steps = through(known, installed.installed, target, under_way=installed.target)
        return [self._read(step.file) for step in steps]

    def _read(self, file: str) -> Bill:
        bill = reading.read(self._engine, file, self._options["profile"], self._options["environment"])
        reading.require_environment(bill, self._access.context)
        return bill

    async def _one(self, deploy: Deploy, kube: Kube, helm: Helm) -> int:
        bill = deploy.bill
        helm.grace = bill.grace
        outlook = await deploy.look()
        refusals: list[UserError] = []
        if self._options["plan"]:
            if self._planned:
                at_that_time = replace(outlook.record, installed=self._planned, target="", done=())
                outlook = replace(outlook, record=at_that_time)
            refusals = await deploy.foreseen(outlook)
        else:
            outlook = await deploy.refuse(outlook, lambda text: click.echo(text, err=True))
        charts = {one.name: one.chart for one in deploy.selection.everything}
        definitions = crds_found.collect(self._engine, bill, charts, self._server)
        prediction = await predict(
            self._engine,
            kube,
            deploy.selection.everything,
            outlook.releases,
            await helm.version(),
            kube_version=self._server,
            accept=self._options["accept"],
        )
        unrenderable = rendering.refuse(prediction.unrenderable, bill.file)
        if self._options["plan"]:
            refusals += [unrenderable] if unrenderable else []
            diffs = await self._diffs(deploy, outlook, prediction) if self._options["diff"] else {}
            plan = Plan(
                bill,
                deploy.registry,
                deploy.selection,
                definitions,
                workers=self._options["workers"] or bill.workers,
                outlook=outlook,
                prediction=prediction,
                diffs=diffs,
            )
            self._show(plan, deploy, outlook, refusals)
            return FAILED if refusals or prediction.errors else 0
        if unrenderable:
            raise unrenderable
        if prediction.errors:
            self._session.complain("\n".join(deploy_text.stopped(prediction)))
            return FAILED
        return await self._begun(deploy, outlook, definitions)

    async def _begun(self, deploy: Deploy, outlook: Outlook, definitions: Definitions) -> int:
        bill, hop = deploy.bill, deploy.hop(outlook.record)
        dry_run = self._options["dry_run"]
        with output.capturing(self._heard):
            with self._display() as display:
                self._shown = display
                display.say(deploy_text.heading(bill, hop, "" if dry_run else deploy.operation))
                for warning in deploy_text.warnings(bill, hop, outlook):
                    display.say(f"{click.style('warning:', fg='yellow')} {warning}")
                self._deploy = deploy
                result = await deploy.run(outlook, definitions, display.tell, display.say)
                self._deploy = None
            for line in deploy_text.closing(bill, hop, result, dry_run=dry_run):
                display.say(line)
        if self._interrupted:
            return INTERRUPTED
        return 0 if result.is_good else FAILED

    def _heard(self, line: str) -> None:
        """Show a line that a program of one of several running jobs printed."""
        if self._shown is not None:
            self._shown.tell(event(WORKING, text=" ".join(lines_of(line))))

    async def _diffs(self, deploy: Deploy, outlook: Outlook, prediction: Prediction) -> dict[str, Diff]:
        """Compare what is installed with what helm will render, by component."""

        def compare() -> dict[str, Diff]:
            return {
                one.name: diff(
                    self._engine,
                    one.chart,
                    context_of(one, self._server, outlook.revisions.get(one.name, 0)),
                    prediction.installed.get(one.name, ""),
                )
                for one in deploy.selection.everything
            }

        return await asyncio.to_thread(compare)

    def _show(self, plan: Plan, deploy: Deploy, outlook: Outlook, refusals: list[UserError]) -> None:
        bill, hop = deploy.bill, None if refusals else deploy.hop(outlook.record)
        self._session.say(deploy_text.planned(bill, hop))
        for warning in deploy_text.warnings(bill, hop, outlook) if hop else ():
            self._session.say(f"{click.style('warning:', fg='yellow')} {warning}")
        for line in plan.lines(refusals):
            self._session.say(line)
        self._planned = str(bill.version)

    def _asked(self) -> Asked:
        options = self._options
        return Asked(
            only=options["only"],
            back=options["back"],
            abandon=options["abandon"],
            fail_fast=options["fail_fast"],
            workers=options["workers"],
            timeout=options["timeout"],
            heal_by_uninstall=options["heal"] == "uninstall",
            rerun=options["rerun"],
            taken_as_done=options["taken_as_done"],
            dry_run=options["dry_run"],
        )

    def _display(self) -> Display:
        if self._options["events"]:
            return JsonLines(self._session, verbose=self._options["verbose"])
        if sys.stdout.isatty():
            from watchbill.cli.deploy_live import Live

            return Live(no_color=self._session.no_color)
        return Lines(read_or_not(self._session.say), verbose=self._options["verbose"])

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop, main = asyncio.get_running_loop(), asyncio.current_task()
        assert main

        def heard(number: signal.Signals) -> None:
            deploy = self._deploy
            if deploy is None:  # nothing was begun
                raise KeyboardInterrupt
            if deploy.cancellation.reason:
                deploy.cancellation.force()
            else:
                self._interrupted = number is signal.SIGINT
                who = "Ctrl-C" if number is signal.SIGINT else number.name
                deploy.cancellation.cancel(f"cancelled by {who}")
                self._session.mention(f"{who}: cancels what runs; a second one quits by force")

        numbers = cancelling_signals()
        for number in numbers:
            loop.add_signal_handler(number, heard, number)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


def check_arguments(engine: Engine, options: dict[str, Any]) -> None:
    """Raise the mistakes of the command line and of the bill that show without a cluster."""
    for rule in options["accept"]:
        rule_id(rule)
    bill = reading.read(engine, options["file"], options["profile"]) if options["file"] else None
    if options["through"]:
        siblings.in_folder(engine, options["through"], bill.product if bill else "")
    named = (*options["rerun"], *options["taken_as_done"])
    if bill is not None and (named or options["only"]):
        registry = load(bill.jobs, bill.folder, bill.names)
        Selection.of(bill, registry, options["only"])
        for name in named:
            registry.named(name)


def plan_offline(session: Session, engine: Engine, options: dict[str, Any]) -> int:
    """The order alone: from the bill and its modules. Gives the exit code."""
    bill = reading.read(engine, options["file"], options["profile"], options["environment"])
    registry = load(bill.jobs, bill.folder, bill.names)
    selection = Selection.of(bill, registry, options["only"])
    charts = {one.name: one.chart for one in selection.everything if one.is_local}
    definitions = crds_found.collect(engine, bill, charts)
    plan = Plan(bill, registry, selection, definitions, workers=options["workers"] or bill.workers)
    session.say(deploy_text.planned(bill, None))
    seen = (outdated(registry, bill.version), _unrenderable(engine, bill, selection))
    refusals = [one for one in seen if one is not None]
    for line in plan.lines(refusals):
        session.say(line)
    return FAILED if refusals else 0


def _unrenderable(
    engine: Engine, bill: Bill, selection: Selection, kube_version: str = ""
) -> UserError | None:
    """Return one error for all charts on this disk that helm cannot render."""
    found = {
        one.name: rendering.find_unrenderable(engine, one.chart, context_of(one, kube_version))
        for one in selection.everything
        if one.is_local
    }
    return rendering.refuse({name: error for name, error in found.items() if error is not None}, bill.file)
