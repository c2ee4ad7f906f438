"""Debian's Python 3.11 as the lowest layer of our image."""

import shutil
from pathlib import Path

from dev.cluster import processes
from dev.image import debian

PACKAGES = (
    "python3.11-minimal",
    "libpython3.11-stdlib",
    "libssl3",
    "libsqlite3-0",
    "ca-certificates",
    "tzdata",
    "busybox",
    "base-files",
)
# Parts of the standard library that no program of ours runs.
UNUSED = ("ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter", "turtledemo")
# A shell and what one wants in it: for looking around in a pod, and for tests.
APPLETS = (
    *(
        "cat",
        "cp",
        "date",
        "echo",
        "env",
        "false",
        "find",
        "grep",
        "head",
        "hostname",
        "id",
        "kill",
        "ln",
        "ls",
    ),
    *("mkdir", "mv", "nslookup", "ps", "rm", "sed", "sh", "sleep", "tail", "touch", "true", "wget"),
)
USER = 10001


def root() -> Path:
    return debian.unpacked("python", PACKAGES, finish=_complete)


def _complete(base: Path) -> None:
    library = base / "usr/lib/python3.11"
    for name in UNUSED:
        shutil.rmtree(library / name, ignore_errors=True)
    for left_out in (
        "usr/share/zoneinfo/right",
        "usr/share/zoneinfo/posix",
        "usr/sbin",
        "sbin",
        "boot",
        "media",
    ):
        shutil.rmtree(base / left_out, ignore_errors=True)
    _compile(base, library)
    for directory in ("dev", "etc/ssl/certs", "home/watchbill", "proc", "run", "sys", "tmp"):
        (base / directory).mkdir(parents=True, exist_ok=True)
    (base / "tmp").chmod(0o1777)
    for name in ("python3", "python"):
        link = base / "usr/bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to("python3.11")
    for name in APPLETS:
        if not (base / "bin" / name).exists():
            (base / "bin" / name).symlink_to("/bin/busybox")
    users = ["root:x:0:0:root:/root:/bin/sh", f"watchbill:x:{USER}:{USER}::/home/watchbill:/bin/sh"]
    (base / "etc/passwd").write_text("\n".join([*users, "nobody:x:65534:65534::/:/bin/false", ""]))
    (base / "etc/group").write_text(f"root:x:0:\nwatchbill:x:{USER}:\nnogroup:x:65534:\n")
    (base / "etc/nsswitch.conf").write_text("hosts: files dns\n")
    authorities = sorted((base / "usr/share/ca-certificates").rglob("*.crt"))
    bundle = base / "etc/ssl/certs/ca-certificates.crt"
    bundle.write_bytes(b"".join(certificate.read_bytes() for certificate in authorities))


def _compile(base: Path, library: Path) -> None:
    """As Debian does when it installs the package: else every start in a pod compiles whatever it imports.

    The files say neither when nor where they were made: the image is the same bytes everywhere.
    """
    anywhere = ["--invalidation-mode=unchecked-hash", "-s", str(base), "-p", "/"]
    command = [*debian.program(base, "usr/bin/python3.11"), "-m", "compileall", "-q", *anywhere, str(library)]
    processes.quick(command, PYTHONHOME=str(base / "usr"))
