"""Which helm is run, and what is said where there is none, or one that cannot do it."""

import asyncio
import re
from pathlib import Path

import pytest

from dev import binaries
from watchbill.errors import UserError
from watchbill.helm.driver import Helm


def program(folder: Path, prints: str, name: str = "helm") -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\nprintf '%s\\n' '{prints}'\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("wanted", binaries.HELMS)
def test_every_helm_tells_its_version(wanted: str) -> None:
    async def ask() -> str:
        async with Helm.find(str(binaries.helm(wanted))) as helm:
            return str(await helm.version())

    assert asyncio.run(ask()) == wanted


def test_the_named_one_wins_then_the_environment_then_the_path(tmp_path: Path) -> None:
    for name in ("named", "env", "path"):
        (tmp_path / name).mkdir()
        program(tmp_path / name, "v4.0.0")
    environment = {"PATH": str(tmp_path / "path"), "HELM": str(tmp_path / "env/helm")}
    found = [
        Helm.find(str(tmp_path / "named/helm"), environment=environment).binary,
        Helm.find(environment=environment).binary,
        Helm.find(environment={"PATH": str(tmp_path / "path")}).binary,
    ]
    assert [Path(binary).parent.name for binary in found] == ["named", "env", "path"]


def test_without_a_helm_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="helm is not on PATH") as told:
        Helm.find(environment={"PATH": str(tmp_path)})
    assert told.value.then == "install Helm 3.13 or later, or name the binary with --helm or $HELM"
    with pytest.raises(UserError, match="no-such-helm: no such program"):
        Helm.find("no-such-helm")


@pytest.mark.parametrize(
    ("prints", "error"),
    [
        ("v3.12.3", "is Helm 3.12.3, which cannot label releases"),
        ("v2.17.0", "is Helm 2.17.0, which cannot label releases"),
        ("v5.0.0-rc.1", "is Helm 5.0.0, which is not known here"),
        ("usage: helm FILE", "does not answer like helm"),
        ("", "does not answer like helm"),
    ],
)
def test_a_helm_that_cannot_do_it_is_refused(tmp_path: Path, prints: str, error: str) -> None:
    helm = Helm.find(str(program(tmp_path, prints)))

    async def ask() -> None:
        async with helm:
            await helm.version()

    with pytest.raises(UserError, match=re.escape(error)) as told:
        asyncio.run(ask())
    assert "install Helm" in (told.value.then or "")


def test_the_version_is_asked_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    file = tmp_path / "helm"
    file.write_text(f"#!/bin/sh\necho asked >> {log}\necho v4.3.1\n")
    file.chmod(0o755)

    async def ask() -> None:
        async with Helm.find(str(file)) as helm:
            await asyncio.gather(*(helm.version() for _ in range(5)))

    asyncio.run(ask())
    assert log.read_text() == "asked\n"
