"""`--prune` by an allow-list of kinds (pkg/util/prune). ApplySets, which need an environment variable, are not modelled."""

from collections.abc import Iterator, Set

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kube.apply import LAST_APPLIED
from watchbill.lifecycle.kubectl.selector import Selector, fits
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.world import Manifest

NAMESPACED = (
    ("", "ConfigMap"),
    ("", "Endpoints"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "ReplicationController"),
    ("", "Secret"),
    ("", "Service"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("networking.k8s.io", "Ingress"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
)
CLUSTER_WIDE = (("", "Namespace"), ("", "PersistentVolume"))


def prune(client: Client, applied: Set[Key], namespace: str, selector: Selector) -> None:
    """What an apply wrote once, and this one did not, goes; whoever applied it."""
    for key in _candidates(client, namespace):
        live = client.get(key)
        if live is None or key in applied or LAST_APPLIED not in live.body.annotations:
            continue
        if fits(selector, live.body.labels):
            client.delete(Manifest(key, live.body), why="--prune")


def _candidates(client: Client, namespace: str) -> Iterator[Key]:
    for kinds, place in ((NAMESPACED, namespace), (CLUSTER_WIDE, "")):
        for kind in kinds:
            yield from sorted(
                key for key in client.world.objects if key[:2] == kind and key.namespace == place
            )
