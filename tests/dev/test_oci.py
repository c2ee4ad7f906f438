"""Images are the same bytes for the same content, and every digest in them is true."""

import hashlib
import json
import os
import tarfile
from pathlib import Path

import pytest

from dev.image import oci


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    return make_layer(tmp_path / "layer")


def make_layer(root: Path) -> Path:
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "tool").write_bytes(b"#!/bin/sh\n")
    (root / "bin" / "tool").chmod(0o755)
    (root / "bin" / "link").symlink_to("tool")
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    return root


def test_two_writes_at_different_times_and_places_are_equal(tmp_path: Path, layer: Path) -> None:
    other = make_layer(tmp_path / "elsewhere" / "layer")
    for path in (other / "bin" / "tool", other / "bin"):
        os.utime(path, (1, 1))

    for root, name in ((layer, "first.tar"), (other, "second.tar")):
        oci.write(oci.Image("localhost/x:1", (root,), command=("tool",)), tmp_path / name)

    assert (tmp_path / "first.tar").read_bytes() == (tmp_path / "second.tar").read_bytes()
    assert sorted(path.name for path in tmp_path.glob("*.tar*")) == ["first.tar", "second.tar"]


def test_every_digest_and_size_is_true(tmp_path: Path, layer: Path) -> None:
    oci.write(oci.Image("localhost/x:1", (layer, layer)), tmp_path / "image.tar")

    with tarfile.open(tmp_path / "image.tar") as archive:
        content = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
    blobs = {
        name.removeprefix("blobs/sha256/"): data
        for name, data in content.items()
        if name.startswith("blobs/")
    }
    assert all(hashlib.sha256(data).hexdigest() == digest for digest, data in blobs.items())
    (manifest_ref,) = json.loads(content["index.json"])["manifests"]
    manifest = json.loads(blobs[manifest_ref["digest"].removeprefix("sha256:")])
    for reference in (manifest_ref, manifest["config"], *manifest["layers"]):
        assert len(blobs[reference["digest"].removeprefix("sha256:")]) == reference["size"]
    config = json.loads(blobs[manifest["config"]["digest"].removeprefix("sha256:")])
    assert config["rootfs"]["diff_ids"] == [layer["digest"] for layer in manifest["layers"]]
    assert manifest_ref["annotations"]["io.containerd.image.name"] == "localhost/x:1"


def test_the_configuration_says_how_to_run_it(tmp_path: Path, layer: Path) -> None:
    image = oci.Image("localhost/x:1", (layer,), entrypoint=("tool",), user="10001", environment=("A=b",))
    oci.write(image, tmp_path / "image.tar")

    with tarfile.open(tmp_path / "image.tar") as archive:
        texts = [archive.extractfile(entry).read() for entry in archive]  # type: ignore[union-attr]
    config = next(json.loads(text) for text in texts if text.startswith(b'{"architecture"'))
    assert config["config"] == {"Env": ["A=b"], "WorkingDir": "/", "Entrypoint": ["tool"], "User": "10001"}


def test_a_layer_keeps_modes_and_links_and_forgets_owners(tmp_path: Path, layer: Path) -> None:
    oci.write(oci.Image("localhost/x:1", (layer,)), tmp_path / "image.tar")

    with tarfile.open(tmp_path / "image.tar") as archive:
        largest = max(archive.getmembers(), key=lambda entry: entry.size)
        with tarfile.open(fileobj=archive.extractfile(largest)) as inner:
            entries = {entry.name: entry for entry in inner}
    assert sorted(entries) == ["bin", "bin/link", "bin/tool", "tmp"]
    assert entries["bin/tool"].mode == 0o755
    assert entries["tmp"].mode == 0o1777
    assert entries["bin/link"].linkname == "tool"
    assert {(entry.uid, entry.gid, entry.uname, entry.mtime) for entry in entries.values()} == {(0, 0, "", 0)}


def test_images_of_one_archive_share_their_layers(tmp_path: Path, layer: Path) -> None:
    own = make_layer(tmp_path / "own")
    (own / "bin" / "more").write_bytes(b"more")
    images = [oci.Image("localhost/x:1", (layer,)), oci.Image("localhost/x:2", (layer, own))]

    oci.write_all(images, tmp_path / "images.tar")

    with tarfile.open(tmp_path / "images.tar") as archive:
        content = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
        names = archive.getnames()
    assert len(names) == len(set(names))
    manifests = json.loads(content["index.json"])["manifests"]
    assert [one["annotations"]["io.containerd.image.name"] for one in manifests] == [
        "localhost/x:1",
        "localhost/x:2",
    ]
    first, second = (json.loads(content[f"blobs/sha256/{one['digest'][7:]}"])["layers"] for one in manifests)
    assert second[0] == first[0]
    assert (len(first), len(second)) == (1, 2)
