"""kubeconfig files. JSON is YAML, so every client reads them and nothing is needed to write them."""

import json
from pathlib import Path

from dev.cluster.layout import Layout, write_whole


def write(layout: Layout, path: Path, certificate: str) -> Path:
    """For whoever owns that certificate."""
    user = {
        "client-certificate": str(layout.pki / f"{certificate}.crt"),
        "client-key": str(layout.pki / f"{certificate}.key"),
    }
    cluster = {"server": layout.server, "certificate-authority": str(layout.pki / "ca.crt")}
    name = f"watchbill-{layout.level}"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": certificate, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": certificate}}],
        "current-context": name,
    }
    write_whole(path, json.dumps(content, indent=1))
    return path
