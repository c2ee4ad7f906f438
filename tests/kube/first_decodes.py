"""Decodes kinds for the first time in many threads at once; run by test_threads.py, since without a remedy it is killed.

Each round is a process in which nothing was decoded yet: a fork of this one, which only imports.
"""

import json
import os
import sys
import threading
import traceback
from typing import Any

from lightkube.core import decoders
from lightkube.resources.apps_v1 import DaemonSet, Deployment, StatefulSet
from lightkube.resources.batch_v1 import CronJob, Job
from lightkube.resources.core_v1 import Pod, Secret, Service

from watchbill.kube import client  # noqa: F401  (every client comes from there)

THREADS = 16
KINDS = (Deployment, StatefulSet, DaemonSet, Job, CronJob, Pod, Service, Secret)
POD = {
    "metadata": {"name": "one"},
    "spec": {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}]},
}
WORKLOAD = {"metadata": {"name": "one"}, "spec": {"selector": {}, "serviceName": "one", "template": POD}}
CRON = {
    "metadata": {"name": "one"},
    "spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": POD}}},
}
OBJECTS: dict[Any, Any] = {
    Pod: POD,
    CronJob: CRON,
    Service: {"metadata": {"name": "one"}},
    Secret: {"metadata": {"name": "one"}},
}


def main(rounds: int) -> None:
    for number in range(rounds):
        child = os.fork()
        if not child:
            os._exit(_round())
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"round {number}: {_told(status)}")


def _round() -> int:
    sys.setswitchinterval(1e-6)
    failed: list[str] = []
    together = threading.Barrier(THREADS)

    def decode(first: int) -> None:
        try:
            together.wait()
            # Half of the threads begin with the same kind, the others with one of their own.
            start = first % len(KINDS) if first % 2 else 0
            for kind in (*KINDS[start:], *KINDS[:start]):
                _decode(kind)
        except Exception:  # noqa: BLE001  (the process that waits reports it)
            failed.append(traceback.format_exc())

    threads = [threading.Thread(target=decode, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stderr.write("".join(failed[:1]))
    return 1 if failed else 0


def _decode(kind: Any) -> None:
    """In each way that lightkube has: as an object, as a list, as what a watch tells, and from a dict."""
    plain = OBJECTS.get(kind, WORKLOAD)
    text = json.dumps(plain).encode()
    event = decoders.decode_watch_event(b'{"type": "ADDED", "object": ' + text + b"}")
    found = [
        decoders.decode_object(text, kind),
        *decoders.decode_list(b'{"items": [' + text + b"]}", kind)[2],
        decoders.decode_object(event.object, kind),
        kind.from_dict(plain),
    ]
    assert [one.metadata.name for one in found] == ["one"] * 4
    assert decoders.decode_status(b'{"code": 404}').code == 404


def _told(status: int) -> str:
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {status >> 8}"


if __name__ == "__main__":
    main(int(sys.argv[1]))
