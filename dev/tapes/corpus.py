"""Real charts played by the real tools: truth for every pair of the corpus, in one JSONL file.

A line holds what is needed to compare it with anything: {"pair", "tool", "moves", "digest", "truth"}; "failed"
with a text stands for the truth of a play that could not be recorded. The inputs stay where they are: they are
not ours to copy.
"""

import gzip
import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from dev.cluster.api import ApiError
from dev.cluster.client import eventually
from dev.tapes import charts, moves, naming, play
from dev.tapes.case import Case, Truth
from dev.tapes.crowd import Crowd, Footprint
from dev.tapes.library import FAILURES
from dev.tapes.naming import Ref
from dev.tapes.snapshot import Unrest
from dev.tapes.stage import Server
from watchbill.charts.scope import CLUSTER_SCOPED

TOOLS = ("helm@4.3.1", "helm@3.19.0")
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
STAND_IN = "watchbill.dev/stand-in"
# Groups Kubernetes once had; it serves the others of its own still, if not in every version.
REMOVED_GROUPS = {"extensions", "settings.k8s.io", "auditregistration.k8s.io"}

Pair = dict[str, Any]
Documents = Sequence[dict[str, Any]]


def _forced(tool: str) -> str:
    return "upgrade --force" if tool.startswith("helm@3") else "upgrade --force-replace --server-side=false"


# Move lists by name, for a tool.
VARIANTS: dict[str, Callable[[str], list[str]]] = {
    "plain": lambda _: ["install", "upgrade", "uninstall"],
    "failing": lambda _: ["install", "fail *", "upgrade", "succeed *", "upgrade", "uninstall"],
    "failing-install": lambda _: ["fail *", "install", "upgrade", "uninstall"],
    "rollback": lambda _: ["install", "upgrade", "rollback", "uninstall"],
    "twice": lambda _: ["install", "upgrade", "upgrade", "uninstall"],
    "forced": lambda tool: ["install", _forced(tool), "rollback", "uninstall"],
    "force-conflicts": lambda _: ["install", "upgrade --force-conflicts", "uninstall"],
}


def read(path: Path) -> list[Pair]:
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def manifests(documents: Documents) -> str:
    """One file, as `helm template` writes it."""
    texts = []
    for document in documents:
        source = f"# Source: {document['source']}\n" if document["source"] else ""
        texts.append(f"---\n{source}{_unasked(document['yaml']).rstrip()}\n")
    return "".join(texts)


def _unasked(document: str) -> str:
    """Webhooks of a chart are told to look at nothing: there are no pods that would answer for them."""
    if not re.search(r"^kind: *[\"']?(Mutating|Validating)WebhookConfiguration", document, re.MULTILINE):
        return document
    thing = yaml.load(document, yaml.CSafeLoader)
    for webhook in thing.get("webhooks") or ():
        webhook["objectSelector"] = {"matchLabels": {STAND_IN: "never"}}
    return str(yaml.safe_dump(thing, sort_keys=False))


def case(pair: Pair, words: Sequence[str]) -> Case:
    return of_sides(pair, (pair["old"]["install"], pair["new"]["upgrade"]), words)


def of_sides(pair: Pair, sides: Sequence[Documents], words: Sequence[str]) -> Case:
    """With these documents as its versions."""
    versions = [
        charts.of_manifests(manifests(side), _chart_name(side), f"{number}.0.0")
        for number, side in enumerate(sides, 1)
    ]
    return Case(
        name=pair["pair"],
        versions=tuple(versions),
        moves=tuple(moves.parse(word) for word in words),
        release=pair["release"],
        namespace=pair["namespace"],
        given=given([version.manifests or "" for version in versions], pair["namespace"]),
    )


def given(texts: Iterable[str], namespace: str) -> tuple[Ref, ...]:
    """What pods need and no version brings along: whoever installs such a chart has made it before."""
    brought = {_place(ref, namespace) for text in texts for ref in naming.named_in(text)}
    needed = {ref for text in texts for ref in naming.needed_in(text)}
    published = {"default", "kube-root-ca.crt"}
    return tuple(sorted(r for r in needed if _place(r, namespace) not in brought and r.name not in published))


def _place(ref: Ref, namespace: str) -> tuple[str, str, str]:
    """Whatever its version is: some documents forget it."""
    return ref.kind, ref.namespace or namespace, ref.name


