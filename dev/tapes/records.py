"""Helm's release records: what a Secret that Helm writes says."""

import base64
import gzip
import json
import re
from typing import Any, NamedTuple

_NAME = re.compile(r"sh\.helm\.release\.v1\.(?P<release>.+)\.v(?P<revision>\d+)")


class Record(NamedTuple):
    release: str
    revision: int
    status: str = ""


def by_name(resource: str, name: str) -> Record | None:
    match = _NAME.fullmatch(name) if resource == "secrets" else None
    return Record(match["release"], int(match["revision"])) if match else None


def of_secret(secret: dict[str, Any]) -> Record | None:
    metadata = secret.get("metadata", {})
    record = by_name("secrets", metadata.get("name", ""))
    return record._replace(status=metadata.get("labels", {}).get("status", "")) if record else None


def manifests(secret: dict[str, Any]) -> str:
    """All that the release consists of, hooks too."""
    packed = secret.get("data", {}).get("release")
    if not packed:
        return ""
    release = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(packed))))
    hooks = [hook.get("manifest", "") for hook in release.get("hooks") or []]
    return "\n---\n".join([release.get("manifest", ""), *hooks])
