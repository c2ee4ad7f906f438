"""One digest of the engine's sources, for the build (what was compiled) and the run (is it current)."""

import os


def source_digest(engine_dir: str) -> str:
    import hashlib

    digest = hashlib.sha256()
    for name in sorted(os.listdir(engine_dir)):
        if name in ("go.mod", "go.sum") or (name.endswith(".go") and not name.endswith("_test.go")):
            with open(os.path.join(engine_dir, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()[:16]
