"""Names of Jobs and what every Job of ours has; that a real API server takes them is tests/cluster/kube."""

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchbill.kube import jobspec

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


@given(st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_name_is_a_dns_label(parts: list[str]) -> None:
    name = jobspec.name(*parts)
    assert LABEL.fullmatch(name)
    assert len(name) <= 63


@given(
    st.lists(
        st.sampled_from(["a", "A", "a-b", "b", "x" * 70, "x" * 70 + "y", "a.b", "ä"]), min_size=1, max_size=3
    )
)
def test_a_name_is_always_the_same_and_keeps_what_it_can(parts: list[str]) -> None:
    assert jobspec.name(*parts) == jobspec.name(*parts)
    plain = "-".join(parts)
    if LABEL.fullmatch(plain) and len(plain) <= 63 and plain.count("-") == len(parts) - 1:
        assert jobspec.name(*parts) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("logging", "x" * 60), ("logging", "x" * 61)),
        (("logging", "Grow"), ("logging", "grow")),
        (("logging", "grow_volume"), ("logging", "grow-volume")),
        (("ä",), ("ö",)),
        (("a", "b-c"), ("a-b", "c")),
        (("a", ""), ("", "a")),
    ],
)
def test_different_parts_have_different_names(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert jobspec.name(*one) != jobspec.name(*other)


def built() -> dict[str, object]:
    job = jobspec.build(
        ("logging", "grow"),
        namespace="logs",
        image="example/tool:1",
        command=["tool"],
        args=["--now"],
        env={"PLAIN": "x", "PASSWORD": jobspec.SecretKey("db", "password")},
        env_from_secrets=["keys"],
        env_from_config_maps=["settings"],
        labels={"team": "a"},
        annotations={"why": "b"},
        deadline=90.5,
        resources={"requests": {"cpu": "100m"}, "limits": {"memory": "64Mi"}},
    )
    found: dict[str, object] = json.loads(msgspec.json.encode(job))
    return found


def test_all_of_it() -> None:
    assert built() == {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "logging-grow",
            "namespace": "logs",
            "labels": {"app.kubernetes.io/managed-by": "watchbill", "team": "a"},
            "annotations": {"why": "b"},
        },
        "spec": {
            "activeDeadlineSeconds": 91,
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 86400,
            "podReplacementPolicy": "Failed",
            "template": {
                "metadata": {
                    "labels": {"app.kubernetes.io/managed-by": "watchbill", "team": "a"},
                    "annotations": {"why": "b"},
                },
                "spec": {
                    "restartPolicy": "Never",
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "terminationGracePeriodSeconds": 30,
                    "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                    "containers": [
                        {
                            "name": "job",
                            "image": "example/tool:1",
                            "command": ["tool"],
                            "args": ["--now"],
                            "env": [
                                {"name": "PLAIN", "value": "x"},
                                {
                                    "name": "PASSWORD",
                                    "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}},
                                },
                            ],
                            "envFrom": [
                                {"configMapRef": {"name": "settings"}},
                                {"secretRef": {"name": "keys"}},
                            ],
                            "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "64Mi"}},
                            "securityContext": {
                                "allowPrivilegeEscalation": False,
                                "privileged": False,
                                "capabilities": {"drop": ["ALL"]},
                            },
                            "terminationMessagePolicy": "FallbackToLogsOnError",
                        }
                    ],
                },
            },
        },
    }
