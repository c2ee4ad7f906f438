"""Rights in the words of those who write jobs."""

import pytest

from watchbill.errors import UserError
from watchbill.kube.rights import Right, parse

READ = {
    "patch persistentvolumeclaims": Right(verb="patch", resource="persistentvolumeclaims"),
    "get apps/statefulsets": Right(verb="get", group="apps", resource="statefulsets"),
    "get statefulsets": Right(verb="get", group="apps", resource="statefulsets"),
    "get statefulsets.apps": Right(verb="get", group="apps", resource="statefulsets"),
    "create pods/exec": Right(verb="create", resource="pods", subresource="exec"),
    "update apps/deployments/scale": Right(
        verb="update", group="apps", resource="deployments", subresource="scale"
    ),
    "update deployments/scale": Right(
        verb="update", group="apps", resource="deployments", subresource="scale"
    ),
    "patch gateways.networking.istio.io": Right(
        verb="patch", group="networking.istio.io", resource="gateways"
    ),
    "patch networking.istio.io/gateways": Right(
        verb="patch", group="networking.istio.io", resource="gateways"
    ),
    "patch gateways.networking.istio.io/status": Right(
        verb="patch", group="networking.istio.io", resource="gateways", subresource="status"
    ),
    "get secrets my-secret": Right(verb="get", resource="secrets", name="my-secret"),
    "get secrets in kube-system": Right(verb="get", resource="secrets", namespace="kube-system"),
    "get secrets one in kube-system": Right(
        verb="get", resource="secrets", name="one", namespace="kube-system"
    ),
    "list pods cluster-wide": Right(verb="list", resource="pods", namespace=None),
    "delete nodes": Right(verb="delete", resource="nodes", namespace=None),
    "delete nodes cluster-wide": Right(verb="delete", resource="nodes", namespace=None),
    "get networking.k8s.io/ingresses": Right(verb="get", group="networking.k8s.io", resource="ingresses"),
    "create certificates.cert-manager.io in web": Right(
        verb="create", group="cert-manager.io", resource="certificates", namespace="web"
    ),
    "  patch   pods  ": Right(verb="patch", resource="pods"),
    "get batch/futurethings": Right(verb="get", group="batch", resource="futurethings"),
    "* *": Right(verb="*", resource="*"),
}


@pytest.mark.parametrize("text", READ)
def test_read(text: str) -> None:
    assert parse(text) == READ[text]


@pytest.mark.parametrize("text", READ)
def test_written_and_read_again(text: str) -> None:
    assert parse(str(READ[text])) == READ[text]


REFUSED = {
    "": "VERB RESOURCE",
    "patch": "VERB RESOURCE",
    "patch pods a b": "VERB RESOURCE",
    "path pods": "did you mean 'patch'",
    "patch persistentvolumeclaim": "did you mean 'persistentvolumeclaims'",
    "patch PersistentVolumeClaims": "did you mean 'persistentvolumeclaims'",
    "patch gateways": "written with their group",
    "get apps/statefulset": "did you mean 'statefulsets'",
    "get apps/jobs": "group 'batch'",
    "get batch/deployments": "group 'apps'",
    "get pods/": "not a resource",
    "get a/b/c/d": "not a resource",
    "delete nodes in default": "belong to no namespace",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(UserError, match=REFUSED[text]) as caught:
        parse(text)
    assert repr(text) in caught.value.what
