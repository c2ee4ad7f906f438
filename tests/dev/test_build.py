"""Binaries are kept by version and digest, checked before use, and may come from elsewhere."""

import os
import shutil
from pathlib import Path

import pytest

from dev.cluster import build
from dev.cluster.errors import ClusterError
from dev.cluster.layout import COMPONENTS


def test_versions_are_those_of_the_modules() -> None:
    assert build.version("kube") == "1.37.1"
    assert build.version("etcd") == "3.7.3"
    assert build.version("coredns") == "1.15.0"


@pytest.fixture
def components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the modules, and an empty cache."""
    copy = tmp_path / "components"
    shutil.copytree(COMPONENTS, copy)
    monkeypatch.setattr(build, "COMPONENTS", copy)
    # Go's own cache lies beside ours: without it the standard library would be compiled again.
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    monkeypatch.setenv("GOCACHE", os.environ.get("GOCACHE") or str(Path(usual, "go-build")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WATCHBILL_CLUSTER_BIN", raising=False)
    return copy


def test_any_change_of_a_source_means_another_binary(components: Path) -> None:
    before = build.source_digest("pause")
    (components / "pause" / "main.go").open("a").close()
    assert build.source_digest("pause") == before
    with (components / "pause" / "main.go").open("a") as source:
        source.write("\n")
    assert build.source_digest("pause") != before


@pytest.mark.usefixtures("components")
def test_a_binary_is_built_once_and_again_when_it_was_damaged(capsys: pytest.CaptureFixture[str]) -> None:
    (first,) = build.binaries(["pause"]).values()
    content = first.read_bytes()
    assert "building pause" in capsys.readouterr().err

    assert build.binaries(["pause"]) == {"pause": first}
    assert capsys.readouterr().err == ""

    first.write_bytes(content[:-1])
    build.binaries(["pause"])
    assert "is not what was built" in capsys.readouterr().err
    assert first.read_bytes() == content, "two builds are equal byte for byte"


@pytest.mark.usefixtures("components")
def test_a_prebuilt_set_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHBILL_CLUSTER_BIN", str(tmp_path))
    (tmp_path / "etcd").touch(mode=0o755)

    assert build.binaries(["etcd"]) == {"etcd": tmp_path / "etcd"}
    with pytest.raises(ClusterError, match="which has no program kube"):
        build.binaries(["etcd", "kube"])
