"""What kubectl is asked to do, and which combinations it does not take."""

from msgspec import Struct

from watchbill.lifecycle.kubectl.selector import BadSelector, Selector, parse
from watchbill.lifecycle.kubectl.words import Problem
from watchbill.lifecycle.moves import Move

CASCADES = ("background", "foreground", "orphan", "true", "false")


class Unusable(Exception):  # noqa: N818 - the flags are
    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.problem = Problem(words)


class Options(Struct, frozen=True):
    server_side: bool
    force: bool
    force_conflicts: bool
    prune: bool
    selector: Selector
    wait: bool
    ignore_not_found: bool


def options(move: Move) -> Options:
    flags = move.flags
    if move.refused:
        raise Unusable(f"{move.refused}\nSee 'kubectl {move.verb} --help' for usage.")
    if flags.cascade not in CASCADES:
        raise Unusable(
            f'invalid cascade value ({flags.cascade}). Must be "background", "foreground", or "orphan"'
        )
    if move.verb == "apply" and (words := _clash(move)):
        raise Unusable(words)
    try:
        selector = parse(flags.selector)
    except BadSelector as bad:
        raise Unusable(str(bad)) from None
    given = "--ignore-not-found" in move.given
    return Options(
        server_side=bool(flags.server_side),
        force=flags.force,
        force_conflicts=flags.force_conflicts,
        prune=flags.prune,
        selector=selector,
        wait=flags.wait != "false",
        ignore_not_found=flags.ignore_not_found if given else bool(flags.selector),
    )


def _clash(move: Move) -> str:
    flags = move.flags
    server_side = bool(flags.server_side)
    if flags.force_conflicts and not server_side:
        return "--force-conflicts only works with --server-side"
    if server_side and flags.force:
        return "--force cannot be used with --server-side"
    if flags.all and flags.selector:
        return "cannot set --all and --selector at the same time"
    if not flags.prune:
        return ""
    if flags.force:
        return "--force cannot be used with --prune"
    if not flags.all and not flags.selector:
        return (
            "all resources selected for prune without explicitly passing --all. To prune all resources, "
            "pass the --all flag. If you did not mean to prune all resources, specify a label selector"
        )
    if server_side:
        return "--prune is in alpha and doesn't currently work on objects created by server-side apply"
    return ""
