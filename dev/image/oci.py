"""Write OCI images: an image layout in one tar file, the same bytes for the same content."""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
INDEX_KIND = "application/vnd.oci.image.index.v1+json"
MANIFEST_KIND = "application/vnd.oci.image.manifest.v1+json"
CONFIG_KIND = "application/vnd.oci.image.config.v1+json"
LAYER_KIND = "application/vnd.oci.image.layer.v1.tar"


@dataclass(frozen=True)
class Image:
    """A name with tag, directories that become layers, and how to run it."""

    name: str
    layers: tuple[Path, ...]
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    user: str = ""
    environment: tuple[str, ...] = field(default=(PATH,))


def write(image: Image, output: Path) -> None:
    """One image, one archive."""
    write_all((image,), output)


def write_all(images: Sequence[Image], output: Path) -> None:
    """Several in one archive: what they share is in it once. Layers are not compressed: it never leaves the machine."""
    draft = output.with_name(output.name + ".draft")
    with tarfile.open(draft, "w", format=tarfile.GNU_FORMAT) as archive:
        directories = dict.fromkeys(layer for image in images for layer in image.layers)
        layers = {path: _add_layer(archive, path, draft.with_suffix(".layer")) for path in directories}
        manifests = [
            _add_manifest(archive, image, [layers[path] for path in image.layers]) for image in images
        ]
        index = {"schemaVersion": 2, "mediaType": INDEX_KIND, "manifests": manifests}
        _add(archive, "index.json", json.dumps(index).encode())
        _add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    draft.replace(output)


def _add_manifest(archive: tarfile.TarFile, image: Image, layers: list[dict[str, Any]]) -> dict[str, Any]:
    config = _add_json(archive, CONFIG_KIND, _config(image, [layer["digest"] for layer in layers]))
    body = {"schemaVersion": 2, "mediaType": MANIFEST_KIND, "config": config, "layers": layers}
    # The name under which containerd files the image.
    name = {"io.containerd.image.name": image.name}
    return {**_add_json(archive, MANIFEST_KIND, body), "annotations": name}


def _config(image: Image, digests: list[str]) -> dict[str, Any]:
    run: dict[str, Any] = {"Env": list(image.environment), "WorkingDir": "/"}
    if image.entrypoint:
        run["Entrypoint"] = list(image.entrypoint)
    if image.command:
        run["Cmd"] = list(image.command)
    if image.user:
        run["User"] = image.user
    return {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": digests},
    }


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _add_json(archive: tarfile.TarFile, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    content = json.dumps(body).encode()
    digest = hashlib.sha256(content).hexdigest()
    _add(archive, f"blobs/sha256/{digest}", content)
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def _add_layer(archive: tarfile.TarFile, directory: Path, draft: Path) -> dict[str, Any]:
    with tarfile.open(draft, "w", format=tarfile.GNU_FORMAT) as layer:
        for entry in sorted(directory.rglob("*")):
            layer.add(entry, str(entry.relative_to(directory)), recursive=False, filter=_anonymous)
    try:
        with draft.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            entry_info = tarfile.TarInfo(f"blobs/sha256/{digest}")
            entry_info.size = draft.stat().st_size
            content.seek(0)
            archive.addfile(entry_info, content)
    finally:
        draft.unlink()
    return {"mediaType": LAYER_KIND, "digest": f"sha256:{digest}", "size": entry_info.size}


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without owner and time: both differ from machine to machine."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = 0
    return entry
