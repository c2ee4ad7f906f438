"""One case played by one tool on the real API server, and the truth that comes of it."""

import json
import tempfile
import time
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from dev import binaries
from dev.cluster.api import ApiError
from dev.cluster.fates import CONFIG_MAP, JOBS
from dev.tapes import naming, records, stage, tools, words
from dev.tapes.case import Case, Truth
from dev.tapes.crowd import Footprint
from dev.tapes.moves import Act, Edit, Fates, Move, Remove, Wait
from dev.tapes.naming import Ref
from dev.tapes.proxy import Proxy, Tape
from dev.tapes.snapshot import World
from dev.tapes.stage import Server

# How long a tool waits: longer than anything that is to succeed takes, even on a busy machine.
LONG = "60s"
# The same while some Job is fated to hang or to be late.
SHORT = "8s"
# Waits up to this many seconds are waited; the TTL controller does the rest.
REAL_WAIT = 15


def footprint(case: Case, server: Server) -> Footprint:
    """What it will touch outside its namespace."""
    with tempfile.TemporaryDirectory(prefix="tape-") as scratch:
        refs: set[Ref] = set().union(*named(case, Path(scratch)))
    return Footprint.of(refs, server.namespaced, case.namespace)


def named(case: Case, scratch: Path) -> list[set[Ref]]:
    """The objects each version names, on install and on upgrade."""
    found: list[set[Ref]] = []
    modes = (("--include-crds",), ("--include-crds", "--is-upgrade"))
    for number, version in enumerate(case.versions):
        if version.manifests is not None:
            found.append(set(naming.named_in(version.manifests)))
            continue
        chart = version.unpack(scratch / f"named{number}")
        texts = [
            tools.template(chart, case.release, case.namespace, scratch / "home", *mode) for mode in modes
        ]
        found.append({ref for text in texts for ref in naming.named_in(text)})
    return found


def record(case: Case, tool: str, server: Server) -> Truth:
    own = f"tape-{uuid.uuid4().hex[:10]}"
    placed = case.hurried().placed(own)
    with tempfile.TemporaryDirectory(prefix="tape-") as scratch:
        first, *rest = named(placed, Path(scratch))
        # What versions name without a namespace is looked for in every namespace a release is in.
        first |= {
            ref._replace(namespace=elsewhere)
            for elsewhere in placed.elsewhere()
            for ref in first.union(*rest)
            if not ref.namespace and server.namespaced(ref)
        }
        with stage.namespace(server, own, first, set().union(*rest)) as world:
            stage.give(server, placed.given)
            proxy = Proxy(server.kubeconfig)
            try:
                play = Play(placed, tools.Tool.of(tool), world, proxy, server.kubeconfig, Path(scratch))
                moves = [play.move(move) for move in placed.moves]
            finally:
                proxy.close()
        truth = {"tool": tool, "digest": case.digest(tool), "moves": moves}
        renamed: Truth = words.rename(truth, own, case.namespace)  # type: ignore[assignment]
        return renamed


