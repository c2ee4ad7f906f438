"""Debian's PostgreSQL 15 as a layer on top of its Python: server, client, and Python's way to it."""

import platform
import shutil
from pathlib import Path

from dev.image import debian

PACKAGES = ("postgresql-15", "postgresql-client-15", "python3-psycopg2")
BINARIES = "usr/lib/postgresql/15/bin"
LIBRARIES = tuple(f"{prefix}/{platform.machine()}-linux-gnu" for prefix in ("lib", "usr/lib"))
# What the packages bring besides (Perl, an init system, ...) is for managing clusters of databases.
KEPT = (
    *LIBRARIES,
    "usr/lib/postgresql",
    "usr/share/postgresql",
    "usr/lib/python3/dist-packages/psycopg2",
)
# The compiler for queries is half of everything; conversions of other character sets, and Perl again.
UNUSED = (
    *(f"usr/lib/postgresql/15/lib/{name}" for name in ("bitcode", "llvmjit*", "pgxs")),
    *(f"{directory}/{name}" for directory in LIBRARIES for name in ("libLLVM*", "libz3*", "gconv", "*perl*")),
)


def root() -> Path:
    return debian.unpacked("postgresql", PACKAGES, finish=_only_what_runs)


def _only_what_runs(base: Path) -> None:
    everything = base.with_name("everything")
    base.rename(everything)
    for path in KEPT:
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (everything / path).rename(base / path)
    shutil.rmtree(everything)
    for pattern in UNUSED:
        for unused in base.glob(pattern):
            shutil.rmtree(unused) if unused.is_dir() else unused.unlink()
