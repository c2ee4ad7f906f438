"""Programs from Debian that the cluster needs. They are unpacked into the cache and run from there."""

import shutil
from pathlib import Path

from dev.image import debian

# What runs inside the node: container runtime, network plugins, packet filter, tools kubelet calls.
NODE = ("containerd", "runc", "containernetworking-plugins", "nftables", "iproute2", "mount", "util-linux")


def node_root() -> Path:
    """The root file system of the node."""
    return debian.unpacked("node", NODE, finish=_complete_node)


def _complete_node(root: Path) -> None:
    for directory in ("dev", "etc", "opt", "proc", "root", "run", "sys", "tmp", "var/lib", "var/log"):
        (root / directory).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "var" / "run").symlink_to("/run")
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\n")
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    # Links that an installation would make: the network plugin for host ports calls these names.
    for name in ("iptables", "ip6tables"):
        for action in ("", "-save", "-restore"):
            (root / "usr/sbin" / f"{name}{action}").symlink_to("xtables-nft-multi")
    # The kubelet reports it as the identity of the machine: any number will do.
    (root / "etc" / "machine-id").write_text("77617463" * 4 + "\n")


def openssl() -> list[str]:
    """The command: the machine's own, or Debian's run from the cache."""
    if shutil.which("openssl"):
        return ["openssl"]
    return debian.program(debian.unpacked("openssl", ("openssl",)), "usr/bin/openssl")
