"""Charts of this suite rendered by the real helm, and the objects that come of it."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from dev import binaries
from tests.support.helm import ENVIRONMENT

HELM4 = "4.3.1"
HELM3 = "3.19.0"
HELMS = (HELM4, HELM3)
FIXTURES = Path(__file__).parent / "fixtures"

Object = dict[str, Any]


def template(
    version: str, chart: Path, values: Mapping[str, Any], *more: str, release: str = "acme"
) -> subprocess.CompletedProcess[str]:
    """`helm template`; values go in as a file, as a user has them."""
    command = [str(binaries.helm(version)), "template", release, str(chart), "--namespace", "club", *more]
    return subprocess.run(
        [*command, "--values", "-"],
        input=yaml.safe_dump(dict(values)),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )


def rendered(
    version: str, chart: Path, values: Mapping[str, Any], *more: str, release: str = "acme"
) -> list[Object]:
    done = template(version, chart, values, *more, release=release)
    assert done.returncode == 0, done.stderr
    return objects(done.stdout)


def objects(manifests: str) -> list[Object]:
    return [one for one in yaml.safe_load_all(manifests) if one]


def identity(one: Object) -> str:
    return f"{one['kind']}/{one['metadata']['name']}"


def identities(found: Sequence[Object]) -> list[str]:
    return [identity(one) for one in found]


def lint(version: str, chart: Path, values: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
    command = [str(binaries.helm(version)), "lint", "--strict", str(chart), "--values", "-"]
    return subprocess.run(
        command,
        input=yaml.safe_dump(dict(values)),
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
