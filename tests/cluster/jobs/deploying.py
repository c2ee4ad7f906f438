"""Who runs a container job, as a deploy does: looked at, cancelled and killed from outside."""

import asyncio
import subprocess
import sys
import threading
from typing import Any

from dev.cluster.client import Namespace, eventually
from dev.image.recipes import WATCHBILL
from tests.jobs.playing import Played
from watchbill.jobs import Pre, container_job
from watchbill.jobs.context import Bill, Context
from watchbill.jobs.declare import Collector, Job, collecting
from watchbill.jobs.events import Ended, Event, Logged
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.runner import run
from watchbill.kube import access, client


def shell(script: str, *, name: str = "migrate", image: str = WATCHBILL, **options: Any) -> Job:
    collector = Collector()
    token = collecting.set(collector)
    try:
        container_job(
            "logging", Pre, name=name, image=image, command=["sh", "-c", script], until="9.0.0", **options
        )
    finally:
        collecting.reset(token)
    assert collector.mistakes == []
    return collector.jobs[0]


class Deploy:
    """In a thread of this process."""

    def __init__(self, kubeconfig: str, namespace: str, job: Job, *, grace: float = 30, **facts: Any) -> None:
        self._reached = access.find(kubeconfig=kubeconfig, namespace=namespace)
        self._namespace = namespace
        self._job = job
        self._grace = grace
        self._facts = {"component": "logging", "target": "2.5.0", "bill": Bill("shop", "2.5.0"), **facts}
        self.events: list[Event] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, daemon=True)
        self._task: asyncio.Task[Outcome] | None = None
        self._thread.start()

    def _main(self) -> None:
        dry_run = bool(self._facts.get("dry_run"))
        context = Context(
            connect=lambda: client.connect(self._reached, dry_run=dry_run),
            namespace=self._namespace,
            **self._facts,
        )
        self._task = self._loop.create_task(
            run(self._job, context, grace=self._grace, tell=self.events.append)
        )
        self._loop.run_until_complete(asyncio.wait([self._task]))
        self._loop.close()

    @property
    def said(self) -> list[str]:
        return [event.text for event in list(self.events) if isinstance(event, Logged)]

    def wait_for(self, text: str, seconds: float = 60) -> None:
        assert eventually(lambda: any(text in line for line in self.said), seconds), self.said

    def cancel(self) -> None:
        assert self._task is not None
        self._loop.call_soon_threadsafe(self._task.cancel)

    def end(self, seconds: float = 90) -> Played:
        self._thread.join(seconds)
        ended = [event.outcome for event in self.events if isinstance(event, Ended)]
        assert ended, f"it has not ended: {self.events}"
        return Played(ended[0], self.events)


def deploy(namespace: Namespace, job: Job, **facts: Any) -> Deploy:
    return Deploy(str(namespace.cluster.kubeconfig), namespace.name, job, **facts)


def kill_a_deploy(namespace: Namespace, script: str, *, when_it_says: str, image: str = WATCHBILL) -> None:
    """One in a process of its own, with SIGKILL."""
    command = [
        sys.executable,
        "-m",
        __name__,
        str(namespace.cluster.kubeconfig),
        namespace.name,
        script,
        image,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if when_it_says in line:
                break
        else:
            raise AssertionError(f"it ended without that: {said}")
        process.kill()


def main() -> None:
    kubeconfig, namespace, script, image = sys.argv[1:]
    running = Deploy(kubeconfig, namespace, shell(script, image=image))
    told = 0
    while True:
        threading.Event().wait(0.1)
        for line in running.said[told:]:
            print(line, flush=True)
            told += 1


if __name__ == "__main__":
    main()
