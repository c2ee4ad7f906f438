"""What the API server serves, and the Go types behind it, as data of the model.

Asks a running control plane for its kinds and the oracle for their types, and writes both where the
package keeps them:

    python -m dev.cluster up --level control
    python -m dev.kubecatalog
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev.cluster.client import Cluster
from dev.cluster.layout import Layout
from dev.oracle import Oracle

DATA = Path(__file__).resolve().parent.parent / "src" / "watchbill" / "lifecycle" / "kube" / "data"


def kinds(cluster: Cluster) -> list[dict[str, Any]]:
    """Every kind with a path of its own; subresources have none."""
    found = {
        (group, version, resource["kind"]): {
            "group": group,
            "version": version,
            "kind": resource["kind"],
            "resource": resource["name"],
            "namespaced": resource["namespaced"],
        }
        for group, version, path in _versions(cluster)
        for resource in cluster.get(path)["resources"]
        if "/" not in resource["name"]
    }
    return [found[key] for key in sorted(found)]


def _versions(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    for version in cluster.get("/api")["versions"]:
        yield "", version, f"/api/{version}"
    for group in cluster.get("/apis")["groups"]:
        # Groups of custom resources are whatever someone installed; Kubernetes' own have no other host.
        if group["name"].endswith(".k8s.io") or "." not in group["name"]:
            for served in group["versions"]:
                yield group["name"], served["version"], f"/apis/{served['groupVersion']}"


def gotypes(oracle: Oracle, served: list[dict[str, Any]]) -> dict[str, Any]:
    """Structs as [name, type, omit, from] for each member, in Go's order."""
    answer = oracle.ask({"op": "gotypes", "kinds": served})
    return {
        "kinds": answer["kinds"],
        "structs": {
            name: [
                [field["name"], field["type"], field.get("omit", ""), field.get("from", "")]
                for field in fields
            ]
            for name, fields in sorted(answer["structs"].items())
        },
    }


def _write(name: str, lines: list[str], opening: str, closing: str) -> None:
    (DATA / name).write_text(opening + "\n" + ",\n".join(lines) + "\n" + closing + "\n")


def _compact(thing: Any) -> str:
    return json.dumps(thing, separators=(",", ":"))


def main() -> None:
    layout = Layout.of("control")
    served = kinds(Cluster("control", layout.kubeconfig, layout))
    with Oracle() as oracle:
        types = gotypes(oracle, served)
    DATA.mkdir(parents=True, exist_ok=True)
    _write("catalog.json", [_compact(kind) for kind in served], "[", "]")
    structs = [f"{_compact(name)}:{_compact(fields)}" for name, fields in types["structs"].items()]
    _write("gotypes.json", structs, f'{{"kinds":{_compact(types["kinds"])},"structs":{{', "}}")


if __name__ == "__main__":
    main()
