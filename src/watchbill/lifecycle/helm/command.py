"""Helm's command line: which flags a version takes, and the words around an action's error."""

from functools import lru_cache

from msgspec.structs import replace

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.flags import HELM_FLAGS, Flags
from watchbill.lifecycle.helm.install import install
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.rollback import rollback
from watchbill.lifecycle.helm.testing import test
from watchbill.lifecycle.helm.traits import HelmTraits, helm_traits
from watchbill.lifecycle.helm.uninstall import uninstall
from watchbill.lifecycle.helm.upgrade import upgrade
from watchbill.lifecycle.lab import Lab, ReleaseName, Render
from watchbill.lifecycle.moves import Move

CASCADES = ("background", "foreground", "orphan")
STRATEGIES = ("watcher", "hookOnly", "legacy")


def run(client: Client, move: Move, release: ReleaseName, lab: Lab, render: Render) -> str:
    """Plays one command; gives the error Helm prints, empty if there is none."""
    traits = helm_traits(lab.tool.version)
    if not traits.server_side_apply:
        client.manager = ""
    try:
        flags = accepted(move, traits)
        if "--timeout" not in move.given and flags.timeout != lab.timeout:
            flags = replace(flags, timeout=lab.timeout)
        op = Operation(client, release.name, release.namespace, lab.records(release), flags, traits)
        _act(op, move, render)
    except Failed as failed:
        return f"Error: {failed.words}"
    return ""


def _act(op: Operation, move: Move, render: Render) -> None:
    match move.verb:
        case "install":
            try:
                install(op, render)
            except Failed as failed:
                raise Failed(f"INSTALLATION FAILED: {failed.words}") from None
        case "upgrade":
            upgrade(op, render)
        case "rollback":
            rollback(op, move.revision)
        case "uninstall":
            uninstall(op)
        case "test":
            test(op)


@lru_cache(1 << 10)
def accepted(move: Move, traits: HelmTraits) -> Flags:
    """The flags as this version understands them; fails in its words if it does not."""
    major, minor, fix = (int(part) for part in traits.version.split("."))
    for name in move.given:
        flags_of_verb = [flag for flag in HELM_FLAGS[name] if move.verb in flag.commands]
        if not any((major, minor, fix) in flag.versions for flag in flags_of_verb):
            raise Failed(f"unknown flag: {name}")
    if move.refused:
        raise Failed(move.refused)
    flags = move.flags
    if move.verb == "install" and flags.server_side not in ("", "true", "false"):
        raise Failed(
            f'invalid argument "{flags.server_side}" for "--server-side" flag: '
            f'strconv.ParseBool: parsing "{flags.server_side}": invalid syntax'
        )
    if flags.cascade not in CASCADES:
        raise Failed(
            f'invalid cascade value ({flags.cascade}). Must be "background", "foreground", or "orphan"'
        )
    replacing = next((name for name in ("--force-replace", "--force") if name in move.given), "")
    if replacing and flags.force_conflicts:
        group = [replacing.removeprefix("--"), "force-conflicts"]
        raise Failed(
            f"if any flags in the group [{' '.join(group)}] are set none of the others can be; "
            f"[{' '.join(sorted(group))}] were all set"
        )
    return replace(flags, wait=_wait(flags, traits))


def _wait(flags: Flags, traits: HelmTraits) -> str:
    wait = flags.wait
    if traits.major == 3:
        if wait not in ("", "true", "false"):
            raise Failed(
                f'invalid argument "{wait}" for "--wait" flag: strconv.ParseBool: parsing "{wait}": invalid syntax'
            )
        return "true" if wait == "true" or flags.atomic else ""
    strategy = {"": "hookOnly", "true": "watcher", "false": "hookOnly"}.get(wait, wait)
    if strategy not in STRATEGIES:
        raise Failed(
            f'invalid argument "{wait}" for "--wait" flag: invalid wait input "{wait}". '
            "Valid inputs are watcher, hookOnly, and legacy"
        )
    return "watcher" if strategy == "hookOnly" and flags.atomic else strategy
