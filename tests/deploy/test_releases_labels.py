"""Labels that helm takes, and where releases may be stored."""

import asyncio
import re

import pytest

from watchbill.deploy import releases
from watchbill.errors import UserError
from watchbill.kube.client import Kube

_VALID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("1.0.0", "1.0.0"),
        ("1.0.0+build.7", "1.0.0_build.7"),
        ("", "none"),
        ("null", "none"),
        ("-x-", "x"),
        ("ü", "none"),
        ("a" * 62 + "-b", "a" * 62),
    ],
)
def test_any_text_becomes_a_label(given: str, label: str) -> None:
    assert releases.label(given) == label
    assert _VALID.fullmatch(label)


def test_releases_outside_the_cluster_are_refused() -> None:
    kube = Kube.__new__(Kube)  # it is not asked
    with pytest.raises(UserError, match="HELM_DRIVER=sql") as told:
        asyncio.run(releases.releases(kube, "n", {"HELM_DRIVER": "sql"}))
    assert told.value.then == "unset HELM_DRIVER, or set it to secret or configmap"
