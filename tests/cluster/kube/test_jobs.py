"""Jobs of ours on a real cluster: taken where pod security is restricted, run, followed attempt by attempt."""

import asyncio

import pytest
from lightkube.resources.batch_v1 import Job
from lightkube.types import CascadeType

from dev.cluster.client import Namespace
from dev.image.recipes import WATCHBILL
from tests.cluster.kube.conftest import Ways
from tests.kube.servers import proxying
from watchbill.kube import jobspec
from watchbill.kube.client import Kube, connect, connect_sync
from watchbill.kube.errors import KubeError
from watchbill.kube.pods import Ending, Line, follow

pytestmark = pytest.mark.cluster
on_the_control_level = pytest.mark.usefixtures("control_plane")
on_the_node = pytest.mark.usefixtures("node", "ours")

USER = 65532


def shell(
    namespace: str, script: str, *, name: str = "work", deadline: float = 300, backoff_limit: int = 0
) -> Job:
    return jobspec.build(
        (name,),
        namespace=namespace,
        image=WATCHBILL,
        image_pull_policy="Never",
        command=["sh", "-c", script],
        env={"PASSWORD": jobspec.SecretKey("given", "password", optional=True)},
        deadline=deadline,
        backoff_limit=backoff_limit,
        run_as_user=USER,
        grace=1,
    )


def restrict(namespace: Namespace) -> None:
    enforced = [f"pod-security.kubernetes.io/{mode}=restricted" for mode in ("enforce", "warn", "audit")]
    namespace.kubectl("label", "namespace", namespace.name, *enforced)


def run(ways: Ways, namespace: Namespace, job: Job) -> tuple[Ending, list[Line]]:
    """Started and followed to its end."""
    lines: list[Line] = []

    async def work() -> Ending:
        async with connect(ways.administrator(namespace.name)) as kube, asyncio.timeout(330):
            await kube.create(job)
            assert job.metadata is not None
            return await follow(kube, namespace.name, job.metadata.name or "", lines.append)

    return asyncio.run(work()), lines


@on_the_control_level
@pytest.mark.parametrize(
    ("fate", "succeeded", "reason"),
    [("succeed", True, "CompletionsReached"), ("fail", False, "BackoffLimitExceeded")],
)
def test_it_is_taken_and_runs_under_restricted_pod_security(
    fate: str, succeeded: bool, reason: str, ways: Ways, namespace: Namespace
) -> None:
    restrict(namespace)
    annotations = {"watchbill.dev/fate": fate}
    name = ("component-with-a-very-long-name-indeed", "and_a_job_with_another_one", "that is cut")
    job = jobspec.build(name, namespace=namespace.name, image="x", annotations=annotations, deadline=60)
    ending, _ = run(ways, namespace, job)
    assert (ending.succeeded, ending.is_deleted, ending.reason) == (succeeded, False, reason)
    assert len(ending.attempts) == 1


@on_the_control_level
def test_it_has_an_end_in_any_case(ways: Ways, namespace: Namespace) -> None:
    annotations = {"watchbill.dev/fate": "hang"}
    job = jobspec.build(
        ("hangs",), namespace=namespace.name, image="x", annotations=annotations, deadline=2, grace=1
    )
    ending, _ = run(ways, namespace, job)
    assert (ending.succeeded, ending.reason) == (False, "DeadlineExceeded")


@on_the_control_level
def test_one_that_is_deleted_meanwhile(ways: Ways, namespace: Namespace) -> None:
    annotations = {"watchbill.dev/fate": "hang"}
    job = jobspec.build(
        ("hangs",), namespace=namespace.name, image="x", annotations=annotations, deadline=600, grace=1
    )

    async def delete(kube: Kube) -> None:
        await asyncio.sleep(1)
        await kube.delete(Job, "hangs", cascade=CascadeType.FOREGROUND)

    async def work() -> Ending:
        async with connect(ways.administrator(namespace.name)) as kube, asyncio.timeout(60):
            await kube.create(job)
            deleting = asyncio.create_task(delete(kube))
            ending = await follow(kube, namespace.name, "hangs", lambda _: None)
            await deleting
            return ending

    ending = asyncio.run(work())
    assert (ending.succeeded, ending.is_deleted) == (False, True)


@on_the_control_level
def test_one_that_was_never_there(ways: Ways, namespace: Namespace) -> None:
    async def work() -> Ending:
        async with connect(ways.administrator(namespace.name)) as kube:
            return await follow(kube, namespace.name, "nowhere", lambda _: None)

    assert asyncio.run(work()).is_deleted


@on_the_node
def test_its_log_and_its_last_words(ways: Ways, namespace: Namespace) -> None:
    restrict(namespace)
    namespace.kubectl("create", "secret", "generic", "given", "--from-literal=password=from-the-secret")
    script = (
        'id -u; echo "has ${#PASSWORD} letters"; for n in 1 2 3; do echo "line $n"; sleep 0.3; done; '
        "echo 'skip: nothing to do' > /dev/termination-log"
    )
    ending, lines = run(ways, namespace, shell(namespace.name, script))
    assert ending.succeeded
    assert [line.text for line in lines if line.container] == [
        str(USER),
        "has 15 letters",
        "line 1",
        "line 2",
        "line 3",
    ]
    assert ending.last is not None
    assert (ending.last.exit_code, ending.last.message.strip()) == (0, "skip: nothing to do")


