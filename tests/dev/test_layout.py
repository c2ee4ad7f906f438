"""Where a cluster lives, and that two never share a place."""

import json
import socket
from pathlib import Path

import pytest

from dev.cluster.errors import ClusterError
from dev.cluster.layout import SLOTS, Layout, free_ports, state_dir, write_whole


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WATCHBILL_CLUSTER_DIR", str(tmp_path))
    monkeypatch.delenv("WATCHBILL_CLUSTER_SLOT", raising=False)
    return tmp_path


def test_the_directory_is_chosen_by_the_environment(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert state_dir() == folder
    monkeypatch.delenv("WATCHBILL_CLUSTER_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert state_dir() == tmp_path / "state/watchbill/cluster"


def test_levels_and_slots_share_nothing() -> None:
    layouts = [Layout("node", Path("/x"), slot) for slot in range(SLOTS)]
    for name in (
        "link",
        "cgroup",
        "node_address",
        "host_address",
        "pods",
        "services",
        "api_service",
        "dns_service",
    ):
        assert len({getattr(layout, name) for layout in layouts}) == SLOTS, name
    ranges = {part for layout in layouts for part in (layout.pods, layout.services)}
    assert len(ranges) == 2 * SLOTS
    assert Layout.of("control").root != Layout.of("node").root


def test_an_instance_keeps_the_slot_it_was_made_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHBILL_CLUSTER_SLOT", "2")
    Layout.of("node").record()
    monkeypatch.setenv("WATCHBILL_CLUSTER_SLOT", "1")

    assert Layout.of("node").slot == 2
    assert Layout.of("control").slot == 1


@pytest.mark.parametrize("slot", ["3", "-1", "one", ""])
def test_a_slot_that_is_none_is_told(slot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHBILL_CLUSTER_SLOT", slot)
    with pytest.raises(ClusterError, match="set it to a number from 0 to 2"):
        Layout.of("node")


def test_the_control_level_keeps_its_ports() -> None:
    first = Layout.of("control").ports

    assert Layout.of("control").ports == first
    assert len(set(vars(first).values())) == 4
    record = json.loads((Layout.of("control").run / "ports.json").read_text())
    assert record == vars(first)


def test_a_port_in_use_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        monkeypatch.setattr("random.sample", lambda *_: [port, port + 1, port + 2])
        assert port not in free_ports(1)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"
    write_whole(target, "first")
    write_whole(target, "second", mode=0o640)

    assert target.read_text() == "second"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["file"]
