"""The README's recipe for publishing: what is pushed is what a consumer's dependency finds."""

import os
import re
import shlex
import subprocess
import tarfile
from pathlib import Path

import pytest

from dev import binaries
from tests.charts_lib.helm import HELMS
from tests.support.helm import ENVIRONMENT
from tests.support.registry import registry

README = "charts/watchbill-lib/README.md"


@pytest.mark.parametrize("version", HELMS)
def test_what_the_recipe_pushes_a_consumer_depends_on(root: Path, tmp_path: Path, version: str) -> None:
    text = (root / README).read_text()
    recipe = re.findall(r"^helm (package|push) (.*)$", text, re.MULTILINE)
    assert [verb for verb, _ in recipe] == ["package", "push"]
    (tmp_path / "charts").symlink_to(root / "charts")
    [chart] = re.findall(r"^```yaml\n# Chart\.yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    with registry() as server:
        for verb, words in recipe:
            # Such a registry has no certificate.
            more = " --plain-http" if verb == "push" else ""
            said = f"{words}{more}".replace("REGISTRY", server.address)
            helm(version, tmp_path, f"{verb} {said}")
        assert list(server.tags) == ["charts/watchbill-lib"]
        consumer = tmp_path / "shop"
        consumer.mkdir()
        (consumer / "Chart.yaml").write_text(chart.replace("REGISTRY", server.address))
        helm(version, tmp_path, "dependency update shop --plain-http")

    [package] = (consumer / "charts").glob("watchbill-lib-*.tgz")
    with tarfile.open(package) as archive:
        names = {Path(name).name for name in archive.getnames()}
    assert {"_job.tpl", "values.schema.json", "CHANGELOG.md"} <= names


def helm(version: str, place: Path, words: str) -> None:
    """By a shell, which finds the package by its pattern; with a home of its own."""
    homes = {f"HELM_{kind}_HOME": str(place / kind) for kind in ("CACHE", "CONFIG", "DATA")}
    program = shlex.quote(str(binaries.helm(version)))
    environment = {**os.environ, **ENVIRONMENT, **homes}
    done = subprocess.run(
        ["sh", "-c", f"{program} {words}"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