@on_the_node
def test_each_attempt_is_heard(ways: Ways, namespace: Namespace) -> None:
    job = shell(namespace.name, 'echo "I am $HOSTNAME"; echo oh no; exit 7', backoff_limit=1)
    ending, lines = run(ways, namespace, job)
    assert (ending.succeeded, ending.reason) == (False, "BackoffLimitExceeded")
    assert [attempt.exit_code for attempt in ending.attempts] == [7, 7]
    assert all("oh no" in attempt.message for attempt in ending.attempts), (
        "the end of the log is its last word"
    )
    told = [(line.attempt, line.text) for line in lines if line.container]
    pods = [attempt.pod for attempt in ending.attempts]
    assert told == [
        (1, f"I am {pods[0]}"),
        (1, "oh no"),
        (2, f"I am {pods[1]}"),
        (2, "oh no"),
    ]


COUNT = "exec python3 -c 'for n in range(1, 5001): print(n)'"


@on_the_node
def test_a_long_log_comes_whole(ways: Ways, namespace: Namespace) -> None:
    ending, lines = run(ways, namespace, shell(namespace.name, COUNT))
    assert ending.succeeded
    assert [line.text for line in lines if line.container] == [str(number) for number in range(1, 5001)]


@on_the_node
def test_a_connection_that_breaks_costs_no_line_and_repeats_none(ways: Ways, namespace: Namespace) -> None:
    script = "exec python3 -u -c 'import time\nfor n in range(60): print(n); time.sleep(0.1)'"
    lines: list[Line] = []

    async def work() -> Ending:
        found = ways.reach(ways.admin, {"proxy-url": proxy.url}, namespace=namespace.name)
        async with connect(found) as kube, asyncio.timeout(330):
            await kube.create(shell(namespace.name, script))

            def tell(line: Line) -> None:
                lines.append(line)
                if line.text in ("10", "25", "26"):
                    proxy.cut()

            return await follow(kube, namespace.name, "work", tell)

    with proxying() as proxy:
        ending = asyncio.run(work())
    assert ending.succeeded
    assert [line.text for line in lines if line.container] == [str(number) for number in range(60)]
    assert len(proxy.asked) > 4, "it was not cut"


@on_the_node
def test_commands_in_pods(ways: Ways, namespace: Namespace) -> None:
    """Through web sockets, with our credentials."""
    namespace.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "idle"},
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "containers": [
                    {
                        "name": "idle",
                        "image": WATCHBILL,
                        "imagePullPolicy": "Never",
                        "command": ["sh", "-c", "sleep 300"],
                    }
                ],
            },
        }
    )
    namespace.kubectl("wait", "--for=condition=Ready", "pod/idle", "--timeout=60s")
    command = ["sh", "-c", "echo out; echo err >&2; exit 3"]

    async def work() -> None:
        async with connect(ways.administrator(namespace.name)) as kube, asyncio.timeout(60):
            done = await kube.exec("idle", command=command, stdout=True, stderr=True)
            assert (done.stdout, done.stderr, done.exit_code) == ("out\n", "err\n", 3)
            with pytest.raises(KubeError, match="exit code 3"):
                await kube.exec("idle", command=command, stdout=True, raise_on_error=True)
            with pytest.raises(KubeError, match="not found") as caught:
                await kube.exec("nobody", command=command, stdout=True)
            assert caught.value.is_missing

    asyncio.run(work())
    with connect_sync(ways.administrator(namespace.name)) as kube:
        done = kube.exec("idle", command=command, stdout=True)
        assert (done.stdout, done.exit_code) == ("out\n", 3)
        with pytest.raises(KubeError, match="not found"):
            kube.exec("nobody", command=command, stdout=True)


@on_the_node
def test_why_it_does_not_start_is_told(ways: Ways, namespace: Namespace) -> None:
    job = shell(namespace.name, "true", deadline=8)
    assert job.spec is not None
    assert job.spec.template.spec is not None
    job.spec.template.spec.containers[0].image = "localhost/no-such-image:1"
    ending, lines = run(ways, namespace, job)
    assert (ending.succeeded, ending.reason) == (False, "DeadlineExceeded")
    assert any("ErrImageNeverPull" in line.text for line in lines)


IN_CLUSTER = """
import asyncio
from lightkube.resources.authentication_v1 import SelfSubjectReview
from watchbill.kube import access
from watchbill.kube.client import connect

async def main():
    found = access.find()
    async with connect(found) as kube:
        review = await kube.create(SelfSubjectReview())
    print(found.in_cluster, found.namespace, review.status.userInfo.username)

asyncio.run(main())
"""


@on_the_node
def test_from_inside_a_pod(ways: Ways, namespace: Namespace, account: str) -> None:
    job = jobspec.build(
        ("inside",),
        namespace=namespace.name,
        image=WATCHBILL,
        image_pull_policy="Never",
        command=["python3", "-c", IN_CLUSTER],
        service_account=account,
        deadline=300,  # to import all of it for the first time takes a busy machine long
        run_as_user=USER,
    )
    ending, lines = run(ways, namespace, job)
    assert ending.succeeded, lines
    who = f"system:serviceaccount:{namespace.name}:{account}"
    assert [line.text for line in lines if line.container] == [f"True {namespace.name} {who}"]
