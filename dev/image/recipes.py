"""The images that pods of the cluster run."""

import hashlib
import shutil
import tempfile
from pathlib import Path

from dev.cluster import lock
from dev.cluster.layout import CHECKOUT, cache_dir
from dev.cluster.progress import say
from dev.image import oci, pgroot, project, pyroot

PAUSE = "localhost/pause:1"
WATCHBILL = "localhost/watchbill:dev"
MEMBERSHIP = "localhost/membership"


def all_images(pause_binary: Path) -> dict[str, Path]:
    """Name and archive of each."""
    return {PAUSE: pause(pause_binary), WATCHBILL: watchbill()}


def pause(binary: Path) -> Path:
    """The first process of every pod, and nothing else."""
    archive = _archive("pause", hashlib.sha256(binary.read_bytes()).hexdigest())
    with lock.held(archive.with_name("pause.lock")):
        if not archive.exists():
            root = archive.with_suffix(".root")
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            shutil.copy(binary, root / "pause")
            oci.write(oci.Image(PAUSE, (root,), entrypoint=("/pause",)), archive)
            shutil.rmtree(root)
    return archive


def watchbill() -> Path:
    """Python and the project. The interpreter is a layer of its own: it changes rarely."""
    base = pyroot.root()
    with lock.held(cache_dir() / "image" / "watchbill.lock"):
        installed = project.layer()
        archive = _archive("watchbill", hashlib.sha256(f"{base.name} {installed.name}".encode()).hexdigest())
        if not archive.exists():
            # Every change of a source makes another; somebody may still be reading the last ones.
            for older in sorted(archive.parent.glob("watchbill-*.tar"), key=lambda tar: tar.stat().st_mtime)[
                :-2
            ]:
                older.unlink()
            image = oci.Image(
                WATCHBILL,
                (base, installed),
                entrypoint=("watchbill",),
                user=str(pyroot.USER),
                environment=(oci.PATH, "LANG=C.UTF-8", "HOME=/home/watchbill", "PYTHONUNBUFFERED=1"),
            )
            oci.write(image, archive)
            say(f"wrote the image {WATCHBILL}: {archive}")
    return archive


def membership() -> Path:
    """The versions 1 to 4 of examples/charts/membership in one archive: PostgreSQL, the program, its migrations.

    They differ in their number, and version 3 has a mistake in its migration.
    """
    source = CHECKOUT / "examples/charts/membership/image"
    files = {
        file.relative_to(source): file.read_bytes() for file in sorted(source.rglob("*")) if file.is_file()
    }
    below = (pyroot.root(), pgroot.root())
    content = hashlib.sha256(repr(([layer.name for layer in below], files)).encode()).hexdigest()
    archive = _archive("membership", content)
    with lock.held(archive.with_name("membership.lock")):
        if not archive.exists():
            for older in archive.parent.glob("membership-*.tar"):
                older.unlink()
            with tempfile.TemporaryDirectory(dir=archive.parent) as scratch:
                program, mistake = Path(scratch, "program"), Path(scratch, "mistake")
                (program / "usr/local/bin").mkdir(parents=True)
                shutil.copy(source / "membership", program / "usr/local/bin")
                for layer, migrations in ((program, "migrations"), (mistake, "mistake")):
                    shutil.copytree(source / migrations, layer / "usr/local/share/membership/migrations")
                oci.write_all([_membership(n, (*below, program), mistake) for n in range(1, 5)], archive)
            say(f"wrote the images {MEMBERSHIP}:1 to :4: {archive}")
    return archive


def _membership(version: int, layers: tuple[Path, ...], mistake: Path) -> oci.Image:
    return oci.Image(
        f"{MEMBERSHIP}:{version}",
        (*layers, mistake) if version == 3 else layers,
        entrypoint=("membership",),
        user=str(pyroot.USER),
        environment=(
            f"{oci.PATH}:/{pgroot.BINARIES}",
            "LANG=C.UTF-8",
            "PYTHONUNBUFFERED=1",
            f"MEMBERSHIP_VERSION={version}",
        ),
    )


def _archive(name: str, digest: str) -> Path:
    writer = hashlib.sha256(Path(oci.__file__).read_bytes() + Path(__file__).read_bytes() + digest.encode())
    archive = cache_dir() / "image" / f"{name}-{writer.hexdigest()[:16]}.tar"
    archive.parent.mkdir(parents=True, exist_ok=True)
    return archive
