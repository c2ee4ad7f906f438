"""The unified hierarchy, which not every machine has, on a plain directory that looks like it."""

from pathlib import Path

import pytest

from dev.cluster import cgroups
from dev.cluster.layout import Layout


@pytest.fixture
def unified(tmp_path: Path) -> Path:
    base = tmp_path / "cgroup"
    base.mkdir()
    (base / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    (base / "cgroup.subtree_control").write_text("cpu memory\n")
    return base


def test_missing_controllers_are_given_and_taken_back(tmp_path: Path, unified: Path) -> None:
    layout = Layout("node", tmp_path / "instance", 1)

    cgroups.create(layout, unified)
    assert (unified / "watchbill-1").is_dir()
    assert (unified / "cgroup.subtree_control").read_text() == "+cpuset +pids"

    (unified / "watchbill-1" / "kubepods" / "pod1").mkdir(parents=True)
    cgroups.remove(layout, unified)
    assert not (unified / "watchbill-1").exists()
    assert (unified / "cgroup.subtree_control").read_text() == "-cpuset -pids"


def test_a_removal_without_anything_to_remove_is_no_error(tmp_path: Path, unified: Path) -> None:
    cgroups.remove(Layout("node", tmp_path / "instance", 1), unified)
    assert (unified / "cgroup.subtree_control").read_text() == "cpu memory\n"
