"""What the API server serves."""

import pytest

from watchbill.lifecycle.kube import catalog


def test_built_in_kinds_are_found_with_their_plural_and_scope() -> None:
    job = catalog.find("batch/v1", "Job")
    assert job is not None
    assert (job.group, job.version, job.resource, job.namespaced) == ("batch", "v1", "jobs", True)
    role = catalog.find("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert role is not None
    assert not role.namespaced
    assert catalog.find("v1", "Endpoints") is not None


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("autoscaling/v1", "HorizontalPodAutoscaler"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ],
)
def test_what_other_servers_inside_the_api_server_serve_counts_too(api_version: str, kind: str) -> None:
    assert catalog.find(api_version, kind) is not None


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("policy/v1beta1", "PodDisruptionBudget"),
        ("batch/v1beta1", "CronJob"),
        ("extensions/v1beta1", "Deployment"),
        ("policy/v1beta1", "PodSecurityPolicy"),
    ],
)
def test_removed_kinds_are_not_served_though_their_group_is_built_in(api_version: str, kind: str) -> None:
    assert catalog.find(api_version, kind) is None
    assert catalog.is_builtin_group(api_version.partition("/")[0])


def test_groups_of_custom_resources_are_not_built_in() -> None:
    assert not catalog.is_builtin_group("monitoring.coreos.com")
    assert not catalog.is_builtin_group("gateway.networking.k8s.io")