@dataclass
class Play:
    case: Case
    tool: tools.Tool
    world: World
    proxy: Proxy
    kubeconfig: Path
    scratch: Path
    # The version a release was last given, by release; it has none at first.
    position: defaultdict[str, int] = field(default_factory=lambda: defaultdict(lambda: -1))

    def __post_init__(self) -> None:
        self._home = self.scratch / "home"
        self._through_proxy = self.proxy.write_kubeconfig(self.scratch / "kubeconfig", self.world.namespace)
        self._charts = [
            version.unpack(self.scratch / f"v{number}")
            for number, version in enumerate(self.case.versions, 1)
        ]

    def move(self, move: Move) -> dict[str, Any]:
        release = (move.release if isinstance(move, Act) else "") or self.case.release
        namespace, _, name = release.rpartition("/")
        tape = Tape()
        if isinstance(move, Act):
            ok, error = self._act(move, release, tape)
        else:
            ok, error = self._happen(move)
        log = words.in_order(tape.writes)
        for made in log:
            if records.by_name(made.resource, made.name):
                self.world.named.update(naming.named_in(records.manifests(made.body)))
        if any(made.resource == "customresourcedefinitions" for made in log):
            self.world.catalog.refresh()
        objects = self.world.rest()
        return {
            "move": move.text,
            "ok": ok,
            "error": error,
            "release": self.world.release(name, namespace or self.world.namespace),
            "ran": words.ran(log),
            "objects": objects,
            "writes": [words.write(made, self.world.catalog) for made in log],
        }

    # The tool

    def _act(self, move: Act, release: str, tape: Tape) -> tuple[bool, str]:
        command, stdin = self._command(move, release)
        tape.dies_after = move.dies_after
        self.proxy.begin(tape)
        process = tools.start(command, self._home, self._through_proxy)
        tape.kill = process.kill
        done = tools.finish(process, stdin)
        self.proxy.end()
        if tape.dead:
            return False, ""
        return done.returncode == 0, words.error(done.stderr, done.returncode)

    def _command(self, move: Act, release: str) -> tuple[list[str], str]:
        chart = self._chart(move, release)
        namespace, _, release = release.rpartition("/")
        namespace = namespace or self.world.namespace
        command = [str(self.tool.binary), move.verb, f"--namespace={namespace}"]
        if self.tool.name == "kubectl":
            rendered = tools.template(chart, release, namespace, self._home)
            options = ["--ignore-not-found"] if move.verb == "delete" else []
            return [*command, "--filename=-", *options, *move.arguments], rendered
        limit = LONG if all(fate in ("succeed", "fail") for _, fate in self.world.fates) else SHORT
        if not any(argument.startswith("--timeout") for argument in move.arguments):
            command.append(f"--timeout={limit}")
        # A revision stands behind the release, as a chart does.
        what = [release, str(chart)] if move.verb in ("install", "upgrade") else [release]
        return [*command, *what, *move.arguments], ""

    def _chart(self, move: Act, release: str) -> Path:
        last = len(self._charts) - 1
        if move.verb == "install":
            self.position[release] = 0
        elif move.verb in ("upgrade", "apply"):
            self.position[release] = min(self.position[release] + 1, last)
        return self._charts[max(self.position[release], 0)]

    # The world beside it

    def _happen(self, move: Fates | Wait | Remove | Edit) -> tuple[bool, str]:
        if isinstance(move, Fates):
            self._decree(move)
        elif isinstance(move, Wait):
            self._wait(move.seconds)
        elif isinstance(move, Remove):
            return self._kubectl("delete", move.kind, move.name)
        else:
            kind, patch = edit_patch(move)
            return self._kubectl(
                "patch",
                move.kind,
                move.name,
                f"--type={kind}",
                f"--patch={json.dumps(patch)}",
                "--field-manager=kubectl-edit",
            )
        return True, ""

    def _kubectl(self, *arguments: str) -> tuple[bool, str]:
        command = [str(binaries.kubectl()), f"--namespace={self.world.namespace}", *arguments]
        done = tools.run(command, self._home, self.kubeconfig)
        return done.returncode == 0, words.error(done.stderr, done.returncode)

    def _decree(self, move: Fates) -> None:
        self.world.decree(move.pattern, move.fate)
        maps = f"/api/v1/namespaces/{self.world.namespace}/configmaps"
        table = {"metadata": {"name": CONFIG_MAP}, "data": {JOBS: self.world.fate_table()}}
        try:
            self.world.api.request("PUT", f"{maps}/{CONFIG_MAP}", table)
        except ApiError as error:
            if error.status != 404:
                raise
            self.world.api.request("POST", maps, table)

    def _wait(self, seconds: float) -> None:
        if seconds <= REAL_WAIT:
            time.sleep(seconds)
            return
        for job in self.world.finished_jobs():
            ttl = job["spec"].get("ttlSecondsAfterFinished")
            if ttl is not None and ttl <= seconds:
                path = f"/apis/batch/v1/namespaces/{self.world.namespace}/jobs/{job['metadata']['name']}"
                self.world.api.request("DELETE", path, {"propagationPolicy": "Foreground"})


def edit_patch(move: Edit) -> tuple[str, Any]:
    """A merge patch, or a JSON patch where a list is entered: the former replaces lists whole."""
    value = yaml.safe_load(move.value)
    if not any(part.isdigit() for part in move.path):
        for part in reversed(move.path):
            value = {part: value}
        return "merge", value
    path = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in move.path)
    operation = "replace" if move.path[-1].isdigit() else "add"
    return "json", [{"op": operation, "path": path, "value": value}]
