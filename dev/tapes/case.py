"""A case: versions of a chart and the moves played over them, in one file together with its truth."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from dev.tapes import charts, moves
from dev.tapes.naming import Ref
from tests.support import txtar

DEFAULT_TOOLS = ("helm@4.3.1", "helm@4.2.3", "helm@4.1.4", "helm@3.19.0", "helm@3.17.3")
# Part of every digest: raise it when the recorder itself begins to see something else.
FORMAT = "1"
TRUTH = "truth.jsonl"
_KEYS = {"why", "fact", "moves", "tools", "release", "deadline"}

Truth = dict[str, Any]


class CaseError(ValueError):
    """A file that is no case; the text says why."""


@dataclass(frozen=True)
class Case:
    name: str
    versions: tuple[charts.Version, ...]
    moves: tuple[moves.Move, ...]
    tools: tuple[str, ...] = DEFAULT_TOOLS
    release: str = "r"
    namespace: str = "ns"  # what the truth calls it; the real one is made for each recording
    given: tuple[Ref, ...] = ()  # objects that are there before anything is played
    deadline: int = 0  # seconds that every deadline lasts in a recording; 0: as long as the documents say

    def digest(self, tool: str) -> str:
        """Of everything that decides the truth."""
        files = [[path, content.hex()] for version in self.versions for path, content in version.files()]
        inputs: list[Any] = [
            FORMAT,
            tool,
            self.release,
            self.namespace,
            [move.text for move in self.moves],
            files,
        ]
        inputs += [self.given] if self.given else []
        inputs += [self.deadline] if self.deadline else []
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:16]

    def elsewhere(self) -> list[str]:
        """Other namespaces in which releases are."""
        releases = [move.release for move in self.moves if isinstance(move, moves.Act)]
        return sorted({release.rpartition("/")[0] for release in releases if "/" in release})

    def placed(self, namespace: str) -> "Case":
        """The same in a namespace of another name, also where documents name it.

        Other namespaces of releases are named after it, `ns-two`, and go along.
        """
        versions = tuple(version.placed(self.namespace, namespace) for version in self.versions)
        given = tuple(
            ref._replace(namespace=namespace) if ref.namespace in ("", self.namespace) else ref
            for ref in self.given
        )
        placed = tuple(_elsewhere(move, self.namespace, namespace) for move in self.moves)
        return replace(self, versions=versions, namespace=namespace, moves=placed, given=given)

    def hurried(self) -> "Case":
        """The same with short deadlines: examples have those that people need, and nobody waits minutes for a tape.

        The recorder gives Helm less time as well, so a deadline below Helm's timeout stays below it.
        """
        if not self.deadline:
            return self
        return replace(self, versions=tuple(version.hurried(self.deadline) for version in self.versions))


def _elsewhere(move: moves.Move, called: str, namespace: str) -> moves.Move:
    if isinstance(move, moves.Act) and move.release.startswith(f"{called}-") and "/" in move.release:
        return replace(move, release=namespace + move.release.removeprefix(called))
    return move


def read(path: Path) -> Case:
    files = txtar.read(path).files
    try:
        given = yaml.safe_load(files["case.yaml"])
        if unknown := set(given) - _KEYS:
            raise CaseError(f"unknown keys {sorted(unknown)}")
        return Case(
            name=f"{path.parent.name}/{path.stem}",
            versions=_versions(files),
            moves=tuple(moves.parse(text) for text in given["moves"]),
            tools=tuple(given.get("tools", DEFAULT_TOOLS)),
            release=given.get("release", "r"),
            deadline=int(given.get("deadline", 0)),
        )
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise CaseError(f"{path}: {error}") from error


def _versions(files: Mapping[str, bytes]) -> tuple[charts.Version, ...]:
    """`v1.yaml` or `v1/...`, then `v2`, and so on without a gap."""
    found: dict[int, dict[str, bytes]] = {}
    for name, content in files.items():
        if match := re.fullmatch(r"v([1-9]\d*)(\.yaml|/.+)", name):
            found.setdefault(int(match[1]), {})[match[2]] = content
        elif name not in ("case.yaml", TRUTH):
            raise CaseError(f"{name!r} is neither a version (v1.yaml, v1/...) nor case.yaml")
    if not found or sorted(found) != list(range(1, len(found) + 1)):
        raise CaseError(f"versions must be v1, v2, ...; found {sorted(found)}")
    return tuple(_version(number, found[number]) for number in sorted(found))


def _version(number: int, files: dict[str, bytes]) -> charts.Version:
    if ".yaml" not in files:
        return charts.Version({name.removeprefix("/"): content for name, content in files.items()})
    if len(files) > 1:
        raise CaseError(f"v{number} is both manifests and a chart")
    return charts.of_manifests(files[".yaml"].decode(), "c", f"{number}.0.0")


def recorded(path: Path) -> dict[str, Truth]:
    """The truth in the file, by tool."""
    lines = txtar.read(path).files.get(TRUTH, b"").decode().splitlines()
    return {truth["tool"]: truth for truth in map(json.loads, lines)}


def write(path: Path, tools: Sequence[str], truths: Mapping[str, Truth]) -> None:
    """Put the truth behind the inputs, which are kept as they are."""
    inputs = path.read_bytes().partition(f"-- {TRUTH} --\n".encode())[0]
    lines = [json.dumps(truths[tool], ensure_ascii=False) + "\n" for tool in tools if tool in truths]
    draft = path.with_name(path.name + ".draft")
    draft.write_bytes(inputs + f"-- {TRUTH} --\n{''.join(lines)}".encode())
    draft.replace(path)
