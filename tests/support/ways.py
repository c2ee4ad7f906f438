"""Ways out as moves: the commands that `explain` prints are played in the model, in the world the error left."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from dev.tapes.case import Case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle import moves
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.world import World
from watchbill.rehearsal.performance import set_up
from watchbill.rehearsal.script import Script, read
from watchbill.rules.errors.names import Names
from watchbill.rules.errors.recognise import recognise
from watchbill.rules.errors.telling import Explanation, WayOut

LOOKING = ("history", "list", "logs", "describe", "get")


class Failure(NamedTuple):
    """An operation that failed, and what it left."""

    played: Played
    told: Explanation
    lab: Lab


def failures(engine: Engine, case: Case, tool: str, scratch: Path) -> Iterator[Failure]:
    """Every failure in a case, each with what is told of it."""
    lab, script = stage(engine, case, tool, scratch)
    world = World()
    for move in script.moves:
        played = play(world, move, lab)
        world = played.world
        if played.error and move.of_tool and not move.release:
            for told in recognise(played.error, Names(case.release, case.namespace)):
                yield Failure(played, told, lab)


def stage(engine: Engine, case: Case, tool: str, scratch: Path) -> tuple[Lab, Script]:
    texts = [version.manifests for version in case.versions if version.manifests is not None]
    charts, manifests = [], [("c/templates/manifests.yaml", text) for text in texts]
    if len(texts) < len(case.versions):
        manifests = []
        charts = [str(version.unpack(scratch / f"v{at}")) for at, version in enumerate(case.versions, 1)]
    script = read(
        [*charts, *(move.text for move in case.moves)], tool, [name for name, _ in manifests], case.release
    )
    context = Context(release=case.release, namespace=case.namespace)
    return set_up(engine, script, manifests, context, bare=True), script


def walk(way: WayOut, failure: Failure, *, corrected: int | None = None) -> Played | None:
    """The last move of it, or the first that fails; None if it only looks.

    What made Jobs fail is mended before. `corrected` is the version in which the chart is, or which brings the
    definition that is missing.
    """
    lab, world = failure.lab, World(failure.played.world.objects, failure.played.world.releases)
    same = failure.played.move.version
    defining = any("DEFINITION" in command for command in way.commands)
    played = None
    for command in way.commands:
        version = corrected if corrected is not None and (not defining or "DEFINITION" in command) else same
        for move in in_moves(command, world, lab):
            if "retry" in way.does and move.verb == failure.played.move.verb:
                move = _with_flags_of(failure.played.move, move, lab)  # noqa: PLW2901
            played = play(world, replace(move, version=version), lab)
            world = played.world
            if not played.ok:
                return played
    return played


def _with_flags_of(failed: Move, move: Move, lab: Lab) -> Move:
    """The same command again has the same flags."""
    _, *words = shlex.split(failed.text)
    flags = [word for place, word in enumerate(words) if place or not word.isdecimal()]  # not the revision
    return moves.parse(shlex.join([*shlex.split(move.text), *flags]), lab.tool.name)


def in_moves(command: str, world: World, lab: Lab) -> list[Move]:
    """What a command is in the words of `rehearse`."""
    tool, verb, *rest = shlex.split(command)
    if verb in LOOKING:
        return []
    if "DEFINITION" in rest:
        return [moves.parse("release definitions install", lab.tool.name)]
    words = _helm(verb, rest, world, lab) if tool == "helm" else _kubectl(verb, rest, world, lab)
    return [moves.parse(word, lab.tool.name) for word in words]


def _helm(verb: str, rest: list[str], world: World, lab: Lab) -> list[str]:
    flags = [word for word in rest if word.startswith("--")]
    if verb == "rollback":
        revision = next(word for word in rest[1:] if word.isdecimal() or word == "REVISION")
        return [shlex.join([verb, str(_good(world, lab)) if revision == "REVISION" else revision, *flags])]
    named = next(word for word in rest if not word.startswith("-"))
    elsewhere = [] if named == lab.release else ["release", named.lower()]
    return [shlex.join([*elsewhere, verb, *flags])]


def _good(world: World, lab: Lab) -> int:
    """As the text says: the one that is deployed, or else the last that is superseded."""
    history = world.history(lab.release)
    for status in ("deployed", "superseded"):
        if found := [known.revision for known in history if known.status == status]:
            return found[-1]
    return 0


def _kubectl(verb: str, rest: list[str], world: World, lab: Lab) -> list[str]:
    words = [word for word in rest if word not in ("-n", lab.namespace)]
    flags = [word for word in words if word.startswith("--")]
    if verb == "apply":
        return [shlex.join([verb, *flags])]
    if verb == "delete" and "-l" in words:
        return _records(words[words.index("-l") + 1], world, lab)
    kind, *others = [word for word in words if not word.startswith("-")]
    if verb == "delete":
        there = {key.name for key in world.objects if key.kind.lower() == kind}
        return [
            f"delete {kind}/{name}" for name in others if name in there or "--ignore-not-found" not in flags
        ]
    name, *changes = others
    if verb == "patch":
        return [f"edit {kind}/{name} metadata.finalizers=null"]
    field = {"label": "labels", "annotate": "annotations"}[verb]
    return [shlex.join(["edit", f"{kind}/{name}", f"metadata.{field}.{_escaped(one)}"]) for one in changes]


def _records(selector: str, world: World, lab: Lab) -> list[str]:
    """Helm's Secrets carry the status of their revision as a label."""
    found = re.fullmatch(r"owner=helm,name=(.+),status in \((.+)\)", selector)
    assert found is not None
    history = [known for known in world.history(found[1]) if known.status in found[2].split(",")]
    return [f"delete Secret/sh.helm.release.v1.{lab.release}.v{known.revision}" for known in history]


def _escaped(change: str) -> str:
    key, _, value = change.partition("=")
    return key.replace(".", "\\.") + f"={value}"