def _chart_name(documents: Documents) -> str:
    return next((str(d["source"]).partition("/")[0] for d in documents if d["source"]), "c")


def run(wanted: Sequence[tuple[str, Case]], server: Server, out: Path, workers: int) -> None:
    """Cases, each with its tool. What is in the file already with equal inputs is not played again."""
    known = recorded(out)
    due = [(tool, each) for tool, each in wanted if (each.name, tool, each.digest(tool)) not in known]
    print(f"{len(wanted)} plays, {len(wanted) - len(due)} of them in {out} already", flush=True)
    refs = [set().union(*(naming.named_in(v.manifests or "") for v in each.versions)) for _, each in due]
    with _stand_ins(server, set().union(*refs)), _appending(out) as append:
        began, done = time.monotonic(), 0

        def work(task: tuple[str, Case]) -> None:
            nonlocal done
            tool, each = task
            started = time.monotonic()
            line: dict[str, Any] = {
                "pair": each.name,
                "tool": tool,
                "moves": [move.text for move in each.moves],
                "digest": each.digest(tool),
            }
            try:
                line["truth"] = play.record(each, tool, server)
            except FAILURES as error:
                line["failed"] = f"{type(error).__name__}: {error}"
            append(line)
            done += 1
            now = time.monotonic()
            ends = "".join("." if move["ok"] else "F" for move in line.get("truth", {}).get("moves", ()))
            print(
                f"{done}/{len(due)} {now - began:.0f} s: {tool} {each.name} {now - started:.0f} s "
                f"{line.get('failed', ends)}",
                flush=True,
            )

        tasks = [
            (Footprint.of(names, server.namespaced, each.namespace), (tool, each))
            for (tool, each), names in zip(due, refs, strict=True)
        ]
        Crowd(tasks, work, workers).run()


def recorded(out: Path) -> dict[tuple[str, str, str], Truth]:
    """What is in the file, by pair, tool and digest."""
    return {
        (line["pair"], line["tool"], line["digest"]): line["truth"] for line in _lines(out) if "truth" in line
    }


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        for line in path.read_text().splitlines():
            yield json.loads(line)


@contextmanager
def _appending(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Whole lines, one at a time: what was done before an interruption stays done."""
    lock = threading.Lock()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:

        def append(line: dict[str, Any]) -> None:
            with lock:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()

        yield append


@contextmanager
def _stand_ins(server: Server, refs: set[Ref]) -> Iterator[None]:
    """The corpus comes without CRDs: each foreign kind gets one that takes everything."""
    # Some may be left over from a run that was killed.
    left = server.api.get(f"{CRDS}?labelSelector={STAND_IN.replace('/', '%2F')}")["items"]
    served = {group["name"] for group in server.api.get("/apis")["groups"]}
    served -= {item["spec"]["group"] for item in left}
    kinds: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for ref in refs:
        group, _, version = ref.api_version.rpartition("/")
        if group and group not in served | REMOVED_GROUPS:
            kinds[group, ref.kind].add(version)
    bodies = [stand_in(group, kind, sorted(versions)) for (group, kind), versions in sorted(kinds.items())]
    try:
        for body in bodies:
            server.api.ensure(CRDS, body)
        if eventually(lambda: all(_served(server, body) for body in bodies), 120, every=1) is None:
            raise Unrest("the stand-in definitions are not served")
        server.catalog.refresh()
        yield
    finally:
        for body in bodies:
            server.api.request("DELETE", f"{CRDS}/{body['metadata']['name']}")
        server.catalog.refresh()


def _served(server: Server, definition: dict[str, Any]) -> bool:
    """In all its versions: a new one is first not found, then not ready."""
    spec = definition["spec"]
    try:
        for version in spec["versions"]:
            server.api.get(f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}")
    except ApiError:
        return False
    return True


def stand_in(group: str, kind: str, versions: Sequence[str]) -> dict[str, Any]:
    plural = plural_of(kind.lower())
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = [
        {"name": name, "served": True, "storage": name == versions[-1], "schema": {"openAPIV3Schema": schema}}
        for name in versions
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "labels": {STAND_IN: "true"},
            # Groups that end in k8s.io are not established without it.
            "annotations": {"api-approved.kubernetes.io": "unapproved, a stand-in for tests"},
        },
        "spec": {
            "group": group,
            "scope": "Cluster" if (group, kind) in CLUSTER_SCOPED else "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": served,
        },
    }


def plural_of(word: str) -> str:
    """As code generators make it."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"
