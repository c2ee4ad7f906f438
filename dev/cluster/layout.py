"""Where an instance of the cluster lives: directories, addresses, ports."""

import json
import os
import random
import socket
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from dev.cluster.errors import ClusterError

Level = Literal["control", "node"]
LEVELS: tuple[Level, ...] = get_args(Level)

CHECKOUT = Path(__file__).resolve().parents[2]
COMPONENTS = Path(__file__).resolve().parent / "components"
NODE_NAME = "node1"
# More would collide with the service ranges of the next one.
SLOTS = 3


def cache_dir() -> Path:
    """Binaries, unpacked packages and images: kept when the cluster is removed."""
    return _xdg("XDG_CACHE_HOME", ".cache") / "watchbill"


def state_dir() -> Path:
    """Everything that belongs to running clusters: gone when they are removed."""
    chosen = os.environ.get("WATCHBILL_CLUSTER_DIR")
    return Path(chosen).resolve() if chosen else _xdg("XDG_STATE_HOME", ".local/state") / "watchbill/cluster"


def _xdg(variable: str, fallback: str) -> Path:
    chosen = os.environ.get(variable)
    return Path(chosen).resolve() if chosen else Path.home() / fallback


def slot_from_environment() -> int:
    text = os.environ.get("WATCHBILL_CLUSTER_SLOT", "0")
    if text.isdigit() and int(text) < SLOTS:
        return int(text)
    raise ClusterError(
        f"WATCHBILL_CLUSTER_SLOT is {text!r}", f"set it to a number from 0 to {SLOTS - 1}, or unset it"
    )


@dataclass(frozen=True)
class Layout:
    """One instance. Its slot keeps the addresses of several node levels on one machine apart."""

    level: Level
    root: Path
    slot: int

    @classmethod
    def of(cls, level: Level, base: Path | None = None) -> "Layout":
        """The instance this environment means; one that exists keeps the slot it was made with."""
        root = (base or state_dir()) / level
        record = root / "instance.json"
        slot = json.loads(record.read_text())["slot"] if record.exists() else slot_from_environment()
        return cls(level, root, slot)

    def record(self) -> None:
        """Written before anything is made, so that the way back is known whatever happens."""
        write_whole(self.root / "instance.json", json.dumps({"slot": self.slot}))

    @property
    def lock(self) -> Path:
        return self.root.with_name(self.root.name + ".lock")

    @property
    def pki(self) -> Path:
        return self.root / "pki"

    @property
    def etc(self) -> Path:
        return self.root / "etc"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "kubeconfig"

    # Addresses. The node has a network namespace of its own, joined to the machine by one link.

    @property
    def link(self) -> str:
        """The machine's end of the link to the node."""
        return f"watchbill{self.slot}"

    @property
    def cgroup(self) -> str:
        return f"watchbill-{self.slot}"

    @property
    def node_address(self) -> str:
        return f"10.99.{self.slot}.1"

    @property
    def host_address(self) -> str:
        """How pods and the API server reach a process on the machine."""
        return f"10.99.{self.slot}.2"

    @property
    def pods(self) -> str:
        return f"10.{88 + self.slot}.0.0/16"

    @property
    def services(self) -> str:
        return f"10.{96 + self.slot}.0.0/16"

    @property
    def api_service(self) -> str:
        return f"10.{96 + self.slot}.0.1"

    @property
    def dns_service(self) -> str:
        return f"10.{96 + self.slot}.0.10"

    @property
    def api_address(self) -> str:
        return self.node_address if self.level == "node" else "127.0.0.1"

    @cached_property
    def ports(self) -> "Ports":
        """The node level has the usual ones to itself; the control level takes free ones and keeps them."""
        if self.level == "node":
            return Ports(api=6443, etcd=2379, etcd_peer=2380, controllers=10257)
        record = self.run / "ports.json"
        if record.exists():
            return Ports(**json.loads(record.read_text()))
        ports = Ports(*free_ports(4))
        self.run.mkdir(parents=True, exist_ok=True)
        write_whole(record, json.dumps(vars(ports)))
        return ports

    @property
    def server(self) -> str:
        return f"https://{self.api_address}:{self.ports.api}"


@dataclass(frozen=True)
class Ports:
    api: int
    etcd: int
    etcd_peer: int
    controllers: int


def free_ports(count: int) -> list[int]:
    """Free ports on loopback, outside the range the kernel hands to outgoing connections."""
    found: list[int] = []
    for port in random.sample(range(20000, 32000), 200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise ClusterError("no free ports between 20000 and 32000 on 127.0.0.1", "stop what occupies them")


def write_whole(path: Path, text: str, mode: int = 0o600) -> None:
    """A reader, or a start after a kill, sees the old text or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".draft")
    draft.write_text(text)
    draft.chmod(mode)
    draft.replace(path)
