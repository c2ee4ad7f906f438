"""Charts and move lists nobody thought of: made up by hypothesis, always the same ones.

`python -m dev.tapes make-up` writes them into tests/tapes/made-up, where they are cases like all others. What is
drawn is close to what real charts do: a few objects that come, go, change, and turn from plain into hooks and back.
"""

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

Object = dict[str, Any]

TOOLS = ("helm@4.3.1", "helm@3.19.0", "helm@4.2.3", "helm@4.1.4", "helm@3.17.3")
EVENTS = (
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-install,pre-upgrade",
    "post-install,post-upgrade",
    "pre-install,post-upgrade",
    "pre-rollback",
    "post-rollback",
    "pre-delete",
    "post-delete",
    "pre-upgrade,pre-rollback",
    "test",
)
POLICIES = (
    None,
    None,
    "before-hook-creation",
    "hook-succeeded",
    "hook-failed",
    "before-hook-creation,hook-succeeded",
    "hook-succeeded,hook-failed",
    "never",
)
KINDS = (
    "Job",
    "Job",
    "Job",
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Deployment",
    "Service",
    "StatefulSet",
    "RoleBinding",
)
HELM4_FLAGS = (
    "--force-replace --server-side=false",
    "--server-side=false",
    "--server-side=true",
    "--force-conflicts",
)

hooks = st.tuples(
    st.sampled_from(EVENTS), st.sampled_from(POLICIES), st.sampled_from((None, None, "-5", "5"))
)
traits = st.fixed_dictionaries(
    {
        "hook": st.one_of(st.none(), st.none(), hooks),
        "look": st.integers(0, 2),  # what changes from version to version
        "ttl": st.sampled_from((None, None, 600)),  # longer than any recording, shorter than any wait
        "keep": st.sampled_from((None, None, None, None, "keep", "Keep")),
        "suspend": st.sampled_from((False,) * 7 + (True,)),
        "immutable": st.booleans(),
    }
)
things = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 2)), min_size=1, max_size=4, unique=True)


@st.composite
def versions(draw: st.DrawFn) -> list[list[Object]]:
    """Two or three: each thing may be missing, and may have become something else."""
    named = draw(things)
    count = draw(st.sampled_from((2, 2, 2, 3)))
    result = []
    before: dict[tuple[str, int], Any] = {}
    for position in range(count):
        objects = []
        for thing in named:
            if draw(st.sampled_from((True,) * 6 + (False,))):
                same = position and thing in before and draw(st.booleans())
                before[thing] = before[thing] if same else draw(traits)
                objects.append(manifest(*thing, before[thing]))
        result.append(objects or [manifest(*named[0], draw(traits))])
    return result


@st.composite
def move_lists(draw: st.DrawFn, tool: str) -> list[str]:
    moves = [draw(st.sampled_from(("install", "install", "install", "install --wait", "upgrade --install")))]
    helm4 = tool.startswith("helm@4")
    atomic = "--rollback-on-failure" if helm4 else "--atomic"
    force = HELM4_FLAGS if helm4 else ("--force", "--wait --wait-for-jobs")
    upgrades = ("upgrade",) * 4 + tuple(
        f"upgrade {flag}" for flag in (*force, atomic, "--no-hooks", "--take-ownership")
    )
    others = ("rollback", "rollback 1", "uninstall", "uninstall --keep-history", "install", "test", "wait 2h")
    if draw(st.sampled_from((False, False, False, True))):
        moves.insert(0, draw(st.sampled_from(("fail job-1", "fail *", "fail job-2"))))
    more = st.sampled_from(upgrades + others + ("fail *", "fail job-1", "succeed *", "delete Job/job-1"))
    return moves + draw(st.lists(more, min_size=2, max_size=4))


def manifest(kind: str, number: int, drawn: Object) -> Object:
    name = f"{kind.lower()}-{number}"
    annotations = {}
    if drawn["hook"]:
        event, policy, weight = drawn["hook"]
        annotations["helm.sh/hook"] = event
        if policy:
            annotations["helm.sh/hook-delete-policy"] = policy
        if weight:
            annotations["helm.sh/hook-weight"] = weight
    if drawn["keep"]:
        annotations["helm.sh/resource-policy"] = drawn["keep"]
    metadata: Object = {"name": name}
    if annotations:
        metadata["annotations"] = annotations
    versions = {
        "Job": "batch/v1",
        "Deployment": "apps/v1",
        "StatefulSet": "apps/v1",
        "RoleBinding": "rbac.authorization.k8s.io/v1",
    }
    return {
        "apiVersion": versions.get(kind, "v1"),
        "kind": kind,
        "metadata": metadata,
        **_rest(kind, name, drawn),
    }


def _rest(kind: str, name: str, drawn: Object) -> Object:
    look = drawn["look"]
    match kind:
        case "Job":
            spec: Object = {
                "backoffLimit": 0,
                "template": {"spec": {"restartPolicy": "Never", **_containers(look)}},
            }
            if drawn["ttl"]:
                spec["ttlSecondsAfterFinished"] = drawn["ttl"]
            if drawn["suspend"]:
                spec["suspend"] = True
            return {"spec": spec}
        case "ConfigMap":
            return {"data": {"look": str(look)}, **({"immutable": True} if drawn["immutable"] else {})}
        case "Secret":
            return {"stringData": {"look": str(look)}, "type": "Opaque" if look < 2 else "example.com/other"}
        case "Deployment" | "StatefulSet":
            labels = {"app": name if drawn["immutable"] else f"{name}-{look}"}
            workload: Object = {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": dict(labels)}, "spec": _containers(look)},
            }
            return {"spec": {"serviceName": f"s{look}", **workload} if kind == "StatefulSet" else workload}
        case "Service":
            return {"spec": {"selector": {"app": "x"}, "ports": [{"port": 80 + look}], **_address(drawn)}}
        case "RoleBinding":
            role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"view-{look}"}
            return {"roleRef": role, "subjects": [{"kind": "ServiceAccount", "name": "default"}]}
    return {}


def _containers(look: int) -> Object:
    return {"containers": [{"name": "main", "image": f"busybox:1.3{look}", "command": ["true"]}]}


def _address(drawn: Object) -> Object:
    return {"clusterIP": "None"} if drawn["immutable"] and drawn["look"] else {}


def make_up(count: int, into: Path) -> list[Path]:
    """So many cases that differ, one file each; those that are there stay, with their truth."""
    texts: list[str] = []

    @settings(
        max_examples=count * 3,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        tool = data.draw(st.sampled_from(TOOLS))
        text = _text(data.draw(versions()), data.draw(move_lists(tool)), tool)
        if text not in texts and len(texts) < count:
            texts.append(text)

    collect()
    into.mkdir(parents=True, exist_ok=True)
    made = []
    for position, text in enumerate(texts, 1):
        path = into / f"{position:03}.txtar"
        if not path.exists() or not path.read_text().startswith(text):
            path.write_text(text)
            made.append(path)
    return made


def _text(drawn: list[list[Object]], moves: list[str], tool: str) -> str:
    case = {"why": "Made up.", "moves": moves, "tools": [tool]}
    parts = [f"-- case.yaml --\n{yaml.safe_dump(case, sort_keys=False)}"]
    for position, objects in enumerate(drawn, 1):
        documents = "---\n".join(yaml.safe_dump(thing, sort_keys=False) for thing in objects)
        parts.append(f"-- v{position}.yaml --\n{documents}")
    return "".join(parts)
